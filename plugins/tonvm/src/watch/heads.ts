import type { Aged, BlockRef, Clock, UnixMs } from '@causeway/core';
import type { HeadFeed, Head as HeadOf, HeadSource, Provider } from '@causeway/core/rpc';
import { NATIVE } from '../addresses.js';
import type { Blocks } from '../chain/blocks.js';
import { readAccount, type TonAccount } from '../chain/read.js';
import type { Toncenter } from '../http/toncenter.js';
import type { JettonBook } from '../jetton-book.js';
import { heldBy, walletOf } from '../jettons.js';

export interface HeadAccount extends TonAccount {
  readonly at: UnixMs;
}

export interface TonHead extends BlockRef {
  /**
   * By raw address: the wallets and their jetton wallets, as of this block or a later one; with a scarce provider
   * those without deposits may be some seconds older.
   */
  readonly accounts: ReadonlyMap<string, HeadAccount>;
  /** The chain's latest known time, Unix seconds; signed orders expire relative to it. */
  readonly time: number;
}

export type Head = HeadOf<TonHead, Toncenter>;
export type Heads = HeadFeed<TonHead, Toncenter>;

/** Maximum age of a not awaited account, for scarce providers. */
const REST_MS = 15_000;

export interface HeadParts {
  readonly blocks: Blocks;
  readonly jettons: JettonBook;
  readonly clock: Clock;
  /** Raw. */
  readonly depository: string;
  readonly others: readonly string[];
  /** Wallets that hold coins only; raw. */
  readonly bare: readonly string[];
  /** Whether one of these may be changing, as after a send. */
  isAwaited(): boolean;
}

export function headSource(parts: HeadParts): HeadSource<TonHead, Toncenter> {
  const { blocks, jettons, clock, depository, others, bare } = parts;
  const last = new WeakMap<Provider<Toncenter>['rpc'], TonHead>();
  return {
    async read(provider) {
      // In the background: a silent minter must not delay the others.
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
      for (const account of [...others.flatMap((owner) => [owner, ...walletsOf(owner)]), ...bare]) {
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

/** Smallest unit; undefined for what is not read with the head. */
export function heldAt(head: TonHead, jettons: JettonBook, owner: string, currency: string): Aged<bigint> | undefined {
  const jetton = currency === NATIVE ? undefined : jettons.of(currency);
  if (jetton === undefined && currency !== NATIVE) return undefined;
  const account = head.accounts.get(jetton === undefined ? owner : walletOf(jetton, owner));
  return account && { value: jetton ? heldBy(jetton.layout, account.data) : account.balance, at: account.at };
}
