import { cutText } from '../domain/cut-text.js';

/** What a provider says is read for its meaning, stored and logged; what is longer says nothing more. */
const MOST_TEXT = 2_000;

/** The provider answered with an error of its own, a JSON-RPC error object or a 4xx: it understood the question and refused it. */
export class RpcError extends Error {
  override readonly name = 'RpcError';
  constructor(
    message: string,
    /** Of the JSON-RPC error; over paths, the HTTP status. */
    readonly code: number,
    /** Of the JSON-RPC error; over paths, the body. */
    readonly data: unknown,
  ) {
    super(cutText(message, MOST_TEXT));
  }
}

/**
 * `tooLarge`: the answer was longer than is read; a smaller question may be answered. `unwanted`: the one who asked waits no more, which
 * says nothing about the provider.
 */
export type TransportFailure = 'timeout' | 'network' | 'http' | 'rate' | 'malformed' | 'tooLarge' | 'unwanted' | 'none';

/** No answer worth the name arrived. What was asked may or may not have happened. Never carries a URL. */
export class TransportError extends Error {
  override readonly name = 'TransportError';
  constructor(
    message: string,
    readonly failure: TransportFailure,
  ) {
    super(cutText(message, MOST_TEXT));
  }
}

const RATE_LIMITED = /rate.?limit|too many requests|compute units|request limit|capacity exceeded|throttl/i;

/** Providers report throttling in many shapes; all of them mean "ask somebody else". */
export function isRateLimited(code: number, message: string): boolean {
  return code === 429 || code === -32005 || RATE_LIMITED.test(message.slice(0, MOST_TEXT));
}

/** True when another provider may know better: nothing was learnt from this one. */
export function isTransportError(error: unknown): error is TransportError {
  return error instanceof TransportError;
}
