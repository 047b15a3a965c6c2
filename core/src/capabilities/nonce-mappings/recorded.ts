import type { DepositObservation } from '../../contract/deposits.js';
import type { FundingKey } from '../../contract/ids.js';
import type { NonceMappingRow } from '../../contract/nonce-mappings.js';
import type { Change, Store } from '../../contract/store.js';
import type { DepositRow, MetaRow } from '../../contract/store-rows.js';
import { metaChange } from '../../domain/meta-rows.js';
import type { EngineContext } from '../../engine/base/context.js';
import { inParallel } from '../../engine/base/in-parallel.js';
import type { UnitOfWork } from '../../engine/base/unit-of-work.js';
import { mappableBy, nonceMappingId } from './sent-by.js';

/**
 * Which transfers of an account's transaction were recorded as ones without an order.
 *
 * Race closed here: a mapping and the record of the transfer that it names. Both write this row, each in its own
 * change set, so the later one conflicts and reads the earlier.
 *
 * Invariant: read before the mappings are, else a mapping between the two reads would be missed without a conflict.
 */
type Sent = readonly FundingKey[];

const CONCURRENCY = 16;

type Seen = Pick<DepositObservation, 'fundingKey' | 'chainId' | 'orderId' | 'depositor' | 'depositAddress' | 'sentBy'>;

const keyOf = (id: NonceMappingRow['id']): string => `sent:${id}`;

function readSent({ value }: Pick<MetaRow, 'value'>): Sent {
  return JSON.parse(value) as Sent;
}

function rowOf(seen: Seen): string | undefined {
  const sentBy = mappableBy(seen);
  return sentBy === undefined ? undefined : keyOf(nonceMappingId(seen.chainId, sentBy));
}

/** Reads nothing where every transfer names its order or is recorded. */
export async function loadSent(
  { store }: Pick<EngineContext, 'store'>,
  unit: UnitOfWork,
  transfers: readonly Seen[],
  known: readonly Pick<DepositRow, 'fundingKey'>[],
): Promise<void> {
  const recorded = new Set(known.map(({ fundingKey }) => fundingKey));
  const keys = new Set(transfers.flatMap((seen) => (recorded.has(seen.fundingKey) ? [] : (rowOf(seen) ?? []))));
  for (const row of await inParallel([...keys], CONCURRENCY, (key) => store.meta(key)))
    if (row !== undefined) unit.load('meta', row);
}

/** In the change set that records the transfer, which no mapping names. After `loadSent`. */
export function noteUnmapped(unit: UnitOfWork, seen: Seen): void {
  const key = rowOf(seen);
  // guard: recorded-excludes-mapping
  if (key === undefined) return;
  const before = unit.get('meta', key);
  if (before === undefined) unit.insert('meta', { key, version: 1, value: JSON.stringify([seen.fundingKey]) });
  else unit.update('meta', key, { value: JSON.stringify([...new Set([...readSent(before), seen.fundingKey])]) });
}

export interface Recorded {
  /** Not known to have left the chain: it stays without an order. */
  readonly standing: DepositRow | undefined;
  /** A reorg removed it. Returned, it stays without an order; another transaction of the nonce may be mapped. */
  readonly removed: DepositRow | undefined;
  /** Of the mapping's change set, which conflicts where any of this changed meanwhile. */
  readonly changes: readonly Change[];
}

/** @throws on infrastructure failure. */
export async function recordedBefore(
  store: Pick<Store, 'deposits' | 'meta'>,
  id: NonceMappingRow['id'],
): Promise<Recorded> {
  const row = await store.meta(keyOf(id));
  const deposits = row === undefined ? [] : await store.deposits(readSent(row));
  return {
    standing: deposits.find(({ state }) => state !== 'vanished'),
    removed: deposits.find(({ state }) => state === 'vanished'),
    changes: [
      metaChange(row, keyOf(id), row?.value ?? '[]'),
      /* guard: mapping-after-removal */
      ...deposits.map(
        ({ fundingKey, version }): Change => ({ op: 'require', table: 'deposits', key: { fundingKey }, version }),
      ),
    ],
  };
}
