import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { Context } from 'koa';
import { isRead } from './entity-tag.js';

/** Less than this is not worth the work: it fits into one packet as it is. */
const WORTH_BYTES = 1_400;

type Encoding = 'br' | 'gzip';
type Encode = (text: string) => Promise<Buffer>;

/** Levels at which half a megabyte of JSON takes a few milliseconds, off the event loop. */
const ENCODE: Readonly<Record<Encoding, Encode>> = {
  br: (text) =>
    promisify(brotliCompress)(text, {
      params: {
        [constants.BROTLI_PARAM_QUALITY]: 4,
        [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_TEXT,
        [constants.BROTLI_PARAM_SIZE_HINT]: Buffer.byteLength(text),
      },
    }),
  gzip: (text) => promisify(gzip)(text, { level: 5 }),
};

/**
 * Compresses the answer to a read, where the client accepts it. Never an answer that contains secrets: beside text that an
 * attacker chose, the compressed length tells of the secret (BREACH). So only routes that need no operator's key compress;
 * an integrator's key is sent as a header, which a foreign page cannot make a browser send, and is never in an answer.
 */
export async function encodeBody(
  context: Context,
  encode: (as: Encoding, text: string) => Promise<Buffer>,
): Promise<void> {
  const { body } = context;
  if (typeof body !== 'string' || body.length < WORTH_BYTES || !isRead(context)) return;
  context.vary('Accept-Encoding');
  // The smaller one first, whatever order a client happens to name them in.
  const as = (['br', 'gzip'] as const).find((one) => context.acceptsEncodings(one) === one);
  if (as === undefined) return;
  const type = context.response.get('Content-Type');
  context.body = await encode(as, body);
  // koa takes bytes for bytes of no type.
  context.res.setHeader('Content-Type', type);
  context.set('Content-Encoding', as);
}

/** Encodes every time anew. */
export function encodeAnew(as: Encoding, text: string): Promise<Buffer> {
  return ENCODE[as](text);
}

/** Keeps the last text in each encoding: what is answered to everybody alike, and counts against no rate, costs once. */
export function encodeOnce(): typeof encodeAnew {
  const last = new Map<Encoding, { readonly text: string; readonly encoded: Promise<Buffer> }>();
  return (as, text) => {
    const known = last.get(as);
    if (known?.text === text) return known.encoded;
    const encoded = encodeAnew(as, text);
    last.set(as, { text, encoded });
    return encoded;
  };
}
