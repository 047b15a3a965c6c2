import { TransportError } from '@causeway/core/rpc';

const MAX_BYTES = 8 * 1024 * 1024;

/** `name` appears in errors, as the URL may contain secrets. */
export interface Source {
  readonly url: string;
  readonly name: string;
  readonly timeoutMs: number;
}

/**
 * Undefined for 404.
 *
 * @throws TransportError that never shows the URL.
 */
export async function getText({ url, name, timeoutMs }: Source): Promise<string | undefined> {
  let response: Response;
  let body: string;
  try {
    response = await fetch(url, { signal: AbortSignal.timeout(timeoutMs) });
    body = await limited(response, name);
  } catch (error) {
    if (error instanceof TransportError) throw error;
    const late = error instanceof Error && (error.name === 'TimeoutError' || error.name === 'AbortError');
    // The cause may contain the URL.
    throw late
      ? new TransportError(`${name}: no answer within ${timeoutMs} ms`, 'timeout')
      : new TransportError(`${name}: connection failed`, 'network');
  }
  if (response.status === 404) return undefined;
  if (response.status === 429) throw new TransportError(`${name}: throttled (429)`, 'rate');
  if (!response.ok) throw new TransportError(`${name}: HTTP status ${response.status}`, 'http');
  return body;
}

/** Bounds untrusted response sizes. */
async function limited(response: Response, name: string): Promise<string> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of response.body ?? []) {
    length += chunk.length;
    if (length > MAX_BYTES) throw new TransportError(`${name}: sent far too long an answer`, 'malformed');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}
