import { ApiError, invalidRequest, payloadTooLarge } from '../../errors/api-error.js';
import type { IncomingMessage } from './http-types.js';

const MAX_BODY_BYTES = 256 * 1024;
/** Larger bodies are read up to here, so that the client sees the answer instead of a reset. */
const MAX_DISCARDED_BYTES = 8 * 1024 * 1024;

/** Some clients send it, and a parser may ignore it (RFC 8259, section 8.1). */
const BYTE_ORDER_MARK = 0xfeff;

const JSON_TYPE = /^application\/(?:[\w.+-]+\+)?json\s*(?:;|$)/i;

/**
 * Reads a JSON body. All client mistakes are catalogue errors; it never rejects.
 *
 * @param mayBeEmpty no body counts as one without fields.
 */
export async function readJson(
  request: IncomingMessage,
  mayBeEmpty: boolean,
): Promise<{ readonly value: unknown } | ApiError> {
  const raw = await readAll(request);
  if (raw instanceof ApiError) return raw;
  if (raw.length === 0 && mayBeEmpty) return { value: {} };
  if (!JSON_TYPE.test(request.headers['content-type'] ?? '')) {
    return invalidRequest('content-type', 'must be application/json');
  }
  const encoding = request.headers['content-encoding'];
  if (encoding !== undefined && encoding !== 'identity') return invalidRequest('content-encoding', 'is not supported');
  try {
    const text = raw.toString('utf8');
    return { value: JSON.parse(text.charCodeAt(0) === BYTE_ORDER_MARK ? text.slice(1) : text) as unknown };
  } catch {
    return invalidRequest('body', 'is not valid JSON');
  }
}

function readAll(request: IncomingMessage): Promise<Buffer | ApiError> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let size = 0;
    let done = false;
    const finish = (result: Buffer | ApiError) => {
      done = true;
      resolve(result);
    };
    request.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size <= MAX_BODY_BYTES) {
        chunks.push(chunk);
        return;
      }
      chunks.length = 0;
      if (size > MAX_DISCARDED_BYTES) {
        request.pause();
        finish(payloadTooLarge(MAX_BODY_BYTES));
      }
    });
    request.on('end', () => {
      if (size > MAX_BODY_BYTES) finish(payloadTooLarge(MAX_BODY_BYTES));
      else finish(chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks));
    });
    // Created lazily: `close` follows every request, and the stack of an error is expensive.
    const broken = () => {
      if (!done) finish(invalidRequest('body', 'ended too early'));
    };
    request.on('error', broken);
    request.on('close', broken);
  });
}
