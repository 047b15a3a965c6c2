import { ERROR_CATALOGUE, type ErrorCode } from './catalogue.js';

/** A call that a chain refused. */
interface FailedCall {
  readonly from: string;
  readonly to: string;
  readonly data: string;
  readonly value: string;
}

/** Body of every error answer. Public clients take the status from the body and the text from `message`. */
export interface ErrorBody {
  readonly message: string;
  readonly errorCode: ErrorCode;
  readonly statusCode: number;
  readonly retriable: boolean;
  readonly errorData?: unknown;
  readonly failedCallData?: FailedCall;
  readonly approxSimulatedBlock?: number;
}

/** What a chain refused, and about when. */
export interface Refused {
  readonly failedCallData?: FailedCall;
  /** Block. */
  readonly height?: number;
}

/** An answer that is an error, thrown by a request handler and turned into a body at the edge. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly code: ErrorCode;
  /** HTTP status. */
  readonly status: number;
  readonly retriable: boolean;
  /** JSON-serialisable context for the client; undefined when there is none. */
  readonly errorData: unknown;

  /** Undefined where a chain refused nothing. */
  readonly refused: Refused | undefined;

  /** Seconds to wait, told as `Retry-After`; undefined where nobody can say. */
  readonly retryAfter: number | undefined;

  /** @param retriable where this very refusal differs from its code. */
  constructor(
    code: ErrorCode,
    message?: string,
    errorData?: unknown,
    status?: number,
    refused?: Refused,
    retriable?: boolean,
    retryAfter?: number,
  ) {
    super(message ?? ERROR_CATALOGUE[code].message);
    this.code = code;
    this.status = status ?? ERROR_CATALOGUE[code].status;
    this.retriable = retriable ?? ERROR_CATALOGUE[code].retriable;
    this.errorData = errorData;
    this.refused = refused;
    this.retryAfter = retryAfter;
  }

  toBody(): ErrorBody {
    const { failedCallData, height } = this.refused ?? {};
    return {
      message: this.message,
      errorCode: this.code,
      statusCode: this.status,
      retriable: this.retriable,
      ...(this.errorData === undefined ? {} : { errorData: this.errorData }),
      ...(failedCallData === undefined ? {} : { failedCallData }),
      ...(height === undefined ? {} : { approxSimulatedBlock: height }),
    };
  }
}

/** An error of the catalogue, with its default message unless one is given. */
export function apiError(code: ErrorCode, message?: string, errorData?: unknown): ApiError {
  return new ApiError(code, message, errorData);
}

/** 400 for input that is malformed: names the field and what is wrong with it. */
export function invalidRequest(field: string, reason: string): ApiError {
  return new ApiError('INVALID_REQUEST', `${field}: ${reason}`, { field, reason });
}

/** An error that no later try of the same request avoids, whatever is usual for its code. */
export function finalError(code: ErrorCode, message: string, errorData?: unknown): ApiError {
  return new ApiError(code, message, errorData, undefined, undefined, false);
}

/** An error that is over by itself. @param seconds until the same request is worth another try. */
export function laterError(code: ErrorCode, message: string, seconds: number): ApiError {
  return new ApiError(code, message, undefined, undefined, undefined, undefined, seconds);
}

/** 413: same code as other malformed input, the status tells the difference (decision 22). */
export function payloadTooLarge(limitBytes: number): ApiError {
  const reason = `larger than ${limitBytes} bytes`;
  return new ApiError('INVALID_REQUEST', `The body is ${reason}`, { field: 'body', reason }, 413);
}
