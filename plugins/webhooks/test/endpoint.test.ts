import { createHmac } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { event, type Post, REQUEST, Receiver, registered, SECRET } from './support/receiver.js';

const OLD = `whsec_${Buffer.alloc(24, 9).toString('base64')}`;

let receiver: Receiver;
const stops: (() => Promise<void>)[] = [];

beforeEach(async () => {
  receiver = await Receiver.start();
});
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
  await receiver.close();
});

function endpoint(...args: Parameters<typeof registered>) {
  const made = registered(...args);
  stops.push(made.stop);
  return made.notifier;
}

function postOf(n: number): Pick<Post, 'headers' | 'body'> {
  const post = receiver.posts[n];
  if (post === undefined) throw new Error(`there were ${receiver.posts.length} posts`);
  return post;
}

function isGenuine(secret: string, n = 0): boolean {
  const { headers, body } = postOf(n);
  const key = Buffer.from(secret.replace('whsec_', ''), 'base64');
  const signed = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${body}`;
  const expected = `v1,${createHmac('sha256', key).update(signed).digest('base64')}`;
  return String(headers['webhook-signature']).split(' ').includes(expected);
}

describe('what is posted', () => {
  it('is the event with its id and its number, compact, and serialises to itself', async () => {
    expect(await endpoint({ endpoints: [{ url: receiver.url }] }).deliver(event(3))).toMatchObject({
      outcome: 'delivered',
    });
    const [post] = receiver.posts;
    const parsed = JSON.parse(post?.body ?? '') as Record<string, unknown>;
    expect(parsed).toMatchObject({ event: 'request.status.updated', id: `${REQUEST}:3`, sequence: 3 });
    expect(parsed['data']).toMatchObject({ status: 'pending', details: 'ünï "x"' });
    expect(JSON.stringify(parsed)).toBe(post?.body);
    expect(post?.headers).toMatchObject({ 'content-type': 'application/json', 'webhook-id': `${REQUEST}:3` });
  });

  it('is signed by each secret, at the time of the attempt', async () => {
    const secrets = { 'env:OLD': OLD };
    const one = endpoint({ endpoints: [{ url: receiver.url, secrets: ['env:SECRET', 'env:OLD'] }] }, { secrets });
    await one.deliver(event());
    expect([isGenuine(SECRET), isGenuine(OLD), isGenuine(`whsec_${Buffer.alloc(32).toString('base64')}`)]).toEqual([
      ...[true, true, false],
    ]);
    const at = Number(receiver.posts[0]?.headers['webhook-timestamp']);
    expect(Math.abs(at - Date.now() / 1_000)).toBeLessThan(5);
  });

  it('is signed in the other form for receivers that serialise again what they parsed', async () => {
    const one = endpoint({ endpoints: [{ url: receiver.url, signatures: ['timestamped'] }] });
    await one.deliver(event());
    const { headers, body } = postOf(0);
    const again = JSON.stringify(JSON.parse(body));
    const expected = createHmac('sha256', SECRET).update(`${headers['x-signature-timestamp']}.${again}`).digest('hex');
    expect(headers['x-signature-sha256']).toBe(expected);
    expect(headers['webhook-signature']).toBeUndefined();
  });

  it('carries the headers of the config, with keys by reference', async () => {
    const headers = { authorization: 'env:TOKEN', 'x-team': 'payments' };
    const one = endpoint({ endpoints: [{ url: receiver.url, headers }] }, { secrets: { 'env:TOKEN': 'Bearer 1' } });
    await one.deliver(event());
    expect(receiver.posts[0]?.headers).toMatchObject({ authorization: 'Bearer 1', 'x-team': 'payments' });
  });

  it('is nothing where a header cannot be sent, and the reason does not report it', async () => {
    const one = endpoint(
      { endpoints: [{ url: receiver.url, headers: { 'x-key': 'env:TOKEN' } }] },
      {
        secrets: { 'env:TOKEN': 'a\nb' },
      },
    );
    expect(await one.deliver(event())).toEqual({
      ...{ outcome: 'retry', afterMs: 0, why: 'it cannot be sent: look at the headers of the config' },
    });
    expect(receiver.posts).toEqual([]);
  });

  it('is what was asked for alone; the rest counts as reported', async () => {
    const one = endpoint({ endpoints: [{ url: receiver.url, chains: [10], statuses: ['success'] }] });
    expect(await one.deliver(event())).toMatchObject({ outcome: 'delivered' });
    expect(await one.deliver(event(2, { status: 'success', destinationChainId: 99 }))).toEqual({
      outcome: 'delivered',
    });
    expect(receiver.posts).toHaveLength(0);
    await one.deliver(event(3, { status: 'success' }));
    expect(receiver.posts).toHaveLength(1);
  });
});

describe('an answer', () => {
  const answers = async (status: number, headers: Record<string, string> = {}) => {
    receiver.answers = ({ response }) => void response.writeHead(status, headers).end();
    return endpoint({ endpoints: [{ url: receiver.url }] }).deliver(event());
  };

  it.each([200, 201, 204, 299])('of %i is a delivery', async (status) => {
    expect(await answers(status)).toMatchObject({ outcome: 'delivered' });
  });

  it('of 410 means never again', async () => {
    expect(await answers(410)).toMatchObject({ outcome: 'gone', why: 'it answers 410' });
  });

  it.each([400, 404, 429, 500, 503])('of %i means later', async (status) => {
    expect(await answers(status)).toMatchObject({ outcome: 'retry', afterMs: 0, why: `it answers ${status}` });
  });

  it.each([301, 302, 307, 308])('of %i is not followed', async (status) => {
    const inner = await Receiver.start();
    expect(await answers(status, { location: inner.url })).toMatchObject({ outcome: 'retry' });
    expect(inner.posts).toEqual([]);
    await inner.close();
  });

  it('may ask for a pause, in seconds or by a date, of a day at most', async () => {
    expect(await answers(503, { 'retry-after': '120' })).toMatchObject({ afterMs: 120_000 });
    expect(await answers(503, { 'retry-after': '9999999' })).toMatchObject({ afterMs: 86_400_000 });
    const soon = await answers(503, { 'retry-after': new Date(Date.now() + 60_000).toUTCString() });
    expect(soon).toMatchObject({ outcome: 'retry' });
    expect((soon as { afterMs: number }).afterMs).toBeGreaterThan(55_000);
    expect(await answers(503, { 'retry-after': 'soon' })).toMatchObject({ afterMs: 0 });
  });

  it.each<[string, (response: Parameters<Receiver['answers']>[0]['response']) => void, string]>([
    ['that never comes', () => undefined, 'no answer within 500 ms'],
    [
      'that stops in the middle',
      (response) => void response.writeHead(200).write('{'),
      'no whole answer within 600 ms',
    ],
    [
      'that breaks off',
      (response) => void response.writeHead(200, { 'content-length': '9' }).write('x', () => response.destroy()),
      'the answer broke off',
    ],
  ])('%s is none', async (_, how, why) => {
    receiver.answers = ({ response }) => how(response);
    expect(await endpoint({ endpoints: [{ url: receiver.url }] }).deliver(event())).toMatchObject({
      outcome: 'retry',
      why,
    });
  });

  it('that never ends counts by its head, and nothing more of it is read', async () => {
    receiver.answers = ({ response }) => {
      response.writeHead(200);
      const more = (): void => {
        if (response.destroyed) return;
        response.write('x'.repeat(10_000));
        setImmediate(more);
      };
      more();
    };
    expect(await endpoint({ endpoints: [{ url: receiver.url }] }).deliver(event())).toMatchObject({
      outcome: 'delivered',
    });
  });
});
