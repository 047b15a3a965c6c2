import { type IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Api } from '../api.js';

/**
 * Node passes every upgrade here, also one that a client merely offers (HTTP/2 without TLS): such a request is
 * answered over HTTP, which declines the protocol (RFC 9110, 7.8).
 */
export function createUpgrade(deps: {
  readonly handler: Api['handler'];
  readonly websocket: Api['upgrade'];
}): Api['upgrade'] {
  return (request, socket, head) => {
    if (request.headers.upgrade?.toLowerCase() === 'websocket') deps.websocket(request, socket, head);
    else decline(deps.handler, request, socket);
  };
}

function decline(handler: Api['handler'], request: IncomingMessage, socket: Duplex): void {
  const response = new ServerResponse(request);
  // The parser is detached: no further request can be read here.
  response.shouldKeepAlive = false;
  socket.on('error', () => response.destroy());
  response.assignSocket(request.socket);
  response.once('finish', () => socket.end());
  handler(request, response);
}
