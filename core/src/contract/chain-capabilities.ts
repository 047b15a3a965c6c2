import type { PayerUtxos } from './deposits.js';

/** Small interfaces an adapter may offer. Each arrives with the feature that needs it. */
export interface ChainCapabilities {
  /** Deposits whose network fee somebody else than the payer pays: `depositSteps` takes a `feePayer`. */
  readonly depositFeePayer?: true;
  /**
   * A deposit is made of outputs of its payer, which are looked up before its steps. False: they would have to be, and nobody
   * is configured who knows them, so that no quote can have steps. Absent: nothing has to be looked up.
   */
  readonly payerUtxos?: PayerUtxos | false;
  /**
   * Whether whoever holds the key of a canonical address signed this text, in the form in which wallets of the family sign
   * texts. False for everything that is no such signature. Local work only.
   */
  readonly verifyMessage?: (address: string, text: string, signature: string) => boolean;
}
