import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { Context } from 'koa';
import { isRead } from './entity-tag.js';

/** Smaller bodies fit into one packet without compression. */
const MIN_COMPRESSED_BYTES = 1_400;

type Encoding = 'br' | 'gzip';
type Encode = (text: string) => Promise<Buffer>;

/** At these levels half a megabyte of JSON takes a few milliseconds, off the event loop. */
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
 * Never compresses an answer with secrets: next to attacker-chosen text its length reveals them (BREACH). So only
 * routes without an operator's key compress; an integrator's key is a header that a foreign page cannot send, and is
 * never in an answer.
 */
export async function encodeBody(
  context: Context,
  encode: (as: Encoding, text: string) => Promise<Buffer>,
): Promise<void> {
  const { body } = context;
  if (typeof body !== 'string' || body.length < MIN_COMPRESSED_BYTES || !isRead(context)) return;
  context.vary('Accept-Encoding');
  // Prefers br, whatever the order of the client.
  const as = (['br', 'gzip'] as const).find((one) => context.acceptsEncodings(one) === one);
  if (as === undefined) return;
  const type = context.response.get('Content-Type');
  context.body = await encode(as, body);
  // For a buffer koa sets no type.
  context.res.setHeader('Content-Type', type);
  context.set('Content-Encoding', as);
}

export function encodeEachTime(as: Encoding, text: string): Promise<Buffer> {
  return ENCODE[as](text);
}

/** Caches the last text in each encoding, for unmetered answers that are the same for every client. */
export function encodeOnce(): typeof encodeEachTime {
  const last = new Map<Encoding, { readonly text: string; readonly encoded: Promise<Buffer> }>();
  return (as, text) => {
    const known = last.get(as);
    if (known?.text === text) return known.encoded;
    const encoded = encodeEachTime(as, text);
    last.set(as, { text, encoded });
    return encoded;
  };
}
