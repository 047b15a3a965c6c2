import { type Agent, type ClientRequest, request as plain } from 'node:http';
import { request as secure } from 'node:https';
import type { LookupFunction } from 'node:net';
import type { Clock } from '@causeway/core';
import { LEADS_INSIDE } from '@causeway/core/http';

/** How long each phase may take, milliseconds from the beginning. */
export interface Timeouts {
  readonly connectMs: number;
  readonly answerMs: number;
  readonly totalMs: number;
}

export interface Post extends Timeouts {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly agent: Agent;
  readonly lookup: LookupFunction;
}

export type Answer =
  | { readonly ok: true; readonly status: number; readonly retryAfter: string | undefined; readonly body: string }
  /** `why` holds never a URL, a header or anything that the other side wrote. */
  | { readonly ok: false; readonly why: string };

/** An answer is read to its end, which keeps the connection, up to this; of a longer one nothing more is read. */
const MOST_BYTES = 64 * 1_024;
/** Of it so much is told. */
const MOST_TOLD = 1_024;

/** Given as the reason of an end, so that none is made for each. */
const DONE = 'done';

type Phase = 'connecting' | 'answering' | 'reading';

/** One POST and the head of its answer, bounded in time by phase. Follows no redirect. Never rejects. */
export function post({ url, headers, body, agent, lookup, ...limits }: Post, clock: Clock): Promise<Answer> {
  return new Promise((resolve) => {
    const over = new AbortController();
    let request: ClientRequest | undefined;
    const end = (answer: Answer, keeps = false): void => {
      if (over.signal.aborted) return;
      over.abort(DONE);
      if (!keeps) request?.destroy();
      resolve(answer);
    };
    let phase: Phase = 'connecting';
    void endInTime(limits, clock, over.signal, () => phase).then((why) => end({ ok: false, why }));
    const isSecure = url.protocol === 'https:';
    const own = { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(body)) };
    const all = { ...headers, ...own, 'accept-encoding': 'identity' };
    try {
      request = (isSecure ? secure : plain)(url, { method: 'POST', agent, lookup, headers: all });
    } catch {
      // A header with a character that no header may have.
      return end({ ok: false, why: 'it cannot be sent: look at the headers of the config' });
    }
    request.once('socket', (socket) => {
      const connected = (): void => {
        if (phase === 'connecting') phase = 'answering';
      };
      if (socket.connecting) socket.once(isSecure ? 'secureConnect' : 'connect', connected);
      else connected();
    });
    request.on('error', (error) => end({ ok: false, why: causeOf(error) }));
    request.once('response', (response) => {
      phase = 'reading';
      const status = response.statusCode ?? 0;
      let size = 0;
      let told = Buffer.alloc(0);
      const answer = (): Answer => {
        const body = told.toString('utf8').replaceAll('\0', '');
        return { ok: true, status, retryAfter: response.headers['retry-after'], body };
      };
      response.on('data', (chunk: Buffer) => {
        if (told.byteLength < MOST_TOLD) told = Buffer.concat([told, chunk.subarray(0, MOST_TOLD - told.byteLength)]);
        size += chunk.byteLength;
        if (size > MOST_BYTES) end(answer());
      });
      response.on('error', () => end({ ok: false, why: 'the answer broke off' }));
      response.once('end', () => end(answer(), true));
      response.once('close', () => end({ ok: false, why: 'the answer broke off' }));
    });
    request.end(body);
  });
}

/** One timer at a time, since nearly all end long before: most of what three of them cost is to take them back. */
async function endInTime(limits: Timeouts, clock: Clock, over: AbortSignal, phase: () => Phase): Promise<string> {
  const begun = clock.monotonic();
  const bounds: readonly (readonly [ms: number, why: string, isOver: () => boolean])[] = [
    [limits.connectMs, 'no connection', () => phase() === 'connecting'],
    [limits.answerMs, 'no answer', () => phase() !== 'reading'],
    [limits.totalMs, 'no whole answer', () => true],
  ];
  for (const [ms, why, isOver] of [...bounds].sort(([a], [b]) => a - b)) {
    await clock.sleep(Math.max(0, ms - (clock.monotonic() - begun)), over);
    if (over.aborted || isOver()) return `${why} within ${ms} ms`;
  }
  return 'no whole answer';
}

function causeOf(error: Error): string {
  const code = 'code' in error && typeof error.code === 'string' ? error.code : undefined;
  if (code === LEADS_INSIDE) return 'its name leads to an address of a private network';
  return code === undefined ? 'the connection failed' : `the connection failed: ${code}`;
}
