import type { ChainAdapter } from '../../contract/chain-adapter.js';
import type { Clock } from '../../contract/clock.js';
import type { AddressRow } from '../../contract/deposit-addresses.js';
import type { RequestId, UnixMs } from '../../contract/ids.js';
import type { OpenKey, Store } from '../../contract/store.js';
import type { DepositRow, HoldRow, LegRow, RequestRow } from '../../contract/store-rows.js';
import { legId } from '../../domain/accounts.js';
import { heldAt } from './held-at.js';
import { isHot } from './hot.js';
import { isUnswept } from './swept.js';
import { requestOfAddress } from './unwritten.js';

export interface AddressRequest extends Pick<RequestRow, 'id' | 'parentRequestId' | 'status' | 'failReason'> {
  readonly refundFailReason: RequestRow['refundFailReason'];
  readonly createdAt: UnixMs;
}

/** Amounts are smallest units in decimal text, times Unix milliseconds. */
export interface AddressTransfer
  extends Pick<DepositRow, 'fundingKey' | 'requestId' | 'transactionHash' | 'depositor' | 'currency'> {
  readonly amount: string;
  readonly state: DepositRow['state'];
  readonly height: number | null;
  readonly decision: DepositRow['decision'];
  readonly seenAt: UnixMs;
  readonly sweptAt: UnixMs | null;
  /** Null: not decided yet, or a chain without sweeps. */
  readonly sweep: AddressSweep | null;
}

export interface AddressSweep extends Pick<LegRow, 'id' | 'state' | 'reason' | 'dueAt' | 'reverts' | 'closings'> {
  readonly releasedBy: LegRow['releasedBy'];
  /** Network fees of transactions of the sweep without effect, native smallest unit. */
  readonly spent: string;
  /** Attempts under the open key of the sweep, oldest first. */
  readonly attempts: readonly { readonly hash: string; readonly state: string; readonly sentAt: UnixMs | null }[];
}

export interface AddressBalance {
  readonly currency: string;
  readonly symbol: string;
  /** Balance at the head; null: the chain did not answer. */
  readonly balance: string | null;
  /** What the books expect at the address. */
  readonly ledger: string;
}

export interface AddressDetail extends Omit<AddressRow, 'id' | 'version' | 'salt' | 'orderId'> {
  readonly requestId: RequestId;
  readonly hot: boolean;
  /** The request that the address was made for comes first. */
  readonly requests: readonly AddressRequest[];
  /** Newest `MAX_TRANSFERS`, oldest first. */
  readonly transfers: readonly AddressTransfer[];
  readonly transferCount: number;
  readonly balances: readonly AddressBalance[];
  /** Open holds of its transfers. */
  readonly holds: readonly (Pick<HoldRow, 'id' | 'requestId' | 'currency' | 'reason'> & { readonly amount: string })[];
}

interface Deps {
  readonly store: Pick<Store, 'depositsAt' | 'requests' | 'quote' | 'legsOfDeposits' | 'openKeys' | 'holds'>;
  readonly clock: Pick<Clock, 'now'>;
}

export const MAX_TRANSFERS = 100;
const MAX_KEYS = 5_000;

/** Everything that the ledger knows about one address, and its balances now. */
export async function addressDetail(
  { store, clock }: Deps,
  chain: ChainAdapter,
  row: AddressRow,
): Promise<AddressDetail> {
  const { chainId, address, type, keyId, salt, createdAt, hotUntil } = row;
  const [all, held] = await Promise.all([store.depositsAt(chainId, [address]), heldAt(chain, address)]);
  const shown = all.slice(-MAX_TRANSFERS);
  const keys = all.map(({ fundingKey }) => fundingKey);
  const [legs, own, others, holds] = await Promise.all([
    store.legsOfDeposits(shown.map(({ fundingKey }) => fundingKey)),
    requestOfAddress(store, salt),
    store.requests([...new Set(shown.map(({ requestId }) => requestId))].filter((id) => id !== salt)),
    store.holds('open'),
  ]);
  const sweeps = new Map(legs.map((leg) => [leg.id, leg]));
  const open = await keysOf(store, legs);
  const known = new Set<string>(keys);
  const booked = (currency: string): bigint =>
    all.reduce((sum, one) => (one.currency === currency && isUnswept(chain, one) ? sum + one.amount : sum), 0n);
  return {
    ...{ chainId, address, type, requestId: salt, keyId, createdAt, hotUntil },
    hot: isHot(chain, row, clock.now()),
    requests: [...(own ? [own] : []), ...[...others].sort((a, b) => a.createdAt - b.createdAt)].map(requestView),
    transfers: shown.map((one) => transferView(one, sweeps.get(legId.sweep(salt, one.fundingKey)), open)),
    transferCount: all.length,
    balances: held.map(({ currency, balance }) => ({
      ...{ currency: currency.address, symbol: currency.symbol },
      balance: balance === null ? null : balance.toString(),
      ledger: booked(currency.address).toString(),
    })),
    holds: holds
      .filter(({ fundingKey }) => known.has(fundingKey))
      .map(({ id, requestId, currency, reason, amount }) => ({
        ...{ id, requestId, currency, reason },
        amount: amount.toString(),
      })),
  };
}

function requestView(row: RequestRow): AddressRequest {
  const { id, parentRequestId, status, failReason, refundFailReason, createdAt } = row;
  return { id, parentRequestId, status, failReason, refundFailReason, createdAt };
}

/** Attempts by leg id. */
async function keysOf(store: Deps['store'], legs: readonly LegRow[]): Promise<ReadonlyMap<string, OpenKey>> {
  const bound = legs.filter(({ kind, state }) => kind === 'sweep' && state === 'bound');
  const lanes = new Map(bound.map((leg) => [`${leg.chainId}:${leg.signer}`, leg]));
  const found = new Map<string, OpenKey>();
  for (const { chainId, signer } of lanes.values())
    for (const key of await store.openKeys(chainId, signer, MAX_KEYS))
      for (const leg of key.legs) found.set(leg.id, key);
  return found;
}

function transferView(
  deposit: DepositRow,
  sweep: LegRow | undefined,
  open: ReadonlyMap<string, OpenKey>,
): AddressTransfer {
  const { fundingKey, requestId, transactionHash, depositor, currency, state, height } = deposit;
  const { decision, seenAt, sweptAt, amount } = deposit;
  return {
    ...{ fundingKey, requestId, transactionHash, depositor, currency, amount: amount.toString() },
    ...{ state, height, decision, seenAt, sweptAt },
    sweep: sweep === undefined ? null : sweepView(sweep, open.get(sweep.id)),
  };
}

function sweepView(leg: LegRow, open: OpenKey | undefined): AddressSweep {
  const { id, state, reason, dueAt, reverts, closings, releasedBy, spent } = leg;
  const own = open?.attempts.filter(({ legIds }) => legIds.includes(id)) ?? [];
  return {
    ...{ id, state, reason, dueAt, reverts, closings, releasedBy, spent: spent.toString() },
    attempts: own.map(({ hash, state: its, sentAt }) => ({ hash, state: its, sentAt })),
  };
}
