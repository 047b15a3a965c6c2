import type { Clock, Hex } from '@causeway/core';
import { type Provider, RpcError, sideOf } from '@causeway/core/rpc';
import { toFunctionSelector } from 'viem/utils';
import { brief } from './brief.js';
import { type DecodedRevert, reasonInside, said } from './reverts.js';
import { askedOf, type Trial } from './try-call.js';

/** Frame of `callTracer`. */
export interface CallFrame {
  readonly to?: Hex;
  readonly output?: Hex;
  readonly error?: string;
  readonly calls?: readonly CallFrame[];
}

const TRACE_TIMEOUT_MS = 500;
const METHOD_NOT_FOUND = -32_601;
const MAX_OUTER_CHARACTERS = 120;
const CALL_FAILED = toFunctionSelector('function CallFailed(uint256,address,bytes)');

/** Providers without trace methods. */
const traceless = new WeakSet<Provider>();

/**
 * Adds where and why a call failed, if a trace has more than the revert data. Never rejects; returns the input if
 * traces are missing or late.
 */
export async function inDepth(
  provider: Provider,
  clock: Pick<Clock, 'sleep'>,
  trial: Trial,
  revert: DecodedRevert,
): Promise<DecodedRevert> {
  if (revert.name !== 'CallFailed') return revert;
  const over = new AbortController();
  const late = clock.sleep(TRACE_TIMEOUT_MS, over.signal).then(() => undefined);
  const tracing = traced(sideOf(provider, 'traces', over.signal), trial);
  const frame = await Promise.race([tracing, late]).finally(() => over.abort());
  return frame === undefined ? revert : withInner(revert, frame, trial.unnamed);
}

export function withInner(revert: DecodedRevert, frame: CallFrame, unnamed: DecodedRevert['reason']): DecodedRevert {
  const { to, output = '0x' } = innermost(frame);
  const reason = revert.reason === unnamed ? (reasonInside(output) ?? revert.reason) : revert.reason;
  const at = to?.toLowerCase();
  if (at === undefined || revert.message.includes(at)) return { ...revert, reason };
  return { ...revert, reason, message: brief(`${shortened(revert.message)}; ${at} ${said(output)}`) };
}

function innermost(frame: CallFrame): CallFrame {
  const failed = frame.calls?.filter(({ error }) => error !== undefined).at(-1);
  return failed === undefined || !isPassedOn(frame, failed) ? frame : innermost(failed);
}

function shortened(message: string): string {
  return message.length > MAX_OUTER_CHARACTERS ? `${message.slice(0, MAX_OUTER_CHARACTERS)}…` : message;
}

/**
 * A caller that failed because of an inner call forwards its revert data or loses it; one that caught the failure
 * reverts with other data.
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
