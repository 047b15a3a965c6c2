/** Exit codes of the CLI. */
export const EXIT = {
  ok: 0,
  /** Something went wrong. */
  failed: 1,
  /** The command line was not understood. */
  usage: 2,
  /** The database lost commits under a running service: starting it again is the cure (sysexits.h EX_TEMPFAIL). */
  wentBack: 75,
  /** The config is wrong: trying again changes nothing (sysexits.h EX_CONFIG). */
  config: 78,
} as const;

export interface Command {
  readonly name: string;
  /** Everything `causeway <name> --help` says. */
  readonly help: string;
  /** Resolves with the exit code. */
  run(args: readonly string[]): Promise<number>;
}

/** The command line was not understood; `message` says why. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}
