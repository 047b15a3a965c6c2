import { parseEther } from 'viem';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { AT_NIGHT } from '../support/at-night.js';
import { OddReceiver } from '../support/odd-receiver.js';
import { sleep, until } from '../support/until.js';
import { pay } from '../support/wallet.js';
import { type Arrival, reportedIn, verify } from '../support/webhook-receiver.js';
import type { Order, World } from '../support/world.js';
import { type Member, PgWorld } from './support/pg-world.js';

const SECRET = `whsec_${Buffer.alloc(32, 4).toString('base64')}`;
const STATEMENT_MS = 30_000;
const LEASE_MS = 3_000;
const OUTAGE_MS = AT_NIGHT ? 60_000 : 12_000;

let pg: PgWorld;
let world: World;
let receiver: OddReceiver;

beforeAll(async () => {
  receiver = await OddReceiver.start();
  const endpoints = [{ name: 'shop', url: receiver.url, secrets: ['file:keys/webhooks'] }];
  pg = await PgWorld.prepare(2, STATEMENT_MS, {
    collectMinUsd: '1000000000',
    withPlugins: [{ use: '@causeway/plugin-webhooks', options: { endpoints } }],
  });
  ({ world } = pg);
  world.home.secret('keys/webhooks', SECRET);
  for (const member of pg.members) await member.boot();
}, 120_000);

afterAll(async () => {
  await pg?.close();
  receiver?.close();
});

beforeEach(() => {
  receiver.manner = 'takes';
});

const of = ({ requestId }: Order): readonly Arrival[] =>
  receiver.arrivals.filter((one) => reportedIn(one).data.requestId === requestId);
const firsts = (order: Order): readonly number[] => [...new Set(of(order).map((one) => reportedIn(one).sequence))];

async function order(via: Member = pg.member(0)): Promise<Order> {
  return until('a quote is given', async () => {
    await world.finalise();
    return world.order({ amount: parseEther('0.5') }, via.rest);
  });
}

/** All events of a request up to its success, in order, verified with the library. */
async function reportedInOrder(one: Order): Promise<void> {
  await until(
    `the success of ${one.requestId} is told`,
    async () => {
      await world.finalise();
      return of(one).some((post) => reportedIn(post).data.status === 'success');
    },
    { ms: 60_000, every: 100, seen: () => firsts(one) },
  );
  expect(firsts(one)).toEqual(firsts(one).map((_, n) => n + 1));
  for (const post of of(one)) verify(SECRET, post);
}

it('some time without the database: what was not sent by then is reported after it, in order', async () => {
  const [before, within] = [await order(), await order()];
  receiver.manner = 'refuses';
  await pay(before.from, before.user, before.quote);
  await until('its first change is posted and refused', () => of(before).length > 0);
  await pay(within.from, within.user, within.quote);
  await Promise.all(pg.members.map(({ database }) => database.stop()));
  receiver.manner = 'takes';
  // In-flight posts may still arrive; without a commit nothing new is posted.
  await sleep(LEASE_MS);
  const posted = receiver.arrivals.length;
  await sleep(OUTAGE_MS - LEASE_MS);
  expect(receiver.arrivals).toHaveLength(posted);
  await Promise.all(pg.members.map(({ database }) => database.start()));
  await reportedInOrder(before);
  await reportedInOrder(within);
}, 180_000);

describe('one of two dispatchers that is stopped past its lease', () => {
  const stop = ({ service }: Member): void => void process.kill(service.pid, 'SIGSTOP');
  const resume = ({ service }: Member): void => void process.kill(service.pid, 'SIGCONT');
  /** The holder of the endpoint's shard, by its own logs: the last to post. */
  const shardsHeld = ({ service }: Member): number => {
    const held = new Set<string>();
    for (const line of service.output.split('\n')) {
      if (line.includes('"msg":"lease held"')) held.add((JSON.parse(line) as { scope: string }).scope);
      if (line.includes('"msg":"lease lost')) held.delete((JSON.parse(line) as { scope: string }).scope);
    }
    return [...held].filter((scope) => scope.startsWith('dispatch:')).length;
  };
  const holder = (): Promise<Member> =>
    until('one process holds all shards', () => pg.members.find((member) => shardsHeld(member) === SHARDS), {
      ms: 30_000,
    });
  const SHARDS = 8;

  it('within a delivery: the other one continues, and what the first one says later changes nothing', async () => {
    const first = await holder();
    const second = pg.members.find((member) => member !== first) as Member;
    const [slow, later] = [await order(second), await order(second)];
    receiver.manner = 'hangs';
    await pay(slow.from, slow.user, slow.quote);
    await until('its first change is on the way', () => of(slow).length > 0);
    stop(first);
    const stopped = receiver.arrivals.length;
    receiver.manner = 'takes';
    await pay(later.from, later.user, later.quote);
    await reportedInOrder(slow);
    await reportedInOrder(later);
    expect(receiver.arrivals.length).toBeGreaterThan(stopped);
    resume(first);
    // It learns that its lease has expired, and gets no response to its own post.
    await sleep(2 * LEASE_MS);
    const after = await order(second);
    await pay(after.from, after.user, after.quote);
    await reportedInOrder(after);
    for (const one of [slow, later]) {
      const ids = of(one).map((post) => reportedIn(post).sequence);
      expect(ids).toEqual([...ids].sort((a, b) => a - b));
    }
    expect(of(after).map((post) => reportedIn(post).sequence)).toEqual(firsts(after));
  }, 120_000);
});
