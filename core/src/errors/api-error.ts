import { ERROR_CATALOGUE, type ErrorCode } from './catalogue.js';

interface FailedCall {
  readonly from: string;
  readonly to: string;
  readonly data: string;
  readonly value: string;
}

/** Body of every error response. Public clients take the status from the body and the text from `message`. */
export interface ErrorBody {
  readonly message: string;
  readonly errorCode: ErrorCode;
  readonly statusCode: number;
  readonly retriable: boolean;
  readonly errorData?: unknown;
  readonly failedCallData?: FailedCall;
  readonly approxSimulatedBlock?: number;
}

/** A chain's refusal and its approximate block. */
export interface Refused {
  readonly failedCallData?: FailedCall;
  readonly height?: number;
}

export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly code: ErrorCode;
  readonly status: number;
  readonly retriable: boolean;
  /** JSON-serialisable context for the client, if any. */
  readonly errorData: unknown;

  readonly refused: Refused | undefined;

  readonly retryAfter: number | undefined;

  /** @param retriable overrides the code's default. */
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

export function apiError(code: ErrorCode, message?: string, errorData?: unknown): ApiError {
  return new ApiError(code, message, errorData);
}

export function invalidRequest(field: string, reason: string): ApiError {
  return new ApiError('INVALID_REQUEST', `${field}: ${reason}`, { field, reason });
}

/** An error that retrying never avoids, whatever its code's default. */
export function finalError(code: ErrorCode, message: string, errorData?: unknown): ApiError {
  return new ApiError(code, message, errorData, undefined, undefined, false);
}

/** A temporary error. @param seconds until a retry makes sense. */
export function laterError(code: ErrorCode, message: string, seconds: number): ApiError {
  return new ApiError(code, message, undefined, undefined, undefined, undefined, seconds);
}

/** 413: same code as other malformed input, distinguished by status (decision 22). */
export function payloadTooLarge(limitBytes: number): ApiError {
  const reason = `larger than ${limitBytes} bytes`;
  return new ApiError('INVALID_REQUEST', `The body is ${reason}`, { field: 'body', reason }, 413);
}
