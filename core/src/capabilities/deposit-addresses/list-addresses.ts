import type { ChainAdapter } from '../../contract/chain-adapter.js';
import type { Clock } from '../../contract/clock.js';
import type { AddressRow } from '../../contract/deposit-addresses.js';
import type { ChainId, RequestId, UnixMs } from '../../contract/ids.js';
import type { PlacedAddress, Store } from '../../contract/store.js';
import type { DepositRow } from '../../contract/store-rows.js';
import { isHot } from './hot.js';
import { isUnswept } from './swept.js';

export interface AddressFilter {
  readonly chainId?: ChainId;
  /** Requested with one of these keys; null: by callers without a key. */
  readonly keyIds?: readonly (string | null)[];
  /** Watched at every block. */
  readonly hot?: boolean;
  /** Holds a transfer that no sweep has moved yet. */
  readonly unswept?: boolean;
}

/**
 * Where a page ended. Positions never change, so pages neither repeat nor skip an address that existed when they began.
 */
export interface AddressPlace {
  readonly chainId: ChainId;
  readonly position: number;
}

export interface ListedAddress extends Omit<AddressRow, 'id' | 'version' | 'salt' | 'orderId'> {
  readonly requestId: RequestId;
  readonly hot: boolean;
  /** Number of transfers that the chain shows. */
  readonly transfers: number;
  /** Sums by currency, smallest unit. */
  readonly unswept: readonly { readonly currency: string; readonly amount: string }[];
}

export interface AddressPage {
  readonly addresses: readonly ListedAddress[];
  /** Undefined on the last page. A page may be short, even empty, before the last. */
  readonly next: AddressPlace | undefined;
}

interface Deps {
  readonly store: Pick<Store, 'addressesAfter' | 'depositsAt'>;
  readonly chains: ReadonlyMap<ChainId, ChainAdapter>;
  readonly clock: Pick<Clock, 'now'>;
}

const PAGE_ROWS = 500;
/** Rows read for a page, so that a rare filter does not block the store. */
const MAX_READ = 10_000;

/** Of configured chains, by chain and then in the order in which they were issued. */
export async function listAddresses(
  { store, chains, clock }: Deps,
  filter: AddressFilter,
  limit: number,
  after?: AddressPlace,
): Promise<AddressPage> {
  const found: ListedAddress[] = [];
  let left = MAX_READ;
  for (const chain of inOrder(chains, filter, after)) {
    const chainId = chain.facts.id;
    let position = after?.chainId === chainId ? after.position : 0;
    for (;;) {
      const rows = await store.addressesAfter(chainId, position, PAGE_ROWS);
      const wanted = rows.filter((row) => isWanted(chain, filter, row, clock.now()));
      const transfers = await transfersAt(store, chainId, wanted, filter.unswept === true ? wanted.length : limit);
      for (const row of wanted) {
        const view = viewOf(chain, row, transfers.get(row.address) ?? [], clock.now());
        if (filter.unswept === true && view.unswept.length === 0) continue;
        found.push(view);
        if (found.length === limit) return { addresses: found, next: { chainId, position: row.position } };
      }
      left -= rows.length;
      position = rows.at(-1)?.position ?? position;
      if (rows.length < PAGE_ROWS) break;
      if (left <= 0) return { addresses: found, next: { chainId, position } };
    }
  }
  return { addresses: found, next: undefined };
}

function inOrder(chains: Deps['chains'], { chainId }: AddressFilter, after?: AddressPlace): readonly ChainAdapter[] {
  return [...chains.values()]
    .filter(({ facts }) => chainId === undefined || facts.id === chainId)
    .filter(({ facts }) => after === undefined || facts.id >= after.chainId)
    .sort((a, b) => a.facts.id - b.facts.id);
}

function isWanted(chain: ChainAdapter, { keyIds, hot }: AddressFilter, row: AddressRow, now: UnixMs): boolean {
  return (keyIds === undefined || keyIds.includes(row.keyId)) && (hot !== true || isHot(chain, row, now));
}

async function transfersAt(
  store: Pick<Store, 'depositsAt'>,
  chainId: ChainId,
  rows: readonly PlacedAddress[],
  most: number,
): Promise<ReadonlyMap<string, readonly DepositRow[]>> {
  const found = new Map<string, DepositRow[]>();
  const addresses = rows.slice(0, most).map(({ address }) => address);
  if (addresses.length === 0) return found;
  for (const deposit of await store.depositsAt(chainId, addresses)) {
    const address = deposit.depositAddress ?? '';
    if (deposit.state !== 'vanished') found.set(address, [...(found.get(address) ?? []), deposit]);
  }
  return found;
}

function viewOf(
  chain: ChainAdapter,
  { chainId, address, type, keyId, salt, createdAt, hotUntil }: AddressRow,
  transfers: readonly DepositRow[],
  now: UnixMs,
): ListedAddress {
  const sums = new Map<string, bigint>();
  for (const transfer of transfers.filter((one) => isUnswept(chain, one)))
    sums.set(transfer.currency, (sums.get(transfer.currency) ?? 0n) + transfer.amount);
  return {
    ...{ chainId, address, type, requestId: salt, keyId, createdAt, hotUntil },
    hot: isHot(chain, { hotUntil }, now),
    transfers: transfers.length,
    unswept: [...sums].map(([currency, sum]) => ({ currency, amount: sum.toString() })),
  };
}
