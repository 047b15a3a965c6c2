export interface ProbeResult {
  /** Short and stable, e.g. `chain 1 rpc https://host`. Never carries a secret. */
  readonly name: string;
  readonly ok: boolean;
  /** A failed `error` probe forbids the start; `warning` starts degraded. */
  readonly level: 'error' | 'warning';
  readonly message: string;
  /** Deciding path within the plugin's options, e.g. `chains[0].rpc[1]`, used to name the config line. */
  readonly optionPath?: string;
  /**
   * What an operator does about it: repair a provider, send native coin, run `causeway setup`, send inventory. Absent:
   * what the message says.
   */
  readonly remedy?: 'provider' | 'fund' | 'setUp' | 'stock';
}

/**
 * A wrong option that the schema cannot detect, thrown from `register` or a start task. The host reports it with file
 * and line.
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
