import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { ReceivedEvent, RecipientBehaviour } from '@causeway/core/testing';

/** A web server that accepts or refuses events as the kit requests. It parses what `src/request.ts` writes: change both together. */
export interface Recipient {
  readonly url: string;
  behave(how: RecipientBehaviour, requestId?: string): void;
  received(): readonly ReceivedEvent[];
  pending(): number;
  close(): Promise<void>;
}

/** Parses the event in a request. */
function eventOf(_request: IncomingMessage, body: string): ReceivedEvent {
  const { id, requestId, sequence, payload } = JSON.parse(body) as ReceivedEvent;
  return { id, requestId, sequence, payload };
}

export async function openRecipient(): Promise<Recipient> {
  const received: ReceivedEvent[] = [];
  const open = new Set<ServerResponse>();
  const special = new Map<string, RecipientBehaviour>();
  let behaviour: RecipientBehaviour = 'well';
  const server = createServer((request, response) => {
    open.add(response);
    response.once('close', () => open.delete(response));
    bodyOf(request).then(
      (body) => answer(eventOf(request, body), response),
      () => response.destroy(),
    );
  });
  server.on('connection', (socket) => {
    if (behaviour === 'unreachable') socket.destroy();
  });

  const answer = (event: ReceivedEvent, response: ServerResponse): void => {
    const how = special.get(event.requestId) ?? behaviour;
    if (how === 'hanging') return;
    if (how === 'fails') return void response.writeHead(503).end('not now');
    if (how === 'gone') return void response.writeHead(410).end();
    if (typeof how === 'object')
      return void response.writeHead(429, { 'retry-after': String(how.pauseMs / 1_000) }).end();
    received.push(event);
    if (how === 'lostReplies') response.destroy();
    else response.writeHead(204).end();
  };

  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/events`,
    behave: (how, requestId) => {
      if (requestId !== undefined) return void special.set(requestId, how);
      behaviour = how;
      if (how === 'unreachable') server.closeAllConnections();
    },
    received: () => received,
    pending: () => open.size,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}
