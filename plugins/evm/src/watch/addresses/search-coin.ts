import { isTransportError, RpcError } from '@causeway/core/rpc';
import { NATIVE } from '../../addresses.js';
import type { Range } from '../../deposit-addresses/funding-key.js';
import { readArrived } from '../../deposit-addresses/read-arrived.js';
import { blockRef } from '../../finality.js';
import { headerAt, ViewMoved } from '../../logs/view-moved.js';
import type { Head } from '../heads.js';
import { coinPayments } from './coin-payments.js';
import { accountKey, type Shown } from './shown.js';

/** Nodes keep the state of about 128 blocks. */
const MAX_BLOCKS = 120;
/** Maximum blocks with an arrival. */
const MAX_FOUND = 3;
/** The first step back, doubled with each further one: before its deployment the contract answers nothing. */
const FIRST_STEP = 16;

/**
 * Native coin that arrived while no process watched, oldest first, found by a binary search over the state of past
 * blocks. Empty unless the result equals the whole range.
 *
 * @param from block at whose end nothing of the range had arrived.
 */
export async function searchCoin(
  head: Head,
  factory: `0x${string}`,
  address: string,
  range: Range,
  from: number,
): Promise<readonly Shown[]> {
  try {
    const found: Shown[] = [];
    for (let { to } = range; to > range.from; ) {
      if (found.length === MAX_FOUND) return [];
      const step = await arrivalOf(head, factory, address, to, Math.max(from, head.height - MAX_BLOCKS, 0));
      if (step === undefined || step.before < range.from) return [];
      found.unshift(await shownIn(head, address, step.height, to - step.before));
      to = step.before;
    }
    return found;
  } catch (error) {
    if (error instanceof RpcError || error instanceof ViewMoved || isTransportError(error)) return [];
    throw error;
  }
}

/** First block after `from` at whose end the sum had arrived, and the sum before that block. */
async function arrivalOf(
  { provider, height }: Head,
  factory: `0x${string}`,
  address: string,
  amount: bigint,
  from: number,
): Promise<{ readonly height: number; readonly before: bigint } | undefined> {
  const arrivedBy = async (number: number): Promise<bigint> => {
    const asked = { addresses: [address], tokens: [NATIVE] };
    const arrived = await readArrived(provider, factory, asked, { height: number, id: undefined });
    return arrived.get(NATIVE)?.[0] ?? 0n;
  };
  let [low, high, step] = [Math.max(from, height - FIRST_STEP), height, FIRST_STEP];
  let before = await arrivedBy(low);
  while (before >= amount) {
    if (low === from) return undefined;
    step *= 2;
    [low, high] = [Math.max(from, low - step), low];
    before = await arrivedBy(low);
  }
  while (high - low > 1) {
    const middle = low + Math.floor((high - low) / 2);
    const then = await arrivedBy(middle);
    if (then >= amount) high = middle;
    else [low, before] = [middle, then];
  }
  return { height: high, before };
}

/** Has no transaction if several transactions, or a contract, paid. */
async function shownIn({ provider, ...head }: Head, address: string, height: number, amount: bigint): Promise<Shown> {
  const header = await headerAt(provider, height);
  const there: Head = { ...head, provider, height, id: header.hash };
  const paid = await coinPayments(new Set([address]), { from: height - 1, head: there });
  const [only, ...more] = paid.get(accountKey({ address, currency: NATIVE })) ?? [];
  if (only !== undefined && more.length === 0 && only.amount === amount) return only;
  return { amount, transactionHash: '', depositor: '', block: blockRef(header) };
}
