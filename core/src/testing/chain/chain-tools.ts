import type { ChainPayouts } from '../../contract/chain-adapter.js';
import type { Hex, OrderId, UnixSeconds } from '../../contract/ids.js';
import type { KeysByHistory, KeysByPosition } from '../../contract/lane-keys.js';
import type { ChainAbility, ChainHarness } from './chain-harness.js';

export function able<T>(method: T | undefined, ability: ChainAbility): T {
  if (method === undefined)
    throw new Error(`harness: it says neither how to do "${ability}" nor that it lacks it; read ChainHarness.lacks`);
  return method;
}

export function byPosition({ keys }: Pick<ChainPayouts, 'keys'>): KeysByPosition {
  if (keys.by !== 'position')
    throw new Error('adapter: two transactions of one position have no key in common; read LaneKeys');
  return keys;
}

export function byHistory({ keys }: Pick<ChainPayouts, 'keys'>): KeysByHistory {
  if (keys.by !== 'history') throw new Error('adapter: keys are identified by their positions; read LaneKeys');
  return keys;
}

let used = 0;

/** A number that is unique in this process, so that harnesses may share one chain. */
export function unused(): number {
  used += 1;
  return used;
}

export function freshOrder(): OrderId {
  // Fixed width, since `5` and `55` collide under padding that ends with a 5; at both ends, since a chain may carry
  // only the first bytes.
  const digits = unused().toString(16).padStart(16, '0');
  return `0x${digits}${'5c'.repeat(16)}${digits}` as Hex;
}

export function freshRecipient(harness: ChainHarness): string {
  return harness.recipient(unused());
}

/** `units` units plus a distinctive remainder. */
export function amountOf(harness: ChainHarness, currency: string, units: number): bigint {
  const unit = harness.unit(currency);
  return unit * BigInt(units) + (unit > 1_000_000n ? BigInt(unused()) : 0n);
}

export function firstCurrency(harness: ChainHarness): string {
  const [first] = harness.currencies;
  if (first === undefined) throw new Error('harness: it names no currency; read ChainHarness.currencies');
  return first;
}

export async function deadlineIn(harness: ChainHarness, seconds: number): Promise<UnixSeconds> {
  return Math.ceil((await harness.head()).timestamp / 1000) + seconds;
}

/** Polls until a condition holds. Time passes through the harness only. */
export async function until(
  harness: ChainHarness,
  what: string,
  good: () => boolean | Promise<boolean>,
  most = 400,
): Promise<void> {
  for (let round = 0; round < most; round += 1) {
    if (await good()) return;
    await harness.pass(round < 20 ? 10 : 50);
  }
  throw new Error(`timed out waiting for ${what}`);
}
