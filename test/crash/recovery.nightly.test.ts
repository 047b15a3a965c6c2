import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { parseEther } from 'viem';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sleep } from '../support/until.js';
import { pay } from '../support/wallet.js';
import { type Order, World } from '../support/world.js';

const GOAL_MS = 3_000;
const GENEROUS = 4;

let world: World;

beforeAll(async () => {
  world = await World.prepare({ collectMinUsd: '1000000000' });
});

afterAll(async () => {
  await world?.close();
});

function reachedAfter(log: string, point: string): number | undefined {
  const line = readFileSync(log, 'utf8')
    .split('\n')
    .find((text) => text.endsWith(` ${point}`));
  return line === undefined ? undefined : Number(line.split(' ')[0]);
}

async function killedAt(point: string | null): Promise<Order> {
  await world.boot(point === null ? {} : { CAUSEWAY_CRASH_AT: point });
  const order = await world.order({ amount: parseEther('1') });
  if (point === null) await world.service.kill();
  await pay(order.from, order.user, order.quote);
  expect(await world.service.end('at the crash point', 15_000)).toEqual({ code: null, signal: 'SIGKILL' });
  return order;
}

describe('after SIGKILL, work in flight resumes', () => {
  it.each([
    ['a deposit that no process saw', null, 'chain.send.before'],
    ['a decided fill that was not signed', 'chain.check.before', 'chain.send.before'],
    ['signed bytes that were not sent', 'chain.send.before', 'chain.send.before'],
    ['a fill that was sent and not recorded', 'chain.send.after', 'store.engine.track.before'],
  ])('%s', async (what, point, resumes) => {
    const order = await killedAt(point);
    const log = join(world.home.dir, 'reached');
    rmSync(log, { force: true });
    await world.boot({ CAUSEWAY_CRASH_LOG: log });
    await world.becomes(order, 'success');
    await sleep(50);
    const ms = reachedAfter(log, resumes);
    process.stdout.write(`recovery, ${what}: ${ms} ms from process start to ${resumes} (goal ${GOAL_MS} ms)\n`);
    expect(ms).toBeLessThan(GOAL_MS * GENEROUS);
    await world.service.stop();
  });

  it('and nothing was lost or doubled', async () => {
    expect(await world.verdict()).toEqual([]);
  });
});
