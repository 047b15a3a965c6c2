import { Readable } from 'node:stream';
import type { Context } from 'koa';
import type { PluginAnswer } from '../../contract/plugin-routes.js';
import type { ServerResponse } from '../server/http-types.js';
import { send } from '../server/send.js';

type Sent = Exclude<PluginAnswer, { readonly forward: string }>;

/** @param left called when the answer stays open: it no longer counts as in progress. */
export function sendPluginAnswer(context: Context, answer: Sent, left: (response: ServerResponse) => void): void {
  const { status = 200, headers = {} } = answer;
  if ('json' in answer) send(context, { status, body: answer.json });
  else if ('body' in answer) sendBytes(context, answer, status);
  else stream(context, answer, status, headers, left);
  if (!('stream' in answer)) setAll(context, headers);
}

function sendBytes(context: Context, answer: Extract<Sent, { readonly body: unknown }>, status: number): void {
  context.status = status;
  const { body } = answer;
  context.body = typeof body === 'string' ? body : Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  if (answer.contentType !== undefined) context.res.setHeader('Content-Type', answer.contentType);
  else if (body.length === 0) context.body = null;
  // Koa makes 204 of an empty body.
  context.status = status;
}

function stream(
  context: Context,
  { stream: chunks, contentType }: Extract<Sent, { readonly stream: unknown }>,
  status: number,
  headers: NonNullable<Sent['headers']>,
  left: (response: ServerResponse) => void,
): void {
  const { res } = context;
  context.respond = false;
  context.status = status;
  setAll(context, { ...headers, 'Content-Type': contentType });
  res.flushHeaders();
  left(res);
  if (context.method === 'HEAD') {
    res.end();
    return;
  }
  const source = Readable.from(chunks, { objectMode: false });
  res.once('close', () => source.destroy());
  source.once('error', () => res.destroy());
  source.pipe(res);
}

function setAll(context: Context, headers: NonNullable<Sent['headers']>): void {
  for (const [name, value] of Object.entries(headers))
    context.res.setHeader(name, typeof value === 'string' ? value : [...value]);
}
