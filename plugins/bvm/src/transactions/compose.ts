import type { LegInstruction } from '@causeway/core';
import { addressScript } from '../addresses.js';
import { outpointName } from '../funding-key.js';
import type { Network } from '../network.js';
import { anchorSequence, PLAIN_SEQUENCE } from './anchor.js';
import type { CoinRef, Draft, DraftInput, DraftOutput } from './draft.js';
import { referenceScript } from './references.js';
import { dustOf, feeOf, type OwnType, vsizeOf, weightOf } from './sizes.js';

export interface Solver {
  readonly lane: { readonly script: Buffer; readonly type: OwnType };
  readonly depository: { readonly script: Buffer; readonly type: OwnType };
}

export interface PlannedLeg {
  readonly leg: LegInstruction;
  readonly coins: readonly CoinRef[];
}

export interface Wish {
  readonly serial: number;
  /** Spent first: makes transactions of one key mutually exclusive. */
  readonly anchor: CoinRef;
  /** Other lane outputs, required and optional. */
  readonly must?: readonly CoinRef[];
  readonly may: readonly CoinRef[];
  readonly legs: readonly PlannedLeg[];
  /** Satoshis per 1,000 vbytes. */
  readonly rate: bigint;
  /** Minimum fee by vsize, for a replacement. */
  readonly leastFee?: (vsize: number) => bigint;
  readonly sweep?: number;
}

export interface Composed {
  readonly draft: Draft;
  readonly carries: number;
  readonly vsize: number;
  readonly fee: bigint;
}

export type Composition =
  | ({ readonly ok: true } & Composed)
  /** `short`: the lane cannot pay for even the first leg. `tooLarge`: the first leg alone exceeds relay limits. */
  | { readonly ok: false; readonly why: 'short' | 'tooLarge'; readonly message: string };

/**
 * Builds a lane transaction. Inputs: the anchor, the legs' depository outputs, more of the lane as needed. Outputs:
 * one per leg, the leg names, the depository's change, the next anchor. Includes as many legs as the lane can pay for
 * and nodes relay. Deterministic.
 *
 * Invariant: spent depository value goes to its legs, to the lane up to the amount withheld for gas, and back.
 *
 * Coins are selected here, largest first, instead of by the library: the anchor is required and there is always
 * change.
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
  // Smallest first; outputs that cost more than their value stay.
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

/** Depository value that no leg settles returns there; the lane tops it up to the dust limit. */
function restOf(
  network: Network,
  { depository }: Solver,
  legs: readonly PlannedLeg[],
  taken: readonly CoinRef[],
): readonly DraftOutput[] {
  const settled = legs.reduce((sum, { leg }) => sum + settledBy(leg), 0n);
  const rest = total(taken) - settled;
  if (rest < 0n) throw new Error(`${-rest} satoshis more leave the depository than its spent outputs hold`);
  if (rest === 0n) return [];
  const least = dustOf(depository.script, network);
  return [{ script: depository.script, value: rest > least ? rest : least }];
}

/** Taken from the depository. */
export function settledBy(leg: LegInstruction): bigint {
  if (leg.kind === 'fill' || leg.kind === 'call') return 0n;
  return leg.kind === 'collect' || leg.kind === 'sweep' ? leg.amount : (leg.covers ?? leg.amount);
}

function laneTypes({ lane }: Solver, count: number): OwnType[] {
  return Array.from({ length: count }, () => lane.type);
}

function inputOf({ txid, vout, value, salt }: CoinRef, pot: DraftInput['pot']): DraftInput {
  return { txid, vout, value, pot, sequence: PLAIN_SEQUENCE, ...(salt === undefined ? {} : { salt }) };
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
