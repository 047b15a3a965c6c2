import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import type { Clock, Notifier, PluginContext } from '@causeway/core';
import {
  type NotifierHarness,
  notifierConformance,
  type ReceivedEvent,
  type RecipientBehaviour,
  runConformance,
} from '@causeway/core/testing';
import { expect, it } from 'vitest';
import { plugin } from '../fixtures/example-notifier-plugin/index.js';

const TOKEN = 'token-that-must-stay-secret';
const TIMEOUT_MS = 600;

const clock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  sleep: (ms, signal) => delay(ms, undefined, signal === undefined ? {} : { signal }).catch(() => undefined),
  every: () => () => undefined,
};

function registered(url: string): Notifier {
  const added: Notifier[] = [];
  const context = {
    id: 'example-notifier',
    options: { url, token: 'env:TOKEN', timeoutMs: TIMEOUT_MS },
    keys: { secret: () => TOKEN },
    notifiers: { add: (one: Notifier) => added.push(one) },
    clock,
  };
  plugin.register(context as unknown as PluginContext<Parameters<typeof plugin.register>[0]['options']>);
  const [notifier] = added;
  if (notifier === undefined) throw new Error('no notifier was added');
  return notifier;
}

async function makeHarness(): Promise<NotifierHarness> {
  const received: ReceivedEvent[] = [];
  const open = new Set<ServerResponse>();
  const special = new Map<string, RecipientBehaviour>();
  let behaviour: RecipientBehaviour = 'well';
  let refuseAll = false;
  const server: Server = createServer((request, response) => {
    open.add(response);
    response.once('close', () => open.delete(response));
    read(request).then(
      (body) => {
        const event = JSON.parse(body) as ReceivedEvent;
        answer(event, special.get(event.requestId) ?? behaviour, request, response);
      },
      () => response.destroy(),
    );
  });
  const answer = (
    event: ReceivedEvent,
    how: RecipientBehaviour,
    request: IncomingMessage,
    response: ServerResponse,
  ): void => {
    const { id, requestId, sequence, payload } = event;
    const take = (): void => void received.push({ id, requestId, sequence, payload });
    if (how === 'hanging') return;
    if (how === 'fails') return void response.writeHead(503).end('not now');
    if (how === 'gone') return void response.writeHead(410).end();
    if (typeof how === 'object')
      return void response.writeHead(429, { 'retry-after': String(how.pauseMs / 1000) }).end();
    take();
    if (how === 'lostReplies') request.socket.destroy();
    else response.writeHead(204).end();
  };
  server.on('connection', (socket) => {
    if (refuseAll) socket.destroy();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/events?key=${TOKEN}`;
  return {
    lacks: {},
    notifier: registered(url),
    behave: (how, requestId) => {
      if (requestId !== undefined) return void special.set(requestId, how);
      refuseAll = how === 'unreachable';
      if (refuseAll) server.closeAllConnections();
      behaviour = how;
    },
    received: () => received,
    timeoutMs: TIMEOUT_MS,
    pending: () => open.size,
    secrets: [TOKEN],
    logged: () => '',
    pass: (ms) => delay(ms),
    dispose: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}

async function read(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}

it('holds the example notifier against the kit', async () => {
  const report = await runConformance(notifierConformance, makeHarness, { on: 'HTTP POST', caseTimeoutMs: 10_000 });
  expect(report.cases.filter(({ outcome }) => outcome !== 'passed')).toEqual([]);
});
