import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { parseUnits } from 'viem';
import { afterEach, describe, expect, it } from 'vitest';
import { lacks } from '../../plugins/bvm/test/support/have-node.js';
import type { Payer } from '../support/families/side.js';
import { type Ask, type FamiliesTuning, FamiliesWorld, type Order } from '../support/families/world.js';
import { until } from '../support/until.js';
import { OldDatabase } from './families/old-database.js';

const GOAL_MS = 3_000;
const GENEROUS = 4;
/** Blocks in which earlier signed transactions may still land: far longer than the goal. */
const RUN_OUT_SLOTS = 182;
const SLOT_MS = 100;

let world: FamiliesWorld | undefined;

afterEach(async () => {
  await world?.close();
  world = undefined;
});

async function prepare(tuning: FamiliesTuning): Promise<FamiliesWorld> {
  world = await FamiliesWorld.prepare({ slotMs: SLOT_MS, collectMinUsd: '1000000000', ...tuning });
  return world;
}

function present(): FamiliesWorld {
  if (world === undefined) throw new Error('no world');
  return world;
}

function reachedAfter(log: string, point: string): number | undefined {
  const line = readFileSync(log, 'utf8')
    .split('\n')
    .find((text) => text.endsWith(` ${point}`));
  return line === undefined ? undefined : Number(line.split(' ')[0]);
}

interface Midway {
  quoted(): void;
}

async function killedAt<P extends Payer>(ask: Ask<P>, point: string | null, midway?: Midway): Promise<Order> {
  const here = present();
  await here.boot();
  const order = await until('a quote is given', () => here.order(ask), { ms: 60_000, every: 200 });
  await here.service.kill();
  midway?.quoted();
  if (point !== null) await here.boot({ CAUSEWAY_CRASH_AT: point });
  await order.from.pay(order.payer, order.quote);
  await until(
    'the service dies',
    async () => {
      await Promise.all(here.sides.map((side) => side.advance()));
      return !here.service.alive;
    },
    { ms: 60_000, every: 100 },
  );
  return order;
}

async function resumes(what: string, order: Order, point: string): Promise<number> {
  const here = present();
  const log = join(here.home.dir, 'reached');
  rmSync(log, { force: true });
  await here.boot({ CAUSEWAY_CRASH_LOG: log });
  await here.becomes(order, 'success', 90_000);
  await until('the point was passed', () => reachedAfter(log, point) !== undefined, { ms: 5_000, every: 50 });
  const ms = reachedAfter(log, point) ?? Number.POSITIVE_INFINITY;
  process.stdout.write(`recovery, ${what}: ${ms} ms from process start to ${point} (goal ${GOAL_MS} ms)\n`);
  await here.service.stop();
  return ms;
}

const usd = parseUnits('90', 6);
const soon = GOAL_MS * GENEROUS;

describe('after SIGKILL, work in flight between families resumes', { timeout: 240_000 }, () => {
  it('where messages run out, without a rest', async () => {
    const { evm, s } = await prepare({ svm: 1 });
    const out = { from: evm, to: s, input: 'USDC', output: 'USDC', amount: usd };
    const unseen = await killedAt(out, null);
    expect
      .soft(await resumes('a deposit for accounts that no process saw', unseen, 'chain.send.before'))
      .toBeLessThan(soon);
    const signed = await killedAt(out, 'chain.send.before');
    expect.soft(await resumes('signed bytes for accounts', signed, 'chain.send.before')).toBeLessThan(soon);
    const sent = await killedAt(out, 'chain.send.after');
    expect.soft(await resumes('a fill of accounts', sent, 'store.engine.track.before')).toBeLessThan(soon);
    const back = await killedAt({ ...out, from: s, to: evm }, null);
    expect
      .soft(await resumes('a deposit of accounts that no process saw', back, 'chain.send.before'))
      .toBeLessThan(soon);
    expect(await present().verdict()).toEqual([]);
  });

  it.skipIf(lacks('bitcoin'))('where money is outputs', async () => {
    const { evm, bvm } = await prepare({ svm: 0, bvm: [{ kind: 'bitcoin' }] });
    const [bitcoin] = bvm;
    if (bitcoin === undefined) throw new Error('no UTXO chain');
    const out = { from: evm, to: bitcoin, input: 'USDC', amount: usd };
    const unseen = await killedAt(out, null);
    expect
      .soft(await resumes('a deposit for outputs that no process saw', unseen, 'chain.send.before'))
      .toBeLessThan(soon);
    const signed = await killedAt(out, 'chain.send.before');
    expect.soft(await resumes('signed bytes of outputs', signed, 'chain.send.before')).toBeLessThan(soon);
    expect(await present().verdict()).toEqual([]);
  });
});

describe('a database that was restored, and no one said so', { timeout: 240_000 }, () => {
  it('rests until what its lost part signed has run out', async () => {
    const { evm, s, home } = await prepare({ svm: 1 });
    const old = new OldDatabase(home);
    // Signed and durable, so it may have been sent; missing in the restored database.
    const order = await killedAt(
      { from: evm, to: s, input: 'USDC', output: 'USDC', amount: usd },
      'chain.send.before',
      {
        quoted: () => old.keep(),
      },
    );
    old.restore();
    const ms = await resumes('a ledger that lost an attempt', order, 'chain.send.before');
    expect(ms).toBeGreaterThan(RUN_OUT_SLOTS * SLOT_MS);
    expect(await s.balance(order.recipient, 'USDC')).toBe(order.amountOut);
    expect(await present().verdict()).toEqual([]);
  });
});
