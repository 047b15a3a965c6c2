import type { ChainId } from '@causeway/core';
import type { Sweeping } from './deposit-addresses/contract.js';
import type { JettonBook } from './jetton-book.js';
import { walletOf } from './jettons.js';

export interface Depository {
  readonly chainId: ChainId;
  /** Canonical. */
  readonly address: string;
  readonly raw: string;
  /** Raw addresses of the service's wallets: their payments are no deposits. */
  readonly own: ReadonlySet<string>;
  readonly jettons: JettonBook;
  /** Nanotons; fewer coins in a message that is no person's transfer are ignored, because no one is paid less. */
  readonly least: bigint;
  /** Undefined: no deposit addresses. */
  readonly sweeping: Sweeping | undefined;
}

/** Raw addresses of the jetton wallets of the service's wallets. */
export function ownJettonWallets({ own, jettons }: Depository): ReadonlySet<string> {
  return new Set(jettons.all().flatMap((one) => [...own].map((owner) => walletOf(one, owner))));
}
