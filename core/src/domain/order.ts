import type { Hex } from '../contract/ids.js';

/**
 * Order data as quotes serve it: addresses in their chains' text form, amounts decimal text, deadlines Unix seconds.
 */
export interface OrderData {
  readonly version: 'v1';
  /** Chain *name*. */
  readonly solverChainId: string;
  /** Account of the order signer: 20 bytes on every family. Empty where no order was made. */
  readonly solver: string;
  /** 32-byte hex. */
  readonly salt: Hex;
  readonly inputs: readonly {
    readonly payment: {
      readonly chainId: string;
      readonly currency: string;
      readonly amount: string;
      readonly weight: string;
    };
    readonly refunds: readonly {
      readonly chainId: string;
      readonly recipient: string;
      readonly currency: string;
      readonly minimumAmount: string;
      readonly deadline: number;
      readonly extraData: Hex;
    }[];
  }[];
  readonly output: {
    readonly chainId: string;
    readonly payments: readonly {
      readonly recipient: string;
      readonly currency: string;
      readonly minimumAmount: string;
      readonly expectedAmount: string;
    }[];
    readonly calls: readonly Hex[];
    readonly deadline: number;
    readonly extraData: Hex;
  };
  readonly fees: readonly {
    readonly recipientChainId: string;
    readonly recipient: string;
    readonly currencyChainId: string;
    readonly currency: string;
    readonly amount: string;
  }[];
}
