import type { ExactJson } from '@causeway/core';

/** Where things are in an answer: JSON pointers. What has none is not told. */
export interface Pointers {
  /** Smallest unit, decimal or hex after `0x`. */
  readonly amountIn?: string;
  readonly amountOut?: string;
  /** The call: its contract, its data and the native coin sent along. */
  readonly to?: string;
  readonly data?: string;
  readonly value?: string;
  /** Who is to be approved for the input. */
  readonly spender?: string;
  readonly gas?: string;
  /** Block that it was quoted from. */
  readonly height?: string;
  /** False there means that there is no way. */
  readonly available?: string;
  /** Errors under a good status: anything there but nothing, null, false, 0 and an empty text. */
  readonly error?: string;
}

/** One question. Names in braces within `path` and the texts of `body` become what they stand for; see `fill-in.ts`. */
export interface Ask {
  readonly method: 'GET' | 'POST';
  /** Below the base URL. */
  readonly path: string;
  /** JSON of a POST. A text `answer:` and a pointer becomes what the answer to the quote has there. */
  readonly body?: ExactJson;
  readonly read: Pointers;
}

/** How a swap is asked for whose one side is fixed. */
export interface Way {
  readonly quote: Ask;
  /** Asked for the calls, once it is known whom they are for. Absent: the quote is asked again, and has them. */
  readonly build?: Ask;
}

export interface Shape {
  readonly exactInput?: Way;
  readonly exactOutput?: Way;
  /** How native coin is written. */
  readonly native: string;
  /** `payer`: what comes out is given to whoever makes the call, and a call of ours passes it on. */
  readonly pays: 'recipient' | 'payer';
}
