/** One finding of a probe: its subject, whether the subject is as it must be, and where an operator changes it. */
export interface ProbeResult {
  /** Short and stable, e.g. `chain 1 rpc https://host`. Never carries a secret. */
  readonly name: string;
  readonly ok: boolean;
  /** What a failed probe means: `error` forbids to start, `warning` starts degraded. */
  readonly level: 'error' | 'warning';
  /** What was found, and when it is not `ok` what to do about it. */
  readonly message: string;
  /** Path within the plugin's options that decides it, e.g. `chains[0].rpc[1]`, so that the config line can be named. */
  readonly optionPath?: string;
}

/**
 * Thrown from `register` or a start task when an option is wrong in a way that its schema cannot say.
 * The host reports it with file and line of the option.
 */
export class OptionError extends Error {
  override readonly name = 'OptionError';
  readonly optionPath: string;

  /** @param optionPath e.g. `chains[0].depository`. @param message what is wrong and what to do; never a secret. */
  constructor(optionPath: string, message: string) {
    super(message);
    this.optionPath = optionPath;
  }
}
