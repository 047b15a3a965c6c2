import { parseUnits } from 'viem';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { StatusEvents } from '../support/events.js';
import { delivered, KINDS, settled, sideOf, worth } from '../support/families/bitcoin.js';
import { FamiliesWorld, type Order } from '../support/families/world.js';
import { until } from '../support/until.js';

let world: FamiliesWorld;

/** Smaller values are decided in their block, others when final. */
const DEPTH = { finality: { tiers: [{ belowUsd: 2_000, depth: 0 }], depth: 3, finalityMs: 1_000 } };

/** Requests whose deposit stays vanished. */
async function gone(order: Order, txid: string): Promise<void> {
  const { status, data } = await world.rest.request(order.requestId);
  expect({ status, failReason: data.failReason }).toEqual({ status: 'failure', failReason: 'DEPOSIT_REORGED' });
  expect(data.inTxs.map((entry) => [entry.txHash, entry.status])).toEqual([[txid, 'failure']]);
}

describe.skipIf(KINDS.length === 0)('two nodes that were cut apart and meet again', () => {
  beforeAll(async () => {
    // No collects, to isolate the deposits.
    world = await FamiliesWorld.start({
      ...{ svm: 0, bvm: KINDS.map((kind) => ({ kind, pair: true, options: DEPTH })), collectMinUsd: '1000000000' },
    });
  });
  afterAll(() => world?.close());

  describe.each(KINDS)('%s', (kind) => {
    const side = () => sideOf(world, kind);
    const usd = (amount: number) => worth(side(), amount);

    // After a failed test, too.
    afterEach(() => side().rejoin());

    /** The other node's winning branch. */
    async function otherBranch(...blocks: readonly (readonly string[])[]): Promise<void> {
      for (const transactions of blocks) await side().rival.mineOnly(transactions);
      await side().rejoin();
    }

    it('a deposit that nothing was done for is filled once where the other branch has it, too', async () => {
      const order = await world.order({ from: side(), to: world.evm, amount: usd(6_000) });
      const events = await StatusEvents.of(world.rest.baseUrl, order.requestId);
      await side().part();
      const signed = await side().sign(order.payer, order.quote);
      const txid = await order.from.pay(order.payer, order.quote);
      const [lost = ''] = await side().node.mine();
      await included(order, await heightOf(lost));
      await otherBranch([], [signed], []);
      const { confirmations } = await side().node.rpc<{ confirmations: number }>('getblockheader', [lost]);
      expect(confirmations).toBe(-1);
      await delivered(world, order);
      expect((await world.rest.status(order.requestId)).inTxHashes).toEqual([txid]);
      expect(events.statuses).not.toContain('failure');
      events.close();
    });

    it('a deposit that waits again fails, and is filled once when a block has it', async () => {
      const order = await world.order({ from: side(), to: world.evm, amount: usd(6_000) });
      const events = await StatusEvents.of(world.rest.baseUrl, order.requestId);
      await side().part();
      const txid = await order.from.pay(order.payer, order.quote);
      const [lost = ''] = await side().node.mine();
      await included(order, await heightOf(lost));
      await otherBranch([], []);
      await events.came('failure');
      await gone(order, txid);
      expect(await side().node.pool()).toContain(txid);
      await delivered(world, order);
      expect(
        (await world.rest.request(order.requestId)).data.inTxs.map((entry) => [entry.txHash, entry.status]),
      ).toEqual([[txid, 'success']]);
      events.close();
    });

    it('a deposit that is double-spent while its fill is out costs one fill, and nothing more', async () => {
      const order = await world.order({ from: side(), to: world.evm, amount: usd(500), depositTakenAway: true });
      const events = await StatusEvents.of(world.rest.baseUrl, order.requestId);
      await side().part();
      await world.evm.chain.manual();
      try {
        const signed = await side().sign(order.payer, order.quote);
        const txid = await order.from.pay(order.payer, order.quote);
        await side().node.mine();
        await events.came('submitted');
        await until('the fill waits', async () => (await world.evm.waiting()) > 0);
        await otherBranch([await side().rivalOf(order.payer, signed)], []);
        await events.came('failure');
        await gone(order, txid);
        expect(await world.evm.balance(order.recipient, 'ETH')).toBe(0n);
        await world.evm.chain.automatic();
        await until('the fill lands', async () => (await world.evm.balance(order.recipient, 'ETH')) > 0n);
        await settled(world);
        expect(await world.evm.balance(order.recipient, 'ETH')).toBe(order.amountOut);
        await gone(order, txid);
      } finally {
        await world.evm.chain.automatic();
        events.close();
      }
    });

    it('a deposit that comes back after its fill landed is not filled again', async () => {
      const order = await world.order({ from: side(), to: world.evm, amount: usd(500) });
      const events = await StatusEvents.of(world.rest.baseUrl, order.requestId);
      await side().part();
      await order.from.pay(order.payer, order.quote);
      await side().node.mine();
      await events.came('success');
      await otherBranch([], []);
      await events.came('failure');
      await delivered(world, order);
      await settled(world);
      expect(await world.evm.balance(order.recipient, 'ETH')).toBe(order.amountOut);
      events.close();
    });

    it('a fill that falls out of the chain lands again, the same one, and the request stays a success', async () => {
      const order = await world.order({ from: world.evm, to: side(), input: 'USDC', amount: parseUnits('500', 6) });
      await side().part();
      await order.from.pay(order.payer, order.quote);
      const fill = await sent();
      const [lost = ''] = await side().node.mine();
      await until('the fill is seen', async () => (await world.rest.status(order.requestId)).status === 'success');
      await otherBranch([], []);
      expect(await side().balance(order.recipient)).toBe(0n);
      expect(await side().node.pool()).toContain(fill);
      expect((await world.rest.status(order.requestId)).status).toBe('success');
      await until('the fill lands again', async () => {
        await side().advance();
        return (await side().balance(order.recipient)) > 0n;
      });
      await delivered(world, order);
      expect((await world.rest.status(order.requestId)).txHashes).toEqual([fill]);
      expect(await side().node.rpc('getblockheader', [lost])).toMatchObject({ confirmations: -1 });
      await settled(world);
    });

    it('a refund that falls out of the chain lands again, once', async () => {
      const body = { referrer: 'debug-force-refund' };
      const order = await world.order({ from: side(), to: world.evm, amount: usd(500), body });
      await order.from.pay(order.payer, order.quote);
      // A refund needs finality.
      for (let n = 0; n < 4; n += 1) await side().node.mine();
      await side().part();
      const refund = await sent();
      await side().node.mine();
      expect(await side().balance(order.refundTo)).toBeGreaterThan(0n);
      await otherBranch([], []);
      expect(await side().balance(order.refundTo)).toBe(0n);
      const { txHashes } = await world.becomes(order, 'refund');
      expect(txHashes).toEqual([refund]);
      await settled(world);
    });

    /** Waits until the service knows the block of the deposit. */
    async function included(order: Order, height: number): Promise<void> {
      await until('the deposit is in a block', async () => {
        const { data } = await world.rest.request(order.requestId);
        return data.inTxs.some(({ block }) => block === height);
      });
    }

    async function heightOf(block: string): Promise<number> {
      return (await side().node.rpc<{ height: number }>('getblockheader', [block])).height;
    }

    async function sent(): Promise<string> {
      const [tx] = await until('the solver sends', async () => {
        const found = await side().sending();
        return found.length > 0 && found;
      });
      return tx?.txid ?? '';
    }
  });

  it('in the end the books balance, and the chains show nothing lost and nothing doubled', async () => {
    await settled(world);
    expect(await world.verdict()).toEqual([]);
  });
});
