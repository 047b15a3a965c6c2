export const EXIT = {
  ok: 0,
  failed: 1,
  usage: 2,
  /** The database lost commits under a running service: restart (sysexits.h EX_TEMPFAIL). */
  wentBack: 75,
  /** Invalid config: do not retry (sysexits.h EX_CONFIG). */
  config: 78,
} as const;

export interface Command {
  readonly name: string;
  /** Output of `causeway <name> --help`. */
  readonly help: string;
  /** Resolves with the exit code. */
  run(args: readonly string[]): Promise<number>;
}

export class UsageError extends Error {
  override readonly name = 'UsageError';
}
