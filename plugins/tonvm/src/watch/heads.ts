import type { Aged, BlockRef, Clock, UnixMs } from '@causeway/core';
import type { HeadFeed, Head as HeadOf, HeadSource, Provider } from '@causeway/core/rpc';
import { NATIVE } from '../addresses.js';
import type { Blocks } from '../chain/blocks.js';
import { readAccount, type TonAccount } from '../chain/read.js';
import type { Toncenter } from '../http/toncenter.js';
import type { JettonBook } from '../jetton-book.js';
import { heldBy, walletOf } from '../jettons.js';

/** An account of ours, and when it was read. */
export interface HeadAccount extends TonAccount {
  readonly at: UnixMs;
}

/** The newest block of the masterchain, and our accounts as a provider told of them since. */
export interface TonHead extends BlockRef {
  /**
   * By raw address: our wallets, and the jetton wallets of each. As of this block or a later one; those that no deposits come to may be as
   * of some seconds ago where a provider takes few requests.
   */
  readonly accounts: ReadonlyMap<string, HeadAccount>;
  /** The chain's own time as far as it was told, Unix seconds: what is signed by an older one runs out sooner than it should. */
  readonly time: number;
}

export type Head = HeadOf<TonHead, Toncenter>;
export type Heads = HeadFeed<TonHead, Toncenter>;

/** How old an account may be that nobody waits for, where a provider takes few requests. */
const REST_MS = 15_000;

/** What is read with a head. */
export interface HeadParts {
  readonly blocks: Blocks;
  readonly jettons: JettonBook;
  readonly clock: Clock;
  /** Raw address of the wallet that deposits come to. */
  readonly depository: string;
  /** Raw addresses of our other wallets. */
  readonly others: readonly string[];
  /** Whether one of these may just be changing, as after something was sent. */
  isAwaited(): boolean;
}

/**
 * Asks for the depository's wallet, which comes with the block that it is of, and for the rest where that is a new one: between two heads
 * nothing can have changed.
 */
export function headSource(parts: HeadParts): HeadSource<TonHead, Toncenter> {
  const { blocks, jettons, clock, depository, others } = parts;
  const last = new WeakMap<Provider<Toncenter>['rpc'], TonHead>();
  return {
    async read(provider) {
      // Nobody waits for it: a minter that does not tell keeps nothing else from being served.
      void jettons.learn();
      const read = async (account: string, floor = 0) => ({
        ...(await readAccount(provider, account, floor)),
        at: clock.now(),
      });
      const first = await read(depository);
      const known = last.get(provider.rpc);
      if (known?.id === first.blockId) return known;
      const block = await blocks.of(provider, first);
      const accounts = new Map([[depository, first]]);
      const walletsOf = (owner: string) => jettons.all().map((jetton) => walletOf(jetton, owner));
      for (const account of walletsOf(depository)) accounts.set(account, await read(account, block.height));
      const isResting = provider.rpc.isScarce && !parts.isAwaited();
      for (const account of others.flatMap((owner) => [owner, ...walletsOf(owner)])) {
        const before = isResting ? known?.accounts.get(account) : undefined;
        const isRecent = before !== undefined && clock.now() - before.at < REST_MS;
        accounts.set(account, isRecent ? before : await read(account, block.height));
      }
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
export function heldAt(head: TonHead, jettons: JettonBook, owner: string, currency: string): Aged<bigint> | undefined {
  const jetton = currency === NATIVE ? undefined : jettons.of(currency);
  if (jetton === undefined && currency !== NATIVE) return undefined;
  const account = head.accounts.get(jetton === undefined ? owner : walletOf(jetton, owner));
  return account && { value: jetton ? heldBy(jetton.layout, account.data) : account.balance, at: account.at };
}
