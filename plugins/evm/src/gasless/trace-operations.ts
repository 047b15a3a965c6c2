import type { CallRevert } from '@causeway/core';
import type { Provider } from '@causeway/core/rpc';
import type { CheckDeps } from '../check.js';
import { type CallBook, explainTrace } from '../explain-call/explain-call.js';
import { readFailed } from '../explain-call/trace.js';
import { tracedCall, WITH_EVENTS } from '../explain-call/traced-call.js';
import { askedOf, type Trial } from '../try-call.js';
import { type EmittedLog, failedOperation } from './failed-operation.js';
import { isEntryPointOf } from './handle-ops.js';

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
  const frames = framesOf(await tracedCall(provider, clock, asked, WITH_EVENTS));
  const logs = frames.flatMap((one) => one.logs);
  const account = failedOperation(logs, (contract) => isEntryPointOf(trial.call, contract));
  if (account === undefined) return undefined;
  // One is explained: the callee chooses how many fail.
  const failed = frames.filter(({ frame }) => readFailed(frame) !== undefined);
  const cause = failed.find(({ frame }) => readFailed(frame)?.address === account) ?? failed[0];
  return explainTrace(cause?.frame, book)?.details;
}

interface Frame {
  readonly frame: unknown;
  readonly logs: readonly EmittedLog[];
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

function isLog(log: unknown): log is EmittedLog {
  const { address, topics, data } = (log ?? {}) as Readonly<Record<string, unknown>>;
  const texts = [address, data, ...(Array.isArray(topics) ? topics : [undefined])];
  return texts.every((text) => typeof text === 'string');
}
