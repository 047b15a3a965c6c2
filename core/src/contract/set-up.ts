export interface SetUpOptions {
  /** Only report: sign nothing, send nothing. */
  readonly dryRun: boolean;
  /** Reference of the paying key, as in options. Absent: a signer that the plugin chooses and names. */
  readonly payer?: string;
  /**
   * Aborts when the operator stops. Nothing new is signed; each sent transaction is followed until it landed or never
   * can.
   */
  readonly signal: AbortSignal;
}

/** Reported as found and, under the same name, while it is created. */
export interface SetUpItem {
  /** Unique within the chain. Never carries a secret. */
  readonly name: string;
  /**
   * `there`: nothing to do. `missing`: absent or incomplete. `sent`: a transaction for it is in flight. `made`:
   * created. `failed`: its state is unknown, or it could not be created.
   */
  readonly state: 'there' | 'missing' | 'sent' | 'made' | 'failed';
  readonly message: string;
  /** Native coin, smallest unit: estimate (`missing`) or actual cost (`made`). Else absent. */
  readonly cost?: bigint;
  /** What the plugin's options must say for this item, e.g. `chains[0].contracts.router` and an address. */
  readonly option?: { readonly path: string; readonly value: string };
}
