import type { Context } from 'koa';
import type { ApiError } from '../../errors/api-error.js';
import type { Answer } from '../route.js';

const JSON_TYPE = 'application/json; charset=utf-8';

export function send(context: Context, answer: Answer): void {
  context.status = answer.status;
  context.res.setHeader('Content-Type', answer.contentType ?? JSON_TYPE);
  if (answer.headers) context.set(answer.headers);
  context.body = answer.contentType === undefined ? JSON.stringify(answer.body) : answer.body;
}

export function sendError(context: Context, error: ApiError, hasErrorField = false): void {
  if (error.retryAfter !== undefined) context.set('Retry-After', error.retryAfter.toString());
  const body = error.toBody();
  send(context, { status: error.status, body: hasErrorField ? { ...body, error: body.errorCode } : body });
}
