import type { Clock } from '@causeway/core';
import type { Provider } from '@causeway/core/rpc';
import { brief } from './brief.js';
import { type ErrorRegistry, WELL_KNOWN } from './explain-call/error-registry.js';
import { failingPath } from './explain-call/failing-path.js';
import { tracedCall } from './explain-call/traced-call.js';
import { type DecodedRevert, reasonInside, said } from './reverts.js';
import { askedOf, type Trial } from './try-call.js';

const MAX_OUTER_CHARACTERS = 120;

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
  const trace = await tracedCall(provider, clock, askedOf(trial, trial.most));
  return withInner(revert, trace, trial.unnamed, trial.errors);
}

/** @param trace answer of `callTracer`; returns the input if it shows no failed call. */
export function withInner(
  revert: DecodedRevert,
  trace: unknown,
  unnamed: DecodedRevert['reason'],
  errors: ErrorRegistry = WELL_KNOWN,
): DecodedRevert {
  const innermost = failingPath(trace, errors).at(-1);
  if (innermost === undefined) return revert;
  const { address, output } = innermost;
  const reason = revert.reason === unnamed ? (reasonInside(output, errors) ?? revert.reason) : revert.reason;
  if (address === undefined || revert.message.includes(address)) return { ...revert, reason };
  const message = brief(`${shortened(revert.message)}; ${address} ${said(output, errors)}`);
  return { ...revert, reason, message };
}

function shortened(message: string): string {
  return message.length > MAX_OUTER_CHARACTERS ? `${message.slice(0, MAX_OUTER_CHARACTERS)}…` : message;
}
