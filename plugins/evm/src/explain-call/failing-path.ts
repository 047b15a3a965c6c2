import type { Hex } from '@causeway/core';
import { decodeError } from './decode-error.js';
import type { ErrorRegistry } from './error-registry.js';
import { isOutOfGas } from './halts.js';
import { type ReadFrame, readFailed } from './trace.js';

/** The called contracts choose the depth and number of their calls, so the number of examined calls is bounded. */
const MAX_DEPTH = 128;
const MAX_CANDIDATES = 8;
const MAX_COMPARED_BYTES = 1_024;
const SELECTOR_BYTES = 4;

/**
 * The chain of calls that failed because of each other, from the whole call to the one that failed first. An inner call
 * whose failure its caller caught is not the reason for the caller's own.
 *
 * @param trace answer of `callTracer`, untrusted. Empty: it does not show a failed call.
 */
export function failingPath(trace: unknown, errors: ErrorRegistry): readonly ReadFrame[] {
  const path: ReadFrame[] = [];
  let frame = readFailed(trace);
  while (frame !== undefined && path.length < MAX_DEPTH) {
    path.push(frame);
    frame = causeOf(frame, errors);
  }
  return path;
}

function causeOf(frame: ReadFrame, errors: ErrorRegistry): ReadFrame | undefined {
  const output = bytesOf(frame.output);
  const last = frame.calls.length - 1;
  let candidates = 0;
  for (let n = last; n >= 0 && candidates < MAX_CANDIDATES; n -= 1) {
    const inner = readFailed(frame.calls[n]);
    if (inner === undefined) continue;
    if (holds(output, inner.output) || (n === last && isBlamed(frame, inner, errors))) return inner;
    candidates += 1;
  }
  return undefined;
}

/**
 * A caller that fails because of its last call forwards or drops its revert data, or reports that a call failed. One that
 * caught the failure reverts with other data, or makes further calls.
 */
function isBlamed(outer: ReadFrame, inner: ReadFrame, errors: ErrorRegistry): boolean {
  if (outer.output === '0x') return !isOutOfGas(outer.error) || isOutOfGas(inner.error);
  return decodeError(outer.output, errors).passesOn;
}

function holds(outer: Buffer, inner: Hex): boolean {
  const sought = bytesOf(inner).subarray(0, MAX_COMPARED_BYTES);
  return sought.length >= SELECTOR_BYTES && outer.includes(sought);
}

function bytesOf(data: Hex): Buffer {
  return Buffer.from(data.slice(2), 'hex');
}
