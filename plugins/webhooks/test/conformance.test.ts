import { setTimeout as delay } from 'node:timers/promises';
import {
  type NotifierHarness,
  notifierConformance,
  type ReceivedEvent,
  type RecipientBehaviour,
  runConformance,
} from '@causeway/core/testing';
import { expect, it } from 'vitest';
import { Receiver, registered, SECRET } from './support/receiver.js';

const TOKEN = 'token-that-must-stay-secret';

async function makeHarness(): Promise<NotifierHarness> {
  const receiver = await Receiver.start();
  const received: ReceivedEvent[] = [];
  /** A body lacks the request id and has its number outside the payload. */
  const given = new Map<string, ReceivedEvent>();
  const special = new Map<string, RecipientBehaviour>();
  let behaviour: RecipientBehaviour = 'well';
  const { notifier, stop } = registered({
    endpoints: [{ url: `${receiver.url}?key=${TOKEN}`, headers: { authorization: TOKEN } }],
  });
  receiver.answers = ({ body, response }, request) => {
    const { id, ...rest } = JSON.parse(body) as { readonly id: string } & Record<string, unknown>;
    const one = given.get(id);
    const how = special.get(one?.requestId ?? '') ?? behaviour;
    if (how === 'hanging') return;
    if (how === 'fails') return void response.writeHead(503).end('not now');
    if (how === 'gone') return void response.writeHead(410).end();
    if (typeof how === 'object')
      return void response.writeHead(429, { 'retry-after': String(how.pauseMs / 1_000) }).end();
    const { sequence, ...payload } = rest;
    const known = one?.payload;
    const whole = typeof known === 'object' && known !== null && 'sequence' in known ? rest : payload;
    received.push({ id, requestId: one?.requestId ?? '', sequence: Number(sequence), payload: whole });
    if (how === 'lostReplies') request.socket.destroy();
    else response.writeHead(204).end();
  };
  return {
    lacks: {},
    notifier: {
      id: notifier.id,
      deliver: (event) => {
        given.set(event.id, event);
        return notifier.deliver(event);
      },
    },
    behave: (how, requestId) => {
      if (requestId !== undefined) return void special.set(requestId, how);
      receiver.refuses = how === 'unreachable';
      if (receiver.refuses) receiver.hangUp();
      behaviour = how;
    },
    received: () => received,
    timeoutMs: 600,
    pending: () => receiver.open.size,
    secrets: [TOKEN, SECRET],
    logged: () => '',
    pass: (ms) => delay(ms),
    dispose: async () => {
      await stop();
      await receiver.close();
    },
  };
}

it('passes the kit of notifiers', async () => {
  const report = await runConformance(notifierConformance, makeHarness, { on: 'webhooks', caseTimeoutMs: 10_000 });
  expect(report.cases.filter(({ outcome }) => outcome !== 'passed')).toEqual([]);
});
