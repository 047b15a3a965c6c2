import type { BlockRef, DepositBatch, DepositObservation } from '@causeway/core';
import { isTransportError, RpcError } from '@causeway/core/rpc';
import { type Arrived, chunksOf, readArrived } from '../../deposit-addresses/read-arrived.js';
import { type Head, headRef } from '../heads.js';
import { BlockRefs } from './block-refs.js';
import type { Account, Known } from './ledger.js';
import { recordedBlocks } from './recorded-blocks.js';
import { evidenceOf, observationOf, type Reporting } from './report.js';
import { accountKey, type Shown } from './shown.js';

/** Heights that a batch repeats: what is known there and not in the batch has vanished. */
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
 * Known transfers that a batch must repeat because they are still on the chain, by the state of the head.
 *
 * Invariant: a transfer is on the chain if the cumulative sum reaches its end. Keys stay if this holds for all of an
 * account's transfers; otherwise the sum is divided again, if the shown transfers equal it.
 */
export async function repeat(
  reporting: Reporting,
  accounts: readonly Account[],
  batch: DepositBatch,
  head: Head,
): Promise<readonly DepositObservation[]> {
  const { chainId, ledger } = reporting;
  const { least: from, includes } = repeatedHeights(batch);
  const arrived = await arrivedIn(reporting, accounts, head);
  const shown = await evidenceOf(
    reporting,
    accounts.map((account) => ({ ...account, from })),
    { transfers: [] },
    head,
  ).catch(unlessRefused);
  const refs = new BlockRefs(head);
  const recorded = accounts.flatMap((account) =>
    ledger.known(account).flatMap((transfer) => {
      const { height, block, isFinal } = transfer;
      return block === undefined && !isFinal && includes(height) ? [{ account, transfer }] : [];
    }),
  );
  const blocks = await recordedBlocks(reporting.factory, recorded, refs, head);
  const repeated: DepositObservation[] = [];
  for (const account of accounts) {
    const known = ledger.known(account);
    const base = known.filter(({ height }) => !includes(height));
    const wanted = known.filter(({ height }) => includes(height));
    const total = arrived.get(accountKey(account)) ?? 0n;
    const since = shown.get(accountKey(account)) ?? [];
    const standing = await standingOf(refs, { base, wanted, total, since, blocks }, head, batch.finalized);
    ledger.set(account, [...base, ...standing]);
    for (const one of standing) repeated.push(observationOf(chainId, account, one, one.block ?? headRef(head)));
  }
  return repeated;
}

interface Standing {
  readonly base: readonly Known[];
  readonly wanted: readonly Known[];
  readonly total: bigint;
  /** Transfers that the chain shows in the repeated blocks. */
  readonly since: readonly Shown[];
  /** Blocks of transfers that an earlier run recorded. */
  readonly blocks: ReadonlyMap<Known, BlockRef>;
}

async function standingOf(
  refs: BlockRefs,
  { base, wanted, total, since, blocks }: Standing,
  head: Head,
  finalized: BlockRef,
): Promise<readonly Known[]> {
  const start = base.reduce((end, { to }) => (to > end ? to : end), 0n);
  const ends = endsOf(start, since);
  const standing = wanted.filter(({ to }) => to <= total);
  const all = start + since.reduce((sum, { amount }) => sum + amount, 0n);
  // guard: evm-replaced-transfers
  if (standing.length < wanted.length && all === total) return divided(ends, finalized);
  const placed: Known[] = [];
  for (const one of standing) {
    const by = ends.find(({ to }) => to === one.to);
    const block = by?.shown.block ?? blocks.get(one) ?? (await sameBlock(refs, one)) ?? headRef(head);
    const transactionHash = one.transactionHash || (by?.shown.transactionHash ?? '');
    const depositor = one.depositor || (by?.shown.depositor ?? '');
    const isFinal = block.height <= finalized.height;
    placed.push({ ...one, block, height: block.height, isFinal, transactionHash, depositor });
  }
  return placed;
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

/** The block that included it, if it is still on the chain, as a final one is. */
async function sameBlock(refs: BlockRefs, { height, block, isFinal }: Known): Promise<BlockRef | undefined> {
  if (block === undefined && !isFinal) return undefined;
  const now = await refs.at(height);
  return block === undefined || now?.id === block.id ? now : undefined;
}

async function arrivedIn(
  { factory }: Reporting,
  accounts: readonly Account[],
  head: Head,
): Promise<ReadonlyMap<string, bigint>> {
  const found = new Map<string, bigint>();
  for (const currency of new Set(accounts.map((one) => one.currency))) {
    const own = accounts.filter((one) => one.currency === currency).map(({ address }) => address);
    for (const addresses of chunksOf(own, 1)) {
      const answer: Arrived = await readArrived(head.provider, factory, { addresses, tokens: [currency] }, head);
      for (const [n, address] of addresses.entries()) {
        const amount = answer.get(currency)?.[n];
        if (amount !== undefined) found.set(accountKey({ address, currency }), amount);
      }
    }
  }
  return found;
}

/** Undefined on a refusal: a block that cannot be read whole must not delay deposits. */
function unlessRefused(error: unknown): ReadonlyMap<string, readonly Shown[]> {
  const isRefused = error instanceof RpcError || (isTransportError(error) && error.failure === 'tooLarge');
  if (!isRefused) throw error;
  return new Map();
}
