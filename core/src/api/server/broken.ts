import { STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Logger } from '../../contract/observability.js';
import { ApiError } from '../../errors/api-error.js';
import { everyAnswer } from './outer.js';
import type { RequestIds } from './request-id.js';

export type BrokenRequest = Error & { readonly code?: string };

/**
 * Answers in the common form and closes the connection, but writes nothing into an answer in progress.
 *
 * @param isAnswering whether an answer to an earlier request of this connection is in progress.
 */
export function createBroken(deps: {
  readonly log: Logger;
  readonly requestIds: RequestIds;
  readonly isAnswering: (socket: Duplex) => boolean;
}): (error: BrokenRequest, socket: Duplex) => void {
  return (error, socket) => {
    if (error.code === 'ECONNRESET' || !socket.writable || deps.isAnswering(socket)) {
      socket.destroy();
      return;
    }
    const answer = meaning(error);
    const id = deps.requestIds(undefined);
    deps.log.info({ id, status: answer.status, code: error.code }, 'broken request');
    const body = JSON.stringify(answer.toBody());
    const headers = {
      ...everyAnswer(id),
      'Access-Control-Allow-Origin': '*',
      'Content-Type': 'application/json; charset=utf-8',
      'Content-Length': Buffer.byteLength(body).toString(),
      Connection: 'close',
    };
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
    const status = `HTTP/1.1 ${answer.status} ${STATUS_CODES[answer.status] ?? ''}`;
    socket.end([status, ...lines, '', body].join('\r\n'));
  };
}

function meaning(error: BrokenRequest): ApiError {
  const invalid = (reason: string, status: number) =>
    new ApiError('INVALID_REQUEST', `The request is ${reason}`, { field: 'request', reason }, status);
  if (error.code === 'HPE_HEADER_OVERFLOW') return invalid('larger in its headers than is accepted', 431);
  if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT') return invalid('not whole in time', 408);
  return invalid('not valid HTTP', 400);
}
