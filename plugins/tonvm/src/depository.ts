import type { ChainId } from '@causeway/core';
import type { JettonBook } from './jetton-book.js';
import { walletOf } from './jettons.js';

/** Whose deposits they are. */
export interface Depository {
  readonly chainId: ChainId;
  /** Canonical. */
  readonly address: string;
  readonly raw: string;
  /** Raw addresses of wallets of the service: what they send is its own money, and nobody's deposit. */
  readonly own: ReadonlySet<string>;
  readonly jettons: JettonBook;
  /** Nanotons below which coins in a message that is no person's transfer are left alone: less is paid to nobody. */
  readonly least: bigint;
}

/** Raw addresses of the jetton wallets of our wallets. */
export function ownJettonWallets({ own, jettons }: Depository): ReadonlySet<string> {
  return new Set(jettons.all().flatMap((one) => [...own].map((owner) => walletOf(one, owner))));
}
