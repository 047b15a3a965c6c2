import { cutText } from '../domain/cut-text.js';

/** Bounds provider texts, which are stored and logged. */
const MAX_MESSAGE_CHARACTERS = 2_000;

/** The provider understood the question and refused it: a JSON-RPC error object, or a 4xx. */
export class RpcError extends Error {
  override readonly name = 'RpcError';
  constructor(
    message: string,
    /** JSON-RPC error code, or HTTP status for REST. */
    readonly code: number,
    /** JSON-RPC error data, or body for REST. */
    readonly data: unknown,
  ) {
    super(cutText(message, MAX_MESSAGE_CHARACTERS));
  }
}

/** `tooLarge`: a smaller question may be answered. `unwanted`: the caller stopped waiting. */
export type TransportFailure = 'timeout' | 'network' | 'http' | 'rate' | 'malformed' | 'tooLarge' | 'unwanted' | 'none';

/** No valid answer arrived; the request may or may not have taken effect. Never carries a URL. */
export class TransportError extends Error {
  override readonly name = 'TransportError';
  constructor(
    message: string,
    readonly failure: TransportFailure,
  ) {
    super(cutText(message, MAX_MESSAGE_CHARACTERS));
  }
}

const RATE_LIMITED = /rate.?limit|too many requests|compute units|request limit|capacity exceeded|throttl/i;

export function isRateLimited(code: number, message: string): boolean {
  return code === 429 || code === -32005 || RATE_LIMITED.test(message.slice(0, MAX_MESSAGE_CHARACTERS));
}

/** True when nothing was learnt from this provider and another may answer. */
export function isTransportError(error: unknown): error is TransportError {
  return error instanceof TransportError;
}
