import type { LegInstruction } from '@causeway/core';
import { addressScript } from '../addresses.js';
import { outpointName } from '../funding-key.js';
import type { Network } from '../network.js';
import { anchorSequence, PLAIN_SEQUENCE } from './anchor.js';
import type { CoinRef, Draft, DraftInput, DraftOutput } from './draft.js';
import { referenceScript } from './references.js';
import { dustOf, feeOf, type OwnType, vsizeOf, weightOf } from './sizes.js';

/** Scripts and sizes of what the solver owns. */
export interface Solver {
  readonly lane: { readonly script: Buffer; readonly type: OwnType };
  readonly depository: { readonly script: Buffer; readonly type: OwnType };
}

/** A leg with the outputs of the depository that it is paid from; none for a fill. */
export interface PlannedLeg {
  readonly leg: LegInstruction;
  readonly coins: readonly CoinRef[];
}

export interface Wish {
  readonly serial: number;
  /** Spent first: what keeps two transactions of one key apart. */
  readonly anchor: CoinRef;
  /** Other outputs of the lane: outputs that must be spent, and outputs that may be. */
  readonly must?: readonly CoinRef[];
  readonly may: readonly CoinRef[];
  readonly legs: readonly PlannedLeg[];
  /** Satoshis per 1,000 vbytes. */
  readonly rate: bigint;
  /** Least fee of so many vbytes, whatever the rate: what a replacement has to offer. */
  readonly leastFee?: (vsize: number) => bigint;
  /** How many outputs of the lane more than needed are spent to have fewer. */
  readonly sweep?: number;
}

export interface Composed {
  readonly draft: Draft;
  /** Legs that it carries, the first ones. */
  readonly carries: number;
  readonly vsize: number;
  readonly fee: bigint;
}

export type Composition =
  | ({ readonly ok: true } & Composed)
  /** `short`: the lane does not have what not even the first leg takes. `tooLarge`: nobody relays the first leg alone. */
  | { readonly ok: false; readonly why: 'short' | 'tooLarge'; readonly message: string };

/**
 * A transaction of a lane: the anchor first, then what legs are paid from, then more of the lane as needed; an output per
 * leg, what names the legs, what is left of the depository's, and the next anchor last. As many of the legs as the lane can
 * pay for and nodes relay. Deterministic.
 *
 * Invariant: what is spent of the depository goes to its legs, to the lane as far as it was withheld for gas, and back.
 *
 * Coins are chosen here and not by the library: the anchor is a must, there is always change, and no coin is ever left over
 * that would have to be kept for anybody. So it comes down to adding coins, the largest first.
 */
export function compose(network: Network, solver: Solver, wish: Wish): Composition {
  let failed: Composition | undefined;
  for (let count = wish.legs.length; count > 0 || wish.legs.length === 0; count -= 1) {
    const made = composeExactly(network, solver, { ...wish, legs: wish.legs.slice(0, count) });
    if (made.ok || count === 0) return made;
    failed = made;
  }
  return failed ?? { ok: false, why: 'short', message: 'nothing to compose' };
}

function composeExactly(network: Network, solver: Solver, wish: Wish): Composition {
  const { anchor, must = [], legs, rate, leastFee, sweep = 0 } = wish;
  const taken = uniqueCoins(legs.flatMap(({ coins }) => coins));
  const paid: DraftOutput[] = legs.map(({ leg }) => ({
    script: Buffer.from(addressScript(leg.recipient, network)),
    value: leg.amount,
  }));
  const named = legs.map(({ leg }) => leg);
  const names = legs.length > 0 ? [{ script: referenceScript(named, network.opReturnBytes), value: 0n }] : [];
  const outputs = [...paid, ...names, ...restOf(network, solver, legs, taken)];
  const least = dustOf(solver.lane.script, network);
  const scripts = [...outputs.map(({ script }) => script), solver.lane.script];
  const priced = (lane: number) => {
    const types = [...laneTypes(solver, lane), ...taken.map(() => solver.depository.type)];
    const weight = weightOf(types, scripts);
    const vsize = vsizeOf(weight);
    const [fee, floor] = [feeOf(vsize, rate), leastFee?.(vsize) ?? 0n];
    return { weight, vsize, fee: fee > floor ? fee : floor };
  };
  const out = total(outputs) - total(taken);
  const chosen = [anchor, ...must];
  const spare = [...wish.may].sort((a, b) => (a.value === b.value ? compareNames(a, b) : a.value > b.value ? -1 : 1));
  const missing = () => out + priced(chosen.length).fee + least - total(chosen);
  while (missing() > 0n) {
    const next = spare.shift();
    if (next === undefined)
      return { ok: false, why: 'short', message: `the lane has ${total(chosen)} satoshis and lacks ${missing()}` };
    chosen.push(next);
  }
  // The smallest first: these are the ones that are in the way. What costs more than it brings stays.
  for (let n = 0; n < sweep; n += 1) {
    const next = spare.at(-1);
    if (next === undefined || next.value <= priced(chosen.length + 1).fee - priced(chosen.length).fee) break;
    chosen.push(next);
    spare.pop();
  }
  const { weight, vsize, fee } = priced(chosen.length);
  if (weight > network.maxWeight)
    return { ok: false, why: 'tooLarge', message: `${weight} of ${network.maxWeight} weight units` };
  const change = { script: solver.lane.script, value: total(chosen) - out - fee };
  const [first, ...others] = chosen.map((coin) => inputOf(coin, 'lane'));
  const inputs = [
    ...(first === undefined ? [] : [{ ...first, sequence: anchorSequence(wish.serial) }]),
    ...taken.map((coin) => inputOf(coin, 'depository')),
    ...others,
  ];
  return { ok: true, draft: { inputs, outputs: [...outputs, change] }, carries: legs.length, vsize, fee };
}

/** What of the depository's outputs no leg settles, back to where it came from. What nobody would relay is filled up. */
function restOf(
  network: Network,
  { depository }: Solver,
  legs: readonly PlannedLeg[],
  taken: readonly CoinRef[],
): readonly DraftOutput[] {
  const settled = legs.reduce((sum, { leg }) => sum + settledBy(leg), 0n);
  const rest = total(taken) - settled;
  if (rest < 0n) throw new Error(`${-rest} satoshis more are to leave the depository than what is spent of it`);
  if (rest === 0n) return [];
  const least = dustOf(depository.script, network);
  return [{ script: depository.script, value: rest > least ? rest : least }];
}

/** What a leg takes out of the depository. */
export function settledBy(leg: LegInstruction): bigint {
  if (leg.kind === 'fill') return 0n;
  return leg.kind === 'collect' ? leg.amount : (leg.covers ?? leg.amount);
}

function laneTypes({ lane }: Solver, count: number): OwnType[] {
  return Array.from({ length: count }, () => lane.type);
}

function inputOf({ txid, vout, value }: CoinRef, pot: DraftInput['pot']): DraftInput {
  return { txid, vout, value, pot, sequence: PLAIN_SEQUENCE };
}

function uniqueCoins(coins: readonly CoinRef[]): readonly CoinRef[] {
  return [...new Map(coins.map((coin) => [outpointName(coin), coin])).values()];
}

function compareNames(a: CoinRef, b: CoinRef): number {
  return outpointName(a) < outpointName(b) ? -1 : 1;
}

function total(parts: readonly { readonly value: bigint }[]): bigint {
  return parts.reduce((sum, { value }) => sum + value, 0n);
}
