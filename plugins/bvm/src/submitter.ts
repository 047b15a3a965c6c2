import type { Prepared, PrepareInput, PrepareOutcome, ReplaceInput, SignedTransaction } from '@causeway/core';
import type { Signers } from './address-keys.js';
import type { Coin, Coins } from './coins/coin.js';
import type { FeeRates } from './fees.js';
import { type Outpoint, outpointName } from './funding-key.js';
import { readKey, writeKey } from './keys.js';
import { type LaneState, MATURITY } from './lane/lane-state.js';
import type { Network } from './network.js';
import { type Position, readPosition, writePosition } from './position.js';
import { type Composed, type Composition, compose, type PlannedLeg, type Solver } from './transactions/compose.js';
import { type CoinJson, type CoinRef, readCoin, readDraft, writeCoin, writeDraft } from './transactions/draft.js';
import { signDraft } from './transactions/sign.js';
import { feeOf } from './transactions/sizes.js';

export interface SubmitterDeps {
  readonly chainId: number;
  readonly network: Network;
  readonly signers: Signers;
  /** Undefined while the outputs are unknown. No I/O. */
  state(): LaneState | undefined;
  readonly coins: Pick<Coins, 'get' | 'spender' | 'spendersAbove'>;
  readonly fees: Pick<FeeRates, 'rate' | 'incremental' | 'rules'>;
  finalHeight(): number;
}

/** Result of `check`. */
export interface LegPlan {
  /** Depository outputs to spend. */
  readonly coins: readonly CoinJson[];
}

/** What a replacement must outbid and must still spend. */
interface Terms {
  /** Satoshis per 1,000 vbytes, highest attempt so far. */
  readonly rate: string;
  readonly fee: string;
  /** Of the largest attempt: a replacement may cost as much, whatever its size. */
  readonly vsize: number;
  readonly anchor: CoinJson;
  /** In addition to the anchor. */
  readonly coins: readonly CoinJson[];
}

/** Surplus lane outputs that a transaction consolidates. */
const SWEEP = 10;

/** Minimum fee rate of a replacement relative to the previous one, parts per thousand. */
const BUMP = 1_250n;

type Failure = Extract<PrepareOutcome, { ok: false }>;

function unavailable(message: string): Failure {
  return { ok: false, why: 'unavailable', message };
}

type Begin = { readonly ok: true; readonly coin: CoinRef } | Failure;

/**
 * Whether the previous transaction may still be in flight, so that nothing can be prepared.
 *
 * Invariant: a lane restarts with an output that is no anchor only if no anchor is left and the previous
 * transaction's first input was finally spent by something else.
 */
export function isBusy({ state, coins, finalHeight }: SubmitterDeps, { serial, behind }: Position): boolean {
  const lane = state();
  if (lane === undefined) return true;
  if (lane.newest !== undefined) return lane.anchor === undefined || lane.anchor.serial < serial;
  if (behind === undefined) return false;
  if (coins.get(behind) !== undefined) return true;
  const spender = coins.spender(behind);
  if (spender !== undefined)
    return /* guard: bvm-lane-restarts */ spender.block === null || spender.block.height > finalHeight();
  // Spent before outputs were first read: unknown until the block of that reading is final.
  return (coins.spendersAbove ?? Number.POSITIVE_INFINITY) > finalHeight();
}

/** Local: outputs, fees and positions are cached. */
export function prepare(deps: SubmitterDeps, { lane, legs }: PrepareInput): PrepareOutcome {
  mustBeLane(deps, lane.signer);
  const position = readPosition(lane.position);
  const rate = deps.fees.rate();
  const state = deps.state();
  if (rate === undefined || state === undefined) return unavailable('no fresh fee sample, or no outputs known');
  const begin = beginAt(deps, state, position);
  if (!begin.ok) return begin;
  const { serial } = position;
  const composed = compose(deps.network, solverOf(deps), {
    ...{ serial, anchor: begin.coin, legs: plannedOf(legs), rate: rate.value },
    may: state.free.filter(
      ({ spentInPool, txid, vout }) => spentInPool === null && !isSame(begin.coin, { txid, vout }),
    ),
    sweep: SWEEP,
  });
  const nextPosition = writePosition({ serial: serial + 1, behind: begin.coin });
  return outcomeOf(deps, composed, { serial, anchor: begin.coin, nextPosition });
}

function beginAt(deps: SubmitterDeps, state: LaneState, position: Position): Begin {
  // guard: bvm-lane-waits
  if (isBusy(deps, position)) return unavailable('the transaction before is not in a block');
  const { anchor } = state;
  if (anchor !== undefined) {
    if (anchor.serial > position.serial)
      return unavailable(`the chain has ${anchor.serial} transactions of the lane and the ledger ${position.serial}`);
    if (anchor.coin.spentInPool !== null)
      return unavailable(`something in the pool spends the anchor already: ${anchor.coin.spentInPool}`);
    return { ok: true, coin: anchor.coin };
  }
  const oldest = firstCoin(state);
  if (oldest === undefined) return { ok: false, why: 'noGas', message: 'the lane has no output in a block' };
  return { ok: true, coin: oldest };
}

/** The oldest confirmed output: least likely to be reorged, and a ledger that lost this start selects it again. */
function firstCoin({ free }: LaneState): Coin | undefined {
  const since = ({ height, coinbase }: Coin): number => (height ?? 0) + (coinbase ? MATURITY : 0);
  const [first] = free
    .filter(({ spentInPool }) => spentInPool === null)
    .sort((a, b) => since(a) - since(b) || (outpointName(a) < outpointName(b) ? -1 : 1));
  return first;
}

/**
 * Spends the same anchor with a higher fee rate and fee, as nodes require. After a reorg that removed the anchor
 * permanently, it spends the current one; the caller has excluded that another lane transaction did the legs.
 */
export function replace(deps: SubmitterDeps, { key, signer, previousFees, legs }: ReplaceInput): PrepareOutcome {
  mustBeLane(deps, signer);
  const { serial } = readKey(key);
  const before = readTerms(previousFees);
  const now = deps.fees.rate();
  const state = deps.state();
  if (now === undefined || state === undefined) return unavailable('no fresh fee sample, or no outputs known');
  const anchor = anchorAgain(deps, state, serial, before.anchor);
  if (anchor === undefined) return unavailable('the inputs of its transactions are in no block now');
  const isSameAnchor = isSame(anchor, before.anchor);
  const { maxRate } = deps.fees.rules;
  const raised = (before.rate * BUMP + 999n) / 1_000n;
  const rate = isSameAnchor ? min(max(raised, now.value), maxRate) : now.value;
  const kept = before.coins.filter((coin) => deps.coins.get(coin)?.height != null);
  const others = state.free.filter(
    (coin) => coin.spentInPool === null && !isSame(coin, anchor) && !kept.some((one) => isSame(one, coin)),
  );
  const composed = compose(deps.network, solverOf(deps), {
    ...{ serial, anchor, rate, legs: plannedOf(legs), may: [...kept, ...others] },
    leastFee: (vsize) => (isSameAnchor ? before.fee + feeOf(vsize, deps.fees.incremental()) : 0n),
  });
  if (!composed.ok) return outcomeOf(deps, composed, { serial, anchor, nextPosition: '', key });
  const vsize = isSameAnchor ? Math.max(composed.vsize, before.vsize) : composed.vsize;
  const most = feeOf(vsize, maxRate);
  if (composed.fee > most) {
    const message = `${composed.fee} satoshis for ${composed.vsize} vbytes are above the cap of ${most}`;
    return { ok: false, why: 'feeCap', message };
  }
  return outcomeOf(deps, { ...composed, vsize }, { serial, anchor, nextPosition: '', key });
}

/** The same output if it still exists, the current anchor after a reorg. */
function anchorAgain(
  { coins }: SubmitterDeps,
  { anchor }: LaneState,
  serial: number,
  before: CoinRef,
): CoinRef | undefined {
  if (anchor?.serial === serial) return anchor.coin;
  // A lane's first transaction spends an output that is no anchor; while it exists, it must be the one.
  const coin = coins.get(before);
  return anchor === undefined && coin !== undefined && coin.height !== null ? coin : undefined;
}

interface Fixed {
  readonly serial: number;
  readonly anchor: CoinRef;
  readonly nextPosition: string;
  readonly key?: string;
}

function outcomeOf(
  { signers }: SubmitterDeps,
  composed: Composition,
  { serial, anchor, nextPosition, key }: Fixed,
): PrepareOutcome {
  if (!composed.ok) {
    if (composed.why === 'tooLarge') throw new Error(`a leg that fits into no transaction: ${composed.message}`);
    return { ok: false, why: 'noGas', message: composed.message };
  }
  return {
    ok: true,
    prepared: {
      key: key ?? writeKey({ lane: signers.lane.address, serial, outpoint: anchor }),
      nextPosition,
      unsigned: writeDraft(composed.draft),
      fees: writeTerms(composed, anchor),
      maxFee: composed.fee,
      carries: composed.carries,
    },
  };
}

function writeTerms({ draft, fee, vsize }: Composed, anchor: CoinRef): string {
  const coins = draft.inputs.slice(1).flatMap((input) => (input.pot === 'lane' ? [writeCoin(input)] : []));
  const rate = (fee * 1_000n) / BigInt(vsize);
  const terms: Terms = { rate: rate.toString(), fee: fee.toString(), vsize, anchor: writeCoin(anchor), coins };
  return JSON.stringify(terms);
}

function readTerms(text: string) {
  const { rate, fee, vsize, anchor, coins } = JSON.parse(text) as Terms;
  return { vsize, rate: BigInt(rate), fee: BigInt(fee), anchor: readCoin(anchor), coins: coins.map(readCoin) };
}

export function anchorOfTerms(fees: string): CoinRef {
  return readTerms(fees).anchor;
}

/** Deterministic. */
export function sign(deps: SubmitterDeps, { unsigned }: Prepared, signer: string): SignedTransaction {
  mustBeLane(deps, signer);
  return signDraft(readDraft(unsigned), deps.signers);
}

function mustBeLane({ chainId, signers }: SubmitterDeps, signer: string): void {
  if (signer !== signers.lane.address) throw new Error(`no key for ${signer} on chain ${chainId}`);
}

export function solverOf({ signers }: Pick<SubmitterDeps, 'signers'>): Solver {
  return signers;
}

function plannedOf(legs: PrepareInput['legs']): readonly PlannedLeg[] {
  return legs.map(({ leg, plan }) => ({ leg, coins: (JSON.parse(plan) as LegPlan).coins.map(readCoin) }));
}

function isSame(a: Outpoint, b: Outpoint): boolean {
  return a.txid === b.txid && a.vout === b.vout;
}

function max(a: bigint, b: bigint): bigint {
  return a > b ? a : b;
}

function min(a: bigint, b: bigint): bigint {
  return a < b ? a : b;
}
