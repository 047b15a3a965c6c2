import type { CallRevert, Hex, RevertFrame } from '@causeway/core';
import { brief } from '../brief.js';
import type { FailReason } from '../fail-reason.js';
import { reasonOfLeg } from './call-reasons.js';
import { decodeError, type ErrorMeaning } from './decode-error.js';
import type { ErrorRegistry } from './error-registry.js';
import { failingPath } from './failing-path.js';
import { OUT_OF_GAS } from './halts.js';
import { functionName } from './known-functions.js';
import type { ReadFrame } from './trace.js';

/** What makes a failure readable. */
export interface CallBook {
  readonly errors: ErrorRegistry;
  /** Names of contracts by address, lower case. */
  readonly contracts: ReadonlyMap<string, string>;
}

export interface ExplainedCall {
  readonly details: CallRevert;
  /** What the failure means; undefined: a plain revert. Never one upon which the engine acts. */
  readonly reason?: FailReason;
}

type Link = Omit<ReadFrame, 'calls'>;

/** Instead of a node's own words, which repeat the revert data in one form or another. */
const REVERTED = 'execution reverted';
const MAX_FRAMES = 32;
const MAX_WRAPPED = 8;

/**
 * Of an answer of `debug_traceCall` with `callTracer`. Untrusted: never throws, and its work and result are bounded.
 *
 * @returns undefined if it does not show a failed call.
 */
export function explainTrace(trace: unknown, book: CallBook): ExplainedCall | undefined {
  const path = failingPath(trace, book.errors);
  return path.length === 0 ? undefined : explained(path, book);
}

/**
 * Of the revert data alone, for nodes without traces: errors that name the failed call replace the trace.
 *
 * @param halt how the node words a failure without data.
 */
export function explainData(
  call: { readonly to: string; readonly data: Hex },
  data: Hex,
  book: CallBook,
  halt?: string,
): ExplainedCall {
  const selector = call.data.length < 10 ? undefined : (call.data.slice(0, 10).toLowerCase() as Hex);
  const error = data === '0x' ? halt : REVERTED;
  const top: Link = {
    ...{ type: 'CALL', address: call.to.toLowerCase(), output: data },
    ...(selector === undefined ? {} : { selector }),
    ...(error === undefined ? {} : { error }),
  };
  return explained([top], book);
}

function explained(calls: readonly Link[], { errors, contracts }: CallBook): ExplainedCall {
  const links = [...calls];
  const meanings = calls.map(({ output, error }) => decodeError(output, errors, error));
  for (let wrapped = 0; wrapped < MAX_WRAPPED; wrapped += 1) {
    const inner = meanings.at(-1)?.inner;
    if (inner === undefined) break;
    const { data: output, address } = inner;
    links.push({ type: 'CALL', output, ...(address === undefined ? {} : { address }) });
    meanings.push(decodeError(output, errors));
  }
  const frames = links.map((link, n) => frameOf(link, meanings[n], contracts));
  const path =
    frames.length <= MAX_FRAMES ? frames : [...frames.slice(0, MAX_FRAMES / 2), ...frames.slice(-MAX_FRAMES / 2)];
  const [topLevel, innermost, last] = [frames[0], frames.at(-1), meanings.at(-1)];
  if (topLevel === undefined || innermost === undefined || last === undefined) throw new Error('no call to explain');
  const details: CallRevert = { topLevel, innermost, path, revert: labelled(last, meanings) };
  const reason = reasonOfLeg(nearest(meanings, 'callReason'));
  return { details, ...(reason && { reason }) };
}

/**
 * A revert without a known text is labelled by the nearest caller whose error explains it. If the outermost call runs
 * out of gas, its limit was too low.
 */
function labelled({ error, reason }: ErrorMeaning, meanings: readonly ErrorMeaning[]): CallRevert['revert'] {
  const says = error.type === 'empty' ? error.label !== 'MISSING_REVERT_DATA' : error.type !== 'errorString';
  if (error.label === OUT_OF_GAS && meanings.length === 1) return { ...error, label: 'QUOTED_GAS_LIMIT_EXCEEDED' };
  if (reason !== undefined || says) return error;
  return { ...error, label: nearest(meanings, 'reason') ?? error.label };
}

function nearest<K extends 'reason' | 'callReason'>(
  meanings: readonly ErrorMeaning[],
  key: K,
): ErrorMeaning[K] | undefined {
  return meanings.findLast((meaning) => meaning[key] !== undefined)?.[key];
}

function frameOf(link: Link, meaning: ErrorMeaning | undefined, contracts: CallBook['contracts']): RevertFrame {
  const { type, address, selector, error, gasUsed } = link;
  const contract = address === undefined ? undefined : contracts.get(address);
  const called = functionName(selector);
  return {
    type,
    ...(address === undefined ? {} : { address }),
    ...(contract === undefined ? {} : { contract }),
    ...(called === undefined ? {} : { function: called }),
    ...(selector === undefined ? {} : { selector }),
    ...(error === undefined ? {} : { error: brief(error) }),
    ...(meaning === undefined || meaning.error.type === 'empty' ? {} : { revertReason: meaning.error.message }),
    ...(gasUsed === undefined ? {} : { gasUsed: gasUsed.toString() }),
  };
}
