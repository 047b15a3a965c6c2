import { createHmac } from 'node:crypto';
import type { OutboxEvent, RegisteredEndpoint } from '@causeway/core';
import { type NameSettings, Names } from '@causeway/core/http';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { NameServer } from '../../../test/support/name-server.js';
import { WebhookChannel } from '../src/http/channel.js';
import { clock, Receiver } from './support/receiver.js';

let receiver: Receiver;
let channel: WebhookChannel;

const random = { bytes: (length: number) => new Uint8Array(length).fill(3) };
const timeouts = { connectMs: 500, answerMs: 500, totalMs: 1_000 };
const everywhere = { isAllowed: () => true, ports: { has: () => true }, isLocal: true };

const named = (over: Partial<NameSettings> = {}) =>
  new Names({ isAllowed: () => false, readsHosts: false, timeoutMs: timeouts.connectMs, ...over }, clock);

beforeEach(async () => {
  receiver = await Receiver.start();
  channel = new WebhookChannel(
    { id: 'webhooks', rules: everywhere, names: named({ isAllowed: () => true, readsHosts: true }), timeouts },
    clock,
    random,
  );
});
afterEach(async () => {
  channel.close();
  await receiver.close();
});

const event = (n: number): OutboxEvent => ({
  ...{ position: n, id: `r:${n}`, requestId: 'r', sequence: n, kind: 'request.status.updated', createdAt: 1 },
  payload: { event: 'request.status.updated', data: { status: 'success' } },
});
const endpoint = (over: Partial<RegisteredEndpoint> = {}): RegisteredEndpoint => ({
  ...{
    id: 'we_1',
    owner: 'int-1',
    url: receiver.url,
    secrets: [channel.newSecret()],
    signatures: ['standard'],
    headers: {},
  },
  ...over,
});

describe('the channel of registered endpoints', () => {
  it('posts, signed by the secrets of the endpoint, and reports what was answered', async () => {
    receiver.answers = ({ response }) => void response.writeHead(202).end('ü'.repeat(2_000));
    const one = endpoint({ headers: { 'x-own': 'yes' } });
    const reported = await channel.deliver(event(1), one);
    expect(reported).toMatchObject({
      outcome: 'delivered',
      answer: { status: 202, body: expect.stringMatching(/^ü{512}$/) },
    });
    const [post] = receiver.posts;
    const key = Buffer.from(one.secrets[0].replace('whsec_', ''), 'base64');
    const { 'webhook-id': id, 'webhook-timestamp': at, 'webhook-signature': signature } = post?.headers ?? {};
    expect(signature).toBe(`v1,${createHmac('sha256', key).update(`${id}.${at}.${post?.body}`).digest('base64')}`);
    expect([id, post?.headers['x-own']]).toEqual(['r:1', 'yes']);
  });

  it('posts to an endpoint that changed as it is now', async () => {
    await channel.deliver(event(1), endpoint());
    await channel.deliver(event(2), endpoint({ headers: { 'x-own': 'later' } }));
    expect(receiver.posts.map(({ headers }) => headers['x-own'])).toEqual([undefined, 'later']);
  });

  it('reports what refused, too', async () => {
    receiver.answers = ({ response }) => void response.writeHead(500).end('broken');
    expect(await channel.deliver(event(1), endpoint())).toMatchObject({
      ...{ outcome: 'retry', why: 'it answers 500', answer: { status: 500, body: 'broken' } },
    });
  });

  it('refuses what nothing may be posted to, by the field that is wrong', async () => {
    const isAllowed = () => false;
    const strict = (names = named()) => {
      const rules = { isAllowed, ports: { has: (port: number) => port === 443 }, isLocal: false };
      return new WebhookChannel({ id: 'webhooks', rules, names, timeouts }, clock, random);
    };
    const refused = (url: string, headers = {}) => strict().refuse({ owner: 'int-1', url, headers });
    expect(await refused('https://10.0.0.1/')).toMatchObject({
      field: 'url',
      reason: expect.stringMatching(/private/),
    });
    expect(await refused('https://[::ffff:169.254.169.254]/')).toMatchObject({ field: 'url' });
    expect(await refused('http://93.184.216.34/')).toMatchObject({ field: 'url', reason: 'must use https' });
    expect(await refused('https://93.184.216.34:22/')).toMatchObject({ field: 'url' });
    expect(await refused('https://93.184.216.34/', { 'Webhook-Id': '1' })).toMatchObject({ field: 'headers' });
    expect(await refused('https://93.184.216.34/')).toBeUndefined();
    const answers = {
      'inside.example': ['10.0.0.1'],
      'outside.example': ['93.184.216.34'],
      'silent.example': 'silent',
    } as const;
    const server = await NameServer.start((name) => answers[name as keyof typeof answers] ?? 'unknown');
    const leading = (host: string) =>
      strict(named({ servers: [server.address] })).refuse({ owner: 'int-1', url: `https://${host}/`, headers: {} });
    const reason = 'its name leads to no address that may be posted to';
    for (const host of ['localhost', 'inside.example', 'unknown.example', 'silent.example'])
      expect(await leading(host), host).toEqual({ field: 'url', reason });
    expect(await leading('outside.example')).toBeUndefined();
    server.close();
  });
});
