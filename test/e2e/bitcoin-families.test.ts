import { parseEther, parseUnits } from 'viem';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { StatusEvents } from '../support/events.js';
import { delivered, KINDS, refunded, settled, sideOf, worth } from '../support/families/bitcoin.js';
import type { RawTx } from '../support/families/bvm-blocks.js';
import type { Payer } from '../support/families/side.js';
import { type Ask, FamiliesWorld, type OwnOrder } from '../support/families/world.js';
import { until } from '../support/until.js';

let world: FamiliesWorld;

const TRADE_TYPES = ['EXACT_INPUT', 'EXACT_OUTPUT', 'EXPECTED_OUTPUT'] as const;

async function paid<P extends Payer>(ask: Ask<P>): Promise<OwnOrder<P>> {
  const order = await world.order(ask);
  await order.from.pay(order.payer, order.quote);
  return order;
}

async function transfer<P extends Payer>(ask: Ask<P>): Promise<OwnOrder<P>> {
  const order = await paid(ask);
  await delivered(world, order);
  return order;
}

describe.skipIf(KINDS.length === 0)('UTXO chains next to other families', () => {
  beforeAll(async () => {
    world = await FamiliesWorld.start({ svm: 1, bvm: KINDS.map((kind) => ({ kind })) });
  });
  afterAll(() => world?.close());

  describe.each(KINDS)('%s', (kind) => {
    const side = () => sideOf(world, kind);
    const usd = (amount: number) => worth(side(), amount);

    it('moves its coin to the other families, and theirs come back, at the price that was quoted', async () => {
      const there = await transfer({ from: side(), to: world.evm, amount: usd(1_000) });
      expect(there.amountOut).toBeLessThan(parseEther('0.5'));
      expect(there.amountOut).toBeGreaterThan(parseEther('0.49'));
      await transfer({ from: side(), to: world.s, output: 'USDC', amount: usd(1_000) });
      const back = await transfer({ from: world.evm, to: side(), amount: parseEther('0.5') });
      expect(back.amountOut).toBeLessThan(usd(1_000));
      expect(back.amountOut).toBeGreaterThan(usd(980));
      await transfer({ from: world.s, to: side(), input: 'USDC', amount: parseUnits('900', 6) });
    });

    it('sends its coin to another account on the same chain', async () => {
      const sent = await transfer({ from: side(), to: side(), amount: usd(400) });
      expect(sent.quote.details).toMatchObject({ operation: 'send' });
    });

    it.each(TRADE_TYPES)('%s: pays in and out what was asked', async (tradeType) => {
      const fixesInput = tradeType === 'EXACT_INPUT';
      const evm = { input: 'USDC', output: 'USDC' } as const;
      const amount = {
        there: fixesInput ? usd(300) : parseUnits('300', 6),
        back: fixesInput ? parseUnits('300', 6) : usd(300),
      };
      const [there, back] = await Promise.all([
        transfer({ from: side(), to: world.evm, output: evm.output, tradeType, amount: amount.there }),
        transfer({ from: world.evm, to: side(), input: evm.input, tradeType, amount: amount.back }),
      ]);
      expect(fixesInput ? there.amountIn : there.amountOut).toBe(amount.there);
      expect(fixesInput ? back.amountIn : back.amountOut).toBe(amount.back);
      const deposit = await side().node.rpc<RawTx>('getrawtransaction', [await depositOf(there), true]);
      expect(deposit.vout[0]?.value).toBe(Number(there.amountIn) / 1e8);
    });

    it('is pending as soon as a pool shows the deposit: the event comes before any block', async () => {
      const order = await world.order({ from: side(), to: world.evm, amount: usd(500) });
      const events = await StatusEvents.of(world.rest.baseUrl, order.requestId);
      const { node } = side();
      const before = await node.height();
      const txid = await order.from.pay(order.payer, order.quote);
      await events.came('pending');
      expect(await node.height()).toBe(before);
      expect(await node.pool()).toContain(txid);
      expect((await world.rest.status(order.requestId)).inTxHashes).toEqual([txid]);
      expect(await world.evm.balance(order.recipient, 'ETH')).toBe(0n);
      await delivered(world, order);
      await events.came('success');
      expect(events.statuses.filter((status, n, all) => status !== all[n - 1])).toEqual([
        ...['waiting', 'pending', 'submitted', 'success'],
      ]);
      events.close();
    });

    it('fails where the payer spends the same outputs otherwise before a block has the deposit: nothing is filled', async () => {
      const order = await world.order({ from: side(), to: world.evm, amount: usd(500) });
      const events = await StatusEvents.of(world.rest.baseUrl, order.requestId);
      const signed = await side().sign(order.payer, order.quote);
      const txid = await order.from.pay(order.payer, order.quote);
      await events.came('pending');
      const rival = await side().rivalOf(order.payer, signed);
      // With replace-by-fee the deposit leaves the mempool before any block.
      if (side().node.network.rbf) await side().node.rpc('sendrawtransaction', [rival]);
      await side().node.mineOnly([rival]);
      const seen = await until('the entry of the double-spent deposit', async () => {
        const record = await world.rest.request(order.requestId);
        return record.data.inTxs[0]?.status === 'failure' ? record : undefined;
      });
      // A block may reinclude it until the rival is final: clients stop at a failure.
      expect([seen.status, seen.data.failReason]).toEqual(['pending', null]);
      const { data } = await until('the record of the failure', async () => {
        await side().advance();
        const record = await world.rest.request(order.requestId);
        return record.status === 'failure' ? record : undefined;
      });
      await events.came('failure');
      expect(data.failReason).toBe('DOUBLE_SPEND');
      expect(data.inTxs.map((entry) => [entry.txHash, entry.status])).toEqual([[txid, 'failure']]);
      expect(data.outTxs).toEqual([]);
      expect(data.route.actual?.origin.inputCurrency?.amount).toBe(order.amountIn.toString());
      expect(data.route.actual?.origin.outputCurrency).toBeNull();
      expect(data.route.actual?.destination).toEqual(data.route.quoted.destination);
      await transfer({ from: side(), to: world.evm, amount: usd(100) });
      expect((await world.rest.status(order.requestId)).status).toBe('failure');
      expect(await world.evm.balance(order.recipient, 'ETH')).toBe(0n);
      events.close();
    });

    it('follows a payer who raises the fee: the same order, another transaction, and no failure is reported', async () => {
      const order = await world.order({ from: side(), to: world.evm, amount: usd(500) });
      const events = await StatusEvents.of(world.rest.baseUrl, order.requestId);
      const signed = await side().sign(order.payer, order.quote);
      const first = await order.from.pay(order.payer, order.quote);
      await events.came('pending');
      const raised = await side().raised(order.payer, signed);
      if (side().node.network.rbf) await side().node.rpc('sendrawtransaction', [raised]);
      await side().node.mineOnly([raised]);
      const status = await world.becomes(order, 'success');
      expect(status.txHashes).toHaveLength(1);
      expect(await world.evm.balance(order.recipient, 'ETH')).toBe(order.amountOut);
      const { data } = await world.rest.request(order.requestId);
      const { txid } = await side().node.rpc<RawTx>('decoderawtransaction', [raised]);
      expect(status.inTxHashes).toEqual([txid]);
      expect(new Map(data.inTxs.map((entry) => [entry.txHash, entry.status]))).toEqual(
        new Map([
          [first, 'failure'],
          [txid, 'success'],
        ]),
      );
      await events.came('success');
      expect(events.statuses).not.toContain('failure');
      events.close();
    });

    it('refunds out of the deposit’s own output', async () => {
      const order = await paid({
        ...{ from: side(), to: world.s, amount: usd(700), body: { referrer: 'debug-force-refund' } },
      });
      await refunded(world, order, (await world.becomes(order, 'refund')).failReason);
      const { txHashes, inTxHashes } = await world.rest.status(order.requestId);
      const refund = await side().node.rpc<RawTx>('getrawtransaction', [txHashes[0], true]);
      expect(refund.vin.map(({ txid, vout }) => `${txid}:${vout}`)).toContain(`${inTxHashes[0]}:0`);
    });

    it('refunds the second deposit of an order, once', async () => {
      const order = await transfer({ from: side(), to: world.evm, amount: usd(200) });
      // A wallet that pays the same order again from its remaining coins.
      const again = await side().payBy(order.payer, order.quote);
      const [child] = await until('the child is refunded', async () => {
        await side().advance();
        const found = await world.rest.children(order.requestId);
        return found.length === 1 && found[0]?.status === 'refund' ? found : undefined;
      });
      expect(child?.data.failReason).toBe('DOUBLE_SPEND');
      expect(child?.data.inTxs.map(({ txHash }) => txHash)).toEqual([again]);
      expect(await world.evm.balance(order.recipient, 'ETH')).toBe(order.amountOut);
      expect(await side().balance(order.refundTo)).toBeGreaterThan((order.amountIn * 9n) / 10n);
    });

    it('refunds what is half of what was quoted', async () => {
      const order = await world.order({ from: side(), to: world.evm, amount: usd(400) });
      await side().payBy(order.payer, order.quote, { value: order.amountIn / 2n });
      expect(await world.becomes(order, 'refund')).toMatchObject({ failReason: 'DEPOSITED_AMOUNT_TOO_LOW_TO_FILL' });
      const back = await side().balance(order.refundTo);
      expect(back).toBeGreaterThan((order.amountIn * 9n) / 20n);
      expect(back).toBeLessThan(order.amountIn / 2n);
      expect(await world.evm.balance(order.recipient, 'ETH')).toBe(0n);
    });

    it('refunds what names no order to any client that paid it', async () => {
      const order = await world.order({ from: side(), to: world.evm, amount: usd(400) });
      await side().payBy(order.payer, order.quote, { memo: '' });
      await side().advance();
      const after = await side().balance(order.payer.address);
      await until('it comes back', async () => {
        await side().advance();
        return (await side().balance(order.payer.address)) > after + (order.amountIn * 9n) / 10n;
      });
      expect((await world.rest.status(order.requestId)).status).toBe('waiting');
    });
  });

  it.skipIf(KINDS.length < 2)('moves coins between two chains of the family', async () => {
    const [bitcoin, litecoin] = [sideOf(world, 'bitcoin'), sideOf(world, 'litecoin')];
    await Promise.all([
      transfer({ from: bitcoin, to: litecoin, amount: worth(bitcoin, 800) }),
      transfer({ from: litecoin, to: bitcoin, amount: worth(litecoin, 800) }),
    ]);
  });

  it('in the end the books balance, and the chains show nothing lost and nothing doubled', async () => {
    await settled(world);
    expect(await world.verdict()).toEqual([]);
  });
});

async function depositOf({ requestId }: { readonly requestId: string }): Promise<string> {
  const [hash = ''] = (await world.rest.status(requestId)).inTxHashes;
  return hash;
}
