import type { BlockRef, Clock } from '@causeway/core';
import { isTransportError, RpcError, sideOf } from '@causeway/core/rpc';
import { ViewMoved } from '../../logs/view-moved.js';
import { Allowance } from '../../rate-allowance.js';
import type { Head } from '../heads.js';
import { BlockRefs } from './block-refs.js';
import type { Shown } from './shown.js';

/** Blocks that one report may trace, the head included. */
export const TRACED_BLOCKS = 4;
/** Burst of traces after a pause, then traces per second: anyone can cause one by paying dust through a contract. */
const MAX_AT_ONCE = 20;
const PER_SECOND = 0.05;
/** A provider that refused is not asked again for this time. */
const REFUSED_MS = 600_000;
const MAX_KEPT_BLOCKS = 8;
const MAX_FRAMES = 200_000;

/** Native payments to addresses, oldest first, by address. */
type Payments = ReadonlyMap<string, readonly Shown[]>;

export interface InnerPaymentsDeps {
  readonly clock: Clock;
  readonly watched: { has(address: string): boolean };
  /** Time limit of a trace; 0: no traces. */
  readonly traceMs: number;
}

/**
 * Native payments by transactions and by contracts, from traces of blocks. Optional: a provider
 * without traces, a slow one, or one trace too many leaves a payment by a contract without its transaction.
 */
export class InnerPayments {
  readonly #deps: InnerPaymentsDeps;
  readonly #read = new Map<string, Promise<Payments | 'late' | undefined>>();
  readonly #refusedAt = new Map<number, number>();
  readonly #allowance: Allowance;

  constructor(deps: InnerPaymentsDeps) {
    this.#deps = deps;
    this.#allowance = new Allowance(MAX_AT_ONCE, PER_SECOND, deps.clock);
  }

  /** In the blocks after `from`, at most `TRACED_BLOCKS`. Undefined if one cannot be traced, `late` if that took too long. */
  async after(from: number, head: Head): Promise<Payments | 'late' | undefined> {
    const all = new Map<string, Shown[]>();
    const refs = new BlockRefs(head);
    for (let height = from + 1; height <= head.height; height += 1) {
      const block = await refs.at(height).catch(unlessMoved);
      const payments = block && (await this.#of(block, head));
      if (payments === undefined || payments === 'late') return payments;
      for (const [address, some] of payments) all.set(address, [...(all.get(address) ?? []), ...some]);
    }
    return all;
  }

  #of(block: BlockRef, head: Head): Promise<Payments | 'late' | undefined> {
    const known = this.#read.get(block.id);
    if (known !== undefined) return known;
    if (this.#deps.traceMs === 0 || this.#isRefused(head)) return Promise.resolve(undefined);
    // guard: evm-traces-are-few
    if (this.#allowance.left < 1) return Promise.resolve(undefined);
    this.#allowance.take(1);
    const read = this.#trace(block, head);
    this.#read.set(block.id, read);
    const [oldest] = this.#read.keys();
    if (this.#read.size > MAX_KEPT_BLOCKS && oldest !== undefined) this.#read.delete(oldest);
    return read;
  }

  async #trace(block: BlockRef, { provider }: Head): Promise<Payments | 'late' | undefined> {
    const over = new AbortController();
    const { rpc } = sideOf(provider, 'traces', over.signal);
    const { clock, watched, traceMs } = this.#deps;
    const traced = rpc.request<unknown>('debug_traceBlockByHash', [block.id, { tracer: 'callTracer' }]);
    const late = clock.sleep(traceMs, over.signal).then(() => 'late' as const);
    try {
      const answer = await Promise.race([traced, late]);
      return answer === 'late' ? answer : paymentsIn(answer, block, watched);
    } catch (error) {
      if (!(error instanceof RpcError || isTransportError(error))) throw error;
      this.#refusedAt.set(provider.index, clock.monotonic());
      return undefined;
    } finally {
      over.abort();
      traced.catch(() => undefined);
    }
  }

  #isRefused({ provider }: Head): boolean {
    const at = this.#refusedAt.get(provider.index);
    return at !== undefined && this.#deps.clock.monotonic() - at < REFUSED_MS;
  }
}

interface Frame {
  readonly type?: unknown;
  readonly from?: unknown;
  readonly to?: unknown;
  readonly value?: unknown;
  readonly error?: unknown;
  readonly calls?: unknown;
}

/** Payments in a `callTracer` answer, which is untrusted: the work is bounded. Undefined if it is malformed. */
function paymentsIn(answer: unknown, block: BlockRef, watched: InnerPaymentsDeps['watched']): Payments | undefined {
  const found = new Map<string, Shown[]>();
  let left = MAX_FRAMES;
  for (const { txHash, result } of listOf(answer) ?? []) {
    if (typeof txHash !== 'string' || !/^0x[0-9a-f]{64}$/i.test(txHash)) return undefined;
    // A call before its inner calls, as coin moves when a call begins.
    const waiting: Frame[] = listOf([result]) ?? [];
    for (let frame = waiting.pop(); frame !== undefined; frame = waiting.pop()) {
      // A failed call undoes its inner calls.
      if (frame.error !== undefined) continue;
      const calls: readonly Frame[] = listOf(frame.calls) ?? [];
      left -= calls.length + 1;
      if (left < 0) return undefined;
      for (let n = calls.length - 1; n >= 0; n -= 1) waiting.push(calls[n] as Frame);
      const { to, from, amount } = paymentOf(frame);
      if (amount === 0n || !watched.has(to)) continue;
      const own = found.get(to) ?? [];
      own.push({ amount, transactionHash: txHash.toLowerCase(), depositor: from, block });
      found.set(to, own);
    }
  }
  return listOf(answer) && found;
}

function listOf(value: unknown): Readonly<Record<string, unknown>>[] | undefined {
  return Array.isArray(value) ? value.filter((one) => typeof one === 'object' && one !== null) : undefined;
}

/** Other types, such as `DELEGATECALL`, show the value of the call that they are part of. */
const PAYING: ReadonlySet<unknown> = new Set(['CALL', 'CREATE', 'CREATE2', 'SELFDESTRUCT']);
const NONE = { to: '', from: '', amount: 0n };

function paymentOf({ type, from, to, value }: Frame): { to: string; from: string; amount: bigint } {
  if (!PAYING.has(type) || typeof to !== 'string' || typeof from !== 'string' || typeof value !== 'string') return NONE;
  if (!/^0x[0-9a-f]{1,64}$/i.test(value)) return NONE;
  return { to: to.toLowerCase(), from: from.toLowerCase(), amount: BigInt(value) };
}

function unlessMoved(error: unknown): undefined {
  if (!(error instanceof ViewMoved || error instanceof RpcError || isTransportError(error))) throw error;
}
