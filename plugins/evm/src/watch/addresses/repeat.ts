import type { BlockRef, DepositBatch, DepositObservation, Hex } from '@causeway/core';
import { isTransportError, type Provider, RpcError } from '@causeway/core/rpc';
import { chunksOf, type Place, readArrived } from '../../deposit-addresses/read-arrived.js';
import { ViewMoved } from '../../logs/view-moved.js';
import { type Head, headRef } from '../heads.js';
import { BlockRefs } from './block-refs.js';
import type { Account, Known } from './ledger.js';
import { evidenceOf, observationOf, type Reporting } from './report.js';
import { accountKey, type Shown } from './shown.js';

/** Heights that a batch repeats: what is known there and not in the batch is gone. */
export function repeatedHeights(batch: DepositBatch): {
  readonly least: number;
  includes(height: number): boolean;
} {
  const { rewoundTo = Number.POSITIVE_INFINITY, readFrom = Number.POSITIVE_INFINITY } = batch;
  const readTo = batch.readTo ?? batch.head.height;
  return {
    least: Math.min(rewoundTo, readFrom),
    includes: (height) => height > rewoundTo || (height > readFrom && height <= readTo),
  };
}

/**
 * Known transfers that a batch must repeat and that still stand, by the state of the head.
 *
 * Invariant: a transfer stands if as much as its end has arrived, by the end of the block that it is reported in. Keys
 * stay if all of an account's stand; else, if the chain shows exactly what arrived since, it is divided again.
 */
export async function repeat(
  reporting: Reporting,
  accounts: readonly Account[],
  batch: DepositBatch,
  head: Head,
): Promise<readonly DepositObservation[]> {
  const { chainId, ledger } = reporting;
  const { least: from, includes } = repeatedHeights(batch);
  const arrived = await arrivedAt(reporting, accounts, head.provider, head);
  const news = accounts.map((account) => ({ ...account, from }));
  const shown = await evidenceOf(reporting, news, { transfers: [] }, head).catch(unlessRefused<readonly Shown[]>);
  const places = await placesOf(reporting, accounts, includes, head);
  const repeated: DepositObservation[] = [];
  for (const account of accounts) {
    const known = ledger.known(account);
    const base = known.filter(({ height }) => !includes(height));
    const wanted = known.filter(({ height }) => includes(height));
    const total = arrived.get(accountKey(account)) ?? 0n;
    const since = shown.get(accountKey(account)) ?? [];
    const place = (one: Known): BlockRef => placeIn(places, account, one) ?? headRef(head);
    const standing = standingOf({ base, wanted, total, since }, place, batch.finalized);
    ledger.set(account, [...base, ...standing]);
    for (const one of standing) repeated.push(observationOf(chainId, account, one, one.block ?? headRef(head)));
  }
  return repeated;
}

interface Standing {
  readonly base: readonly Known[];
  readonly wanted: readonly Known[];
  readonly total: bigint;
  /** Transfers in the replaced blocks. */
  readonly since: readonly Shown[];
}

function standingOf(
  { base, wanted, total, since }: Standing,
  place: (one: Known) => BlockRef,
  finalized: BlockRef,
): readonly Known[] {
  const start = base.reduce((end, { to }) => (to > end ? to : end), 0n);
  const ends = endsOf(start, since);
  const standing = wanted.filter(({ to }) => to <= total);
  const all = start + since.reduce((sum, { amount }) => sum + amount, 0n);
  // guard: evm-replaced-transfers
  if (standing.length < wanted.length && all === total) return divided(ends, finalized);
  return standing.map((one) => {
    const by = ends.find(({ to }) => to === one.to);
    const block = by?.shown.block ?? place(one);
    const transactionHash = one.transactionHash || (by?.shown.transactionHash ?? '');
    const depositor = one.depositor || (by?.shown.depositor ?? '');
    const isFinal = block.height <= finalized.height;
    return { ...one, block, height: block.height, isFinal, transactionHash, depositor };
  });
}

interface End {
  readonly from: bigint;
  readonly to: bigint;
  readonly shown: Shown;
}

function endsOf(start: bigint, since: readonly Shown[]): readonly End[] {
  let at = start;
  return since.map((shown) => {
    const from = at;
    at += shown.amount;
    return { from, to: at, shown };
  });
}

function divided(ends: readonly End[], finalized: BlockRef): readonly Known[] {
  return ends.map(({ from, to, shown: { block, transactionHash, depositor } }) => {
    const isFinal = block.height <= finalized.height;
    return { from, to, height: block.height, block, isFinal, transactionHash, depositor };
  });
}

interface Placed {
  readonly block: BlockRef;
  /** By account, by the end of the block. */
  readonly arrived: ReadonlyMap<string, bigint>;
}

/** Blocks now at the heights of what is repeated, and their state where another block may have been there. */
async function placesOf(
  reporting: Reporting,
  accounts: readonly Account[],
  includes: (height: number) => boolean,
  head: Head,
): Promise<ReadonlyMap<number, Placed>> {
  const at = new Map<number, Account[]>();
  for (const account of accounts)
    for (const { height } of reporting.ledger.known(account))
      if (includes(height) && height <= head.height) at.set(height, [...(at.get(height) ?? []), account]);
  const refs = new BlockRefs(head);
  const places = new Map<number, Placed>();
  for (const [height, concerned] of at) {
    const block = await refs.at(height);
    if (block === undefined) continue;
    const moved = concerned.filter((account) =>
      reporting.ledger.known(account).some((one) => one.height === height && one.block?.id !== block.id),
    );
    const place = { height, id: block.id as Hex };
    const arrived = await arrivedAt(reporting, moved, head.provider, place).catch((error: unknown) =>
      // Nodes forget the state of old blocks.
      error instanceof ViewMoved ? new Map<string, bigint>() : unlessRefused<bigint>(error),
    );
    places.set(height, { block, arrived });
  }
  return places;
}

/** Undefined where that much may have arrived in a later block. */
function placeIn(places: ReadonlyMap<number, Placed>, account: Account, one: Known): BlockRef | undefined {
  const there = places.get(one.height);
  if (there === undefined) return undefined;
  const isSame = there.block.id === one.block?.id;
  return isSame || (there.arrived.get(accountKey(account)) ?? 0n) >= one.to ? there.block : undefined;
}

/** Smallest unit, by account. */
async function arrivedAt(
  { factory }: Reporting,
  accounts: readonly Account[],
  provider: Provider,
  place: Place,
): Promise<ReadonlyMap<string, bigint>> {
  const found = new Map<string, bigint>();
  for (const currency of new Set(accounts.map((one) => one.currency))) {
    const own = accounts.filter((one) => one.currency === currency).map(({ address }) => address);
    for (const addresses of chunksOf(own, 1)) {
      const answer = await readArrived(provider, factory, { addresses, tokens: [currency] }, place);
      for (const [n, address] of addresses.entries()) {
        const amount = answer.get(currency)?.[n];
        if (amount !== undefined) found.set(accountKey({ address, currency }), amount);
      }
    }
  }
  return found;
}

/** What the chain shows is optional; a provider that is down is asked again. */
function unlessRefused<T>(error: unknown): ReadonlyMap<string, T> {
  const isRefused = error instanceof RpcError || (isTransportError(error) && error.failure === 'tooLarge');
  if (!isRefused) throw error;
  return new Map();
}
