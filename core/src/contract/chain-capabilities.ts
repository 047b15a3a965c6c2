import type { PayerUtxos } from './deposits.js';

/** Small interfaces an adapter may offer. Each arrives with the feature that needs it. */
export interface ChainCapabilities {
  /** Another account than the payer may pay a deposit's network fee: `depositSteps` takes a `feePayer`. */
  readonly depositFeePayer?: true;
  /**
   * A deposit spends outputs of its payer, which are looked up before its steps are made. False: no source of outputs is
   * configured, so quotes have no steps. Absent: nothing has to be looked up.
   */
  readonly payerUtxos?: PayerUtxos | false;
  /**
   * Whether the key of a canonical address signed this text, in the form in which wallets of the family sign texts. False for
   * anything that is no such signature. Local work only.
   */
  readonly verifyMessage?: (address: string, text: string, signature: string) => boolean;
}
