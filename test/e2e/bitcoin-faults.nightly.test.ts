import { cpSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { first, only } from '@causeway/core/testing';
import { parseUnits } from 'viem';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { connectionOf } from '../../core/src/store/sqlite/connection.js';
import { closeDatabase, openDatabase } from '../../core/src/store/sqlite/open.js';
import { delivered, KINDS, settled, sideOf, worth } from '../support/families/bitcoin.js';
import type { RawTx } from '../support/families/bvm-blocks.js';
import type { BvmPayer, BvmSide } from '../support/families/bvm-side.js';
import { FamiliesWorld, type Order, type OwnOrder } from '../support/families/world.js';
import { until } from '../support/until.js';

let world: FamiliesWorld;

const READ_ONLY = 1;
/** Bytes are durable: before the node received them, and after. */
const CRASHES = ['chain.send.before', 'chain.send.after'] as const;

const payout = (to: BvmSide) => world.order({ from: world.evm, to, input: 'USDC', amount: parseUnits('500', 6) });

async function paid(to: BvmSide) {
  const order = await payout(to);
  await order.from.pay(order.payer, order.quote);
  return order;
}

/** In order, from a call on. */
function offered(side: BvmSide, from = 0): readonly string[] {
  const calls = world.proxy(side).calls.slice(from);
  return calls.filter(({ method }) => method === 'sendrawtransaction').map(({ params }) => String(params[0]));
}

async function signedBytes({ id }: BvmSide): Promise<readonly string[]> {
  const database = await openDatabase(world.database, READ_ONLY);
  try {
    const rows = await connectionOf(database).all('select bytes from attempts where chain_id = ? order by rowid', [id]);
    return rows.map((row) => String((row as { readonly bytes: unknown }).bytes));
  } finally {
    await closeDatabase(database);
  }
}

/** By the chain: exactly one transaction paid the order, as promised. */
async function filledOnce(order: Order): Promise<string> {
  await delivered(world, order);
  const { fills } = await order.to.history();
  const found = fills.filter(({ orderId }) => orderId === order.orderId).map(({ hash }) => hash);
  expect(found).toHaveLength(1);
  expect((await world.rest.status(order.requestId)).txHashes).toEqual(found);
  return found[0] ?? '';
}

/** Satoshis. */
async function feeOf({ node }: BvmSide, tx: RawTx): Promise<number> {
  const spent = await Promise.all(
    tx.vin.map(async ({ txid, vout = 0 }) => {
      const { vout: outputs } = await node.rpc<RawTx>('getrawtransaction', [txid, true]);
      return outputs[vout]?.value ?? 0;
    }),
  );
  const sum = (values: readonly number[]) => values.reduce((all, value) => all + Math.round(value * 1e8), 0);
  return sum(spent) - sum(tx.vout.map(({ value }) => value));
}

describe.skipIf(KINDS.length === 0)('a service that pays out on UTXO chains', () => {
  beforeAll(async () => {
    world = await FamiliesWorld.start({
      ...{ svm: 0, bvm: KINDS.map((kind) => ({ kind })), proxied: true, orderTtl: '300s' },
      // No collects: they would reach the crash points first.
      collectMinUsd: '1000000000',
    });
  });
  afterAll(() => world?.close());

  describe.each(KINDS)('%s', (kind) => {
    const side = () => sideOf(world, kind);
    afterEach(() => world.proxy(side()).heal());

    it('the node takes a fill and its answer is lost: it has it once', async () => {
      const proxy = world.proxy(side());
      const from = proxy.calls.length;
      proxy.plan = only('sendrawtransaction', first(1, 'dropAfter'));
      await filledOnce(await paid(side()));
      expect(proxy.faulted().map(({ method }) => method)).toContain('sendrawtransaction');
      expect(new Set(offered(side(), from)).size).toBe(1);
    });

    it('a fill that no block takes is replaced for more where nodes replace, else it lands as it is: once', async () => {
      const order = await paid(side());
      const sent = async () => (await side().sending())[0];
      const before = await until('the fill waits', sent);
      const fee = await feeOf(side(), before);
      // Blocks full of better paying transactions.
      world.proxy(side()).plan = ({ method }) =>
        method === 'estimatesmartfee' ? { result: { feerate: 0.0005, blocks: 2 } } : 'pass';
      if (side().node.network.rbf) {
        const after = await until(
          'the fill is replaced',
          async () => {
            await side().node.mineOnly([]);
            const tx = await sent();
            return tx !== undefined && tx.txid !== before.txid && tx;
          },
          { ms: 40_000, every: 200 },
        );
        const [anchor] = before.vin;
        expect(after.vin[0]).toMatchObject({ txid: anchor?.txid, vout: anchor?.vout });
        expect(await feeOf(side(), after)).toBeGreaterThan(fee);
        expect(await filledOnce(order)).toBe(after.txid);
      } else {
        for (let n = 0; n < 8; n += 1) await side().node.mineOnly([]);
        expect((await sent())?.txid).toBe(before.txid);
        expect(await filledOnce(order)).toBe(before.txid);
      }
    });
  });

  const plays = KINDS.flatMap((kind) => CRASHES.map((point) => ({ kind, point })));
  describe.each(plays)('$kind', ({ kind, point }) => {
    it(`kill -9 at ${point} and a restart send the very bytes that were durable, once`, async () => {
      const side = sideOf(world, kind);
      await world.service.kill();
      const before = new Set(await signedBytes(side));
      await world.boot({ CAUSEWAY_CRASH_AT: point });
      const from = world.proxy(side).calls.length;
      const order = await paid(side);
      expect(await world.service.end('at the crash point', 30_000)).toEqual({ code: null, signal: 'SIGKILL' });
      const durable = (await signedBytes(side)).filter((bytes) => !before.has(bytes));
      expect(durable).toHaveLength(1);
      expect(offered(side, from)).toEqual(point === 'chain.send.before' ? [] : durable);
      await world.boot();
      await filledOnce(order);
      expect(new Set(offered(side, from))).toEqual(new Set(durable));
    }, 90_000);
  });

  it('a database restored from before fills and refunds: none is paid a second time, and the next one is', async () => {
    const body = { referrer: 'debug-force-refund' };
    const played: { side: BvmSide; filled: Awaited<ReturnType<typeof payout>>; refund: OwnOrder<BvmPayer> }[] = [];
    for (const kind of KINDS) {
      const side = sideOf(world, kind);
      const refund = await world.order({ from: side, to: world.evm, amount: worth(side, 500), body });
      played.push({ side, filled: await payout(side), refund });
    }
    await settled(world);
    await world.service.stop();
    const data = dirname(world.database);
    const backup = `${data}-before`;
    cpSync(data, backup, { recursive: true });

    await world.boot();
    for (const { side, filled, refund } of played) {
      await filled.from.pay(filled.payer, filled.quote);
      await side.pay(refund.payer, refund.quote);
    }
    const paidOut = await Promise.all(
      played.map(async ({ side, filled, refund }) => {
        await filledOnce(filled);
        await world.becomes(refund, 'refund');
        return { back: await side.balance(refund.refundTo), sent: (await side.history()).sent.length };
      }),
    );
    await world.service.stop();

    rmSync(data, { recursive: true });
    cpSync(backup, data, { recursive: true });
    await world.boot();
    await until('the deposits are seen again', async () => {
      await Promise.all(world.sides.map((side) => side.advance()));
      const all = played.flatMap(({ filled, refund }) => [filled, refund]);
      const statuses = await Promise.all(all.map(({ requestId }) => world.rest.status(requestId)));
      return statuses.every(({ status }) => status !== 'waiting');
    });
    for (const [n, { side, filled, refund }] of played.entries()) {
      await filledOnce(await paid(side));
      await world.becomes(filled, 'success');
      await world.becomes(refund, 'refund');
      expect((await side.history()).sent).toHaveLength((paidOut[n]?.sent ?? 0) + 1);
      expect(await side.balance(filled.recipient)).toBe(filled.amountOut);
      expect(await side.balance(refund.refundTo)).toBe(paidOut[n]?.back);
    }
  }, 120_000);

  it('in the end the books balance, and the chains show nothing lost and nothing doubled', async () => {
    await settled(world);
    expect(await world.verdict()).toEqual([]);
  });
});
