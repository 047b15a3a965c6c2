/** How `causeway setup` asks a chain to make what it lacks. */
export interface SetUpOptions {
  /** Only tell: sign nothing, send nothing. */
  readonly dryRun: boolean;
  /** Reference of the key that pays, resolved as those in options. Absent: a signer that the plugin chooses, and names. */
  readonly payer?: string;
  /**
   * Aborts when the operator asks to stop. Nothing new is signed from then on; each transaction that was sent is followed
   * until it has landed, or can never land.
   */
  readonly signal: AbortSignal;
}

/** One thing that a chain needs on itself: told as it was found, and again under the same name while it is made. */
export interface SetUpItem {
  /** What it is, unique within the chain. Never carries a secret. */
  readonly name: string;
  /**
   * `there`: nothing to do. `missing`: not there, or not whole. `sent`: a transaction that makes it, or a part of it, is on
   * its way. `made`: it is there now. `failed`: it cannot be told whether it is there, or it could not be made.
   */
  readonly state: 'there' | 'missing' | 'sent' | 'made' | 'failed';
  /** What was found or done, and what an operator has to do about it; with `failed`, why and what would help. */
  readonly message: string;
  /** Native coin, smallest unit: about what making it takes (`missing`), or what it took (`made`). Else absent. */
  readonly cost?: bigint;
}
