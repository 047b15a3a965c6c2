import type { ExactJson } from '@causeway/core';

/** JSON pointers into an answer; absent: not sent. */
export interface Pointers {
  /** Smallest unit, decimal or hex after `0x`. */
  readonly amountIn?: string;
  readonly amountOut?: string;
  /** The call: contract, data and native coin sent along. */
  readonly to?: string;
  readonly data?: string;
  readonly value?: string;
  readonly spender?: string;
  readonly gas?: string;
  /** Block of the quote. */
  readonly height?: string;
  /** False: no route. */
  readonly available?: string;
  /** Error under a good status: any value except nothing, null, false, 0 and an empty text. */
  readonly error?: string;
}

/** Names in braces in `path` and the texts of `body` are replaced (fill-in.ts). */
export interface Ask {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  /** JSON of a POST. A text `answer:<pointer>` is replaced by that part of the answer to the quote. */
  readonly body?: ExactJson;
  readonly read: Pointers;
}

export interface Way {
  readonly quote: Ask;
  /** Requests the calls once the recipient is known. Absent: the quote is repeated, and has them. */
  readonly build?: Ask;
}

export interface Shape {
  readonly exactInput?: Way;
  readonly exactOutput?: Way;
  readonly native: string;
  /** `payer`: the caller gets the output, and an added call passes it on. */
  readonly pays: 'recipient' | 'payer';
}
