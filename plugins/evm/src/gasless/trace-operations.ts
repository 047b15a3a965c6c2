import type { CallRevert } from '@causeway/core';
import type { Provider } from '@causeway/core/rpc';
import type { CheckDeps } from '../check.js';
import { type CallBook, explainTrace } from '../explain-call/explain-call.js';
import { tracedCall } from '../explain-call/traced-call.js';
import { askedOf, type Trial } from '../try-call.js';
import { failedOperation } from './failed-operation.js';

/** The called contracts choose the number of their calls. */
const MAX_FRAMES = 4_096;

/**
 * Why an ERC-4337 operation would fail within a call that passes. Undefined: none does, or the node has no traces with
 * events; the block of the call decides then. Never rejects.
 */
export async function failureWithin(
  provider: Provider,
  { clock }: Pick<CheckDeps, 'clock'>,
  book: CallBook,
  trial: Trial,
): Promise<CallRevert | undefined> {
  const asked = askedOf(trial, trial.most);
  const frames = framesOf(await tracedCall(provider, clock, asked, undefined, true));
  if (failedOperation({ logs: frames.flatMap(({ logs }) => logs) }) === undefined) return undefined;
  for (const { frame } of frames) {
    const explained = explainTrace(frame, book);
    if (explained !== undefined) return explained.details;
  }
  return undefined;
}

interface Frame {
  readonly frame: unknown;
  readonly logs: readonly { readonly topics: readonly `0x${string}`[]; readonly data: `0x${string}` }[];
}

/** Outer frames before inner ones. Untrusted: what is not well-formed is left out. */
function framesOf(trace: unknown): readonly Frame[] {
  const frames: Frame[] = [];
  const open: unknown[] = [trace];
  for (let frame = open.pop(); frame !== undefined && frames.length < MAX_FRAMES; frame = open.pop()) {
    if (typeof frame !== 'object' || frame === null) continue;
    const { calls, logs } = frame as { readonly calls?: unknown; readonly logs?: unknown };
    frames.push({ frame, logs: Array.isArray(logs) ? logs.filter(isLog) : [] });
    if (Array.isArray(calls)) open.push(...calls.slice(0, MAX_FRAMES).reverse());
  }
  return frames;
}

function isLog(log: unknown): log is Frame['logs'][number] {
  const { topics, data } = (log ?? {}) as { readonly topics?: unknown; readonly data?: unknown };
  return Array.isArray(topics) && topics.every((topic) => typeof topic === 'string') && typeof data === 'string';
}
