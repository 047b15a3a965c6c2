import type { BlockRef } from '@causeway/core';
import type { HeadFeed, Head as HeadOf, HeadSource, Provider } from '@causeway/core/rpc';
import { NATIVE } from '../addresses.js';
import type { Blocks } from '../chain/blocks.js';
import { readAccount, type TonAccount } from '../chain/read.js';
import type { Toncenter } from '../http/toncenter.js';
import type { JettonBook } from '../jetton-book.js';
import { heldBy, walletOf } from '../jettons.js';

/** The newest block of the masterchain, and our accounts as a provider told of them since. */
export interface TonHead extends BlockRef {
  /** By raw address: our wallets, and the jetton wallets of each. As of this block or a later one. */
  readonly accounts: ReadonlyMap<string, TonAccount>;
  /** The chain's own time as far as it was told, Unix seconds: what is signed by an older one runs out sooner than it should. */
  readonly time: number;
}

export type Head = HeadOf<TonHead, Toncenter>;
export type Heads = HeadFeed<TonHead, Toncenter>;

/** What is read with a head. */
export interface HeadParts {
  readonly blocks: Blocks;
  readonly jettons: JettonBook;
  /** Raw addresses of our wallets. */
  readonly owners: readonly string[];
}

/** Asks for the head, and for our accounts where that is a new one: between two heads nothing can have changed. */
export function headSource({ blocks, jettons, owners }: HeadParts): HeadSource<TonHead, Toncenter> {
  const last = new WeakMap<Provider<Toncenter>['rpc'], TonHead>();
  return {
    async read(provider) {
      // Nobody waits for it: a minter that does not tell keeps nothing else from being served.
      void jettons.learn();
      const { block } = await blocks.head(provider);
      const known = last.get(provider.rpc);
      if (known?.id === block.id) return known;
      const accounts = new Map<string, TonAccount>();
      for (const owner of owners)
        for (const account of [owner, ...jettons.all().map((jetton) => walletOf(jetton, owner))])
          accounts.set(account, await readAccount(provider, account, block.height));
      const time = Math.max(Math.floor(block.timestamp / 1_000), ...[...accounts.values()].map(({ utime }) => utime));
      const head = { ...block, accounts, time };
      last.set(provider.rpc, head);
      return head;
    },
  };
}

export function blockOf({ height, id, timestamp }: TonHead): BlockRef {
  return { height, id, timestamp };
}

/** Smallest unit of a currency that a wallet of ours held at a head; undefined for what is not read with it. */
export function heldAt(head: TonHead, jettons: JettonBook, owner: string, currency: string): bigint | undefined {
  if (currency === NATIVE) return head.accounts.get(owner)?.balance;
  const jetton = jettons.of(currency);
  const wallet = jetton && head.accounts.get(walletOf(jetton, owner));
  return jetton && wallet && heldBy(jetton.layout, wallet.data);
}
