import { type Agent, type ClientRequest, type IncomingMessage, request as plain } from 'node:http';
import { request as secure } from 'node:https';
import type { Clock } from '@causeway/core';
import { LEADS_INSIDE, lookupOutside } from '@causeway/core/http';

export interface Asked {
  readonly method: 'GET' | 'POST';
  readonly url: URL;
  /** May hold keys. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** Milliseconds from the start, per phase. */
export interface Timeouts {
  readonly connectMs: number;
  /** Until the head of the answer. */
  readonly answerMs: number;
  /** Until its last byte. */
  readonly totalMs: number;
}

export interface Limits extends Timeouts {
  readonly maxBytes: number;
  /** Names may resolve to addresses of this machine and its network. */
  readonly allowInside: boolean;
}

export type Exchanged =
  | { readonly ok: true; readonly text: string }
  | {
      readonly ok: false;
      /**
       * `refused`: the request itself (4xx); `throttled`: too many requests; `stopped`: aborted here; `failed`:
       * anything else.
       */
      readonly is: 'refused' | 'throttled' | 'stopped' | 'failed';
      /** Never a URL, a header or text of the other side. */
      readonly why: string;
      readonly retryAfterMs?: number;
    };

/**
 * Time limit per phase, and a size limit. Redirects are failures, because headers carry keys, which must stay with
 * their host; so are compressed answers, whose size is unknown. Never rejects.
 */
export function exchange(
  asked: Asked,
  limits: Limits,
  agent: Agent,
  clock: Clock,
  signal: AbortSignal,
): Promise<Exchanged> {
  return new Promise((resolve) => {
    const over = new AbortController();
    let request: ClientRequest | undefined;
    const stop = (): void => end({ ok: false, is: 'stopped', why: 'no caller waits for it any more' });
    const end = (outcome: Exchanged): void => {
      if (over.signal.aborted) return;
      over.abort();
      signal.removeEventListener('abort', stop);
      if (!outcome.ok) request?.destroy();
      resolve(outcome);
    };
    const fail = (why: string): void => end({ ok: false, is: 'failed', why });
    const within = (ms: number, what: string): AbortController => {
      const phase = new AbortController();
      void clock.sleep(ms, AbortSignal.any([phase.signal, over.signal])).then(() => {
        if (!phase.signal.aborted) fail(`${what} within ${ms} ms`);
      });
      return phase;
    };
    if (signal.aborted) return stop();
    signal.addEventListener('abort', stop, { once: true });
    within(limits.totalMs, 'no whole answer');
    const answering = within(limits.answerMs, 'no answer');
    const connecting = within(limits.connectMs, 'no connection');
    const { body, url, method } = asked;
    const isSecure = url.protocol === 'https:';
    const length =
      body === undefined ? {} : { 'content-type': 'application/json', 'content-length': `${Buffer.byteLength(body)}` };
    try {
      request = (isSecure ? secure : plain)(url, {
        ...{
          method,
          agent,
          headers: { accept: 'application/json', 'accept-encoding': 'identity', ...length, ...asked.headers },
        },
        ...(limits.allowInside ? {} : { lookup: lookupOutside }),
      });
    } catch {
      return fail('the question could not be sent');
    }
    request.once('socket', (socket) => {
      if (!socket.connecting) return connecting.abort();
      socket.once(isSecure ? 'secureConnect' : 'connect', () => connecting.abort());
    });
    request.on('error', (error) => fail(causeOf(error)));
    request.once('response', (response) => {
      answering.abort();
      response.on('error', (error) => fail(causeOf(error)));
      const refusal = refusalOf(response);
      if (refusal) return end(refusal);
      return collect(response, limits.maxBytes, end);
    });
    request.end(body);
  });
}

/** Beyond the limit the rest is never read. */
function collect(response: IncomingMessage, maxBytes: number, end: (outcome: Exchanged) => void): void {
  const chunks: Buffer[] = [];
  let size = 0;
  response.on('data', (chunk: Buffer) => {
    size += chunk.byteLength;
    if (size > maxBytes) end({ ok: false, is: 'failed', why: `the answer is longer than ${maxBytes} bytes` });
    else chunks.push(chunk);
  });
  response.once('end', () => end({ ok: true, text: Buffer.concat(chunks).toString('utf8') }));
  response.once('close', () => end({ ok: false, is: 'failed', why: 'the answer broke off' }));
}

function refusalOf({ statusCode: status = 0, headers }: IncomingMessage): Exchanged | undefined {
  const why = `it answers with status ${status}`;
  if (status === 200) {
    const encoding = headers['content-encoding'] ?? 'identity';
    return encoding === 'identity'
      ? undefined
      : { ok: false, is: 'failed', why: 'it compresses what it was asked not to' };
  }
  const seconds = Number(headers['retry-after'] ?? Number.NaN);
  const after = Number.isFinite(seconds) && seconds > 0 ? { retryAfterMs: seconds * 1000 } : {};
  if (status === 429 || status === 503) return { ok: false, is: 'throttled', why, ...after };
  const isRefused = status === 400 || status === 404 || status === 422;
  return { ok: false, is: isRefused ? 'refused' : 'failed', why };
}

function causeOf(error: Error): string {
  const code = 'code' in error && typeof error.code === 'string' ? error.code : undefined;
  if (code === LEADS_INSIDE) return 'its name leads to an address of this network';
  return code ?? 'the connection failed';
}
