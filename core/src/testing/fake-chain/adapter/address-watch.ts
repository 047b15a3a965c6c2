import type { AddressBook, AddressRef } from '../../../contract/deposit-addresses.js';
import type { DepositObservation } from '../../../contract/deposits.js';
import type { FundingKey } from '../../../contract/ids.js';
import type { FakeBlock } from '../block-tree.js';
import type { FakeTransfer } from '../fake-chain-types.js';
import type { FakeProvider } from '../fake-provider.js';

/** What one scan looks for. */
export interface WatchedAddresses {
  readonly watched: ReadonlyMap<string, AddressRef>;
  /** Their earlier transfers are still to be found. */
  readonly fresh: ReadonlySet<string>;
  /** Blocks of the ledger's transfers to fresh addresses. */
  readonly recorded: ReadonlyMap<FundingKey, number>;
}

/**
 * The address book of one watcher.
 *
 * Invariant: an address is fresh until a scan found everything that had arrived there up to the blocks from which on
 * all scans include it.
 */
export class AddressWatch {
  readonly #book: AddressBook;
  readonly #found = new Set<string>();

  constructor(book: AddressBook) {
    this.#book = book;
  }

  /** To be called with a head known. Rejects when the ledger is not available. */
  async next(): Promise<WatchedAddresses> {
    await this.#book.refresh();
    const { watched } = this.#book;
    for (const address of this.#found) if (!watched.has(address)) this.#found.delete(address);
    const fresh = new Set([...watched.keys()].filter((address) => !this.#found.has(address)));
    const known = fresh.size === 0 ? [] : await this.#book.recorded([...fresh]);
    const recorded = new Map(
      known.flatMap(({ fundingKey, height }) => (height === null ? [] : [[fundingKey, height]])),
    );
    return { watched, fresh, recorded };
  }

  found(addresses: Iterable<string>): void {
    for (const address of addresses) this.#found.add(address);
  }
}

/** Unrecorded transfers to fresh addresses up to a block; undefined while the provider does not show all of them. */
export function earlier(
  node: FakeProvider,
  to: FakeBlock,
  { fresh, recorded }: WatchedAddresses,
): readonly FakeTransfer[] | undefined {
  const { tree } = node.core;
  if (fresh.size === 0) return [];
  const onFork: FakeTransfer[] = [];
  let at = to;
  for (; !tree.isCanonical(at) && at.parent !== null; at = at.parent) onFork.unshift(...at.transfers);
  const { height } = at;
  const all = [...tree.transfers.filter(({ block }) => block.height <= height), ...onFork];
  if (all.some(({ block }) => block.height > node.eventHead.height)) return undefined;
  return all.filter((one) => fresh.has(one.to) && recorded.get(one.fundingKey) !== one.block.height);
}

export function observed(
  { fundingKey, hash, from, to, currency, amount, shown, block: { height, id, timestamp } }: FakeTransfer,
  chainId: number,
  finalized: number,
): DepositObservation {
  return {
    fundingKey,
    chainId,
    transactionHash: shown ? hash : '',
    currency,
    amount,
    depositor: shown ? from : '',
    orderId: null,
    depositAddress: to,
    state: height <= finalized ? 'final' : 'included',
    block: { height, id, timestamp },
  };
}
