import type { Clock, Hex } from '@causeway/core';
import { type Provider, RpcError, sideOf } from '@causeway/core/rpc';
import { toFunctionSelector } from 'viem/utils';
import { brief } from './brief.js';
import { type DecodedRevert, reasonInside, said } from './reverts.js';
import { askedOf, type Trial } from './try-call.js';

/** A call as `callTracer` tells it, with those that it made. */
export interface CallFrame {
  readonly to?: Hex;
  readonly output?: Hex;
  /** Absent where it went well. */
  readonly error?: string;
  readonly calls?: readonly CallFrame[];
}

/** Whoever asks waits no longer for mere wording. */
const MOST_MS = 500;
const METHOD_NOT_FOUND = -32_601;
const MOST_BEFORE = 120;
const CALL_FAILED = toFunctionSelector('function CallFailed(uint256,address,bytes)');

/** Providers that said that they trace nothing. */
const traceless = new WeakSet<Provider>();

/**
 * A failed call of an order with where it failed, and of what, as far as a trace tells more than the revert data: a contract
 * between may have passed on less than it was told. Never rejects; the same as before where the provider traces nothing, or
 * not in time.
 */
export async function inDepth(
  provider: Provider,
  clock: Pick<Clock, 'sleep'>,
  trial: Trial,
  revert: DecodedRevert,
): Promise<DecodedRevert> {
  if (revert.name !== 'CallFailed') return revert;
  const over = new AbortController();
  const late = clock.sleep(MOST_MS, over.signal).then(() => undefined);
  const tracing = traced(sideOf(provider, 'traces', over.signal), trial);
  // What is late ends, so that its place is free again.
  const frame = await Promise.race([tracing, late]).finally(() => over.abort());
  return frame === undefined ? revert : withInner(revert, frame, trial.unnamed);
}

/** The same with a trace at hand. @param unnamed Reason of a revert that says no more than that it is one. */
export function withInner(revert: DecodedRevert, frame: CallFrame, unnamed: DecodedRevert['reason']): DecodedRevert {
  const { to, output = '0x' } = innermost(frame);
  const reason = revert.reason === unnamed ? (reasonInside(output) ?? revert.reason) : revert.reason;
  const at = to?.toLowerCase();
  if (at === undefined || revert.message.includes(at)) return { ...revert, reason };
  return { ...revert, reason, message: brief(`${shortened(revert.message)}; ${at} ${said(output)}`) };
}

/** Down to the call that failed first, along those whose failure was the caller's, too. */
function innermost(frame: CallFrame): CallFrame {
  const failed = frame.calls?.filter(({ error }) => error !== undefined).at(-1);
  return failed === undefined || !isPassedOn(frame, failed) ? frame : innermost(failed);
}

/** So that the words of what failed first have room. */
function shortened(message: string): string {
  return message.length > MOST_BEFORE ? `${message.slice(0, MOST_BEFORE)}…` : message;
}

/**
 * A caller that failed of it hands its words on, or loses them; one that made do with it fails with words of its own. The contracts
 * of an order's calls fail of what they called.
 */
function isPassedOn({ output: outer = '0x' }: CallFrame, { output: inner = '0x' }: CallFrame): boolean {
  return outer === '0x' || outer.startsWith(CALL_FAILED) || (inner !== '0x' && outer.includes(inner.slice(2)));
}

async function traced(provider: Provider, trial: Trial): Promise<CallFrame | undefined> {
  const { home = provider } = provider;
  if (traceless.has(home)) return undefined;
  try {
    const asked = askedOf(trial, trial.most);
    const frame = await provider.rpc.request<CallFrame | null>('debug_traceCall', [
      asked,
      'latest',
      { tracer: 'callTracer' },
    ]);
    return frame?.error === undefined ? undefined : frame;
  } catch (error) {
    if (error instanceof RpcError && error.code === METHOD_NOT_FOUND) traceless.add(home);
    return undefined;
  }
}
