import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { DepositBatch, ExecutionObservation, RevertedExecution } from '../../src/contract/index.js';
import { account } from '../../src/domain/accounts.js';
import { executes } from '../../src/domain/payer-swap.js';
import type { QuoteBody } from '../../src/domain/quote.js';
import { ingestExecutions } from '../../src/engine/deposits/executions.js';
import { RevertedExecutions } from '../../src/engine/deposits/reverted.js';
import { requestId } from '../../src/testing/store-fixtures.js';
import { NOW, ORIGIN, quoteBody } from './support/quotes.js';
import { Scene } from './support/scene.js';

const COIN = `coin-${ORIGIN}`;
const TOKEN = 'token';
const FEE = 1_000n;
const destination = { chainId: ORIGIN, currency: TOKEN, symbol: 'TOK', decimals: 6 };
const payerSwap = { fee: FEE.toString(), feeTo: 'filler', appFees: ['600'], sources: ['a-venue'] };

let scene: Scene;

async function quoted(n: number, over: Partial<QuoteBody> = {}): Promise<QuoteBody> {
  const { terms } = quoteBody(n);
  const fees = { ...terms, appFees: [{ recipient: 'shop', bps: 60 }] };
  return scene.quote(n, { destination, payerSwap, terms: fees, requestType: 'Same-chain Swap', ...over });
}

function execution(body: QuoteBody, name: string, over: Partial<ExecutionObservation> = {}): ExecutionObservation {
  const height = over.block?.height ?? 101;
  return {
    ...{ id: `${ORIGIN}:${name}:0`, chainId: ORIGIN, transactionHash: name, orderId: body.orderId },
    ...{ payer: body.user, recipient: body.recipient, input: COIN, amountIn: 100_000n, output: TOKEN },
    ...{ amountOut: 98_500n, feeTo: 'filler', fee: FEE, state: 'included' },
    block: { height, id: `a-${height}`, timestamp: NOW },
    ...over,
  };
}

const sees = (executions: readonly ExecutionObservation[], rewoundTo?: number) =>
  scene.sees([], { executions, ...(rewoundTo === undefined ? {} : { rewoundTo }) });
const statusOf = async (body: QuoteBody) => (await scene.request(body)).status;
const earned = async () => [
  -(await scene.pot(account.appFees(ORIGIN, 'shop', COIN))),
  -(await scene.pot(account.earned(ORIGIN, COIN))),
  await scene.pot(account.inflow(ORIGIN, COIN)),
];

beforeEach(async () => {
  scene = await Scene.open();
  const payerSwaps = { steps: () => [], account: () => 'account', cost: () => undefined };
  scene.origin.capabilities = { ...scene.origin.capabilities, payerSwaps };
});
afterEach(() => scene.close());

describe('what payers execute by themselves', () => {
  it('makes the request a success at once, with one transaction on both sides and nothing owed', async () => {
    const body = await quoted(1);
    await sees([execution(body, '0xaa')]);
    const [view] = await scene.store.views([body.requestId]);
    expect(view?.request).toMatchObject({ status: 'success', sender: 'user', fillTimeMs: 0, fundingKey: null });
    expect(JSON.parse(view?.request.actual ?? '')).toEqual({
      amountIn: '100000',
      currencyIn: COIN,
      amountOut: '98500',
    });
    expect(view?.transactions.map(({ role, hash, status }) => [role, hash, status]).sort()).toEqual([
      ['deposit', '0xaa', 'success'],
      ['fill', '0xaa', 'success'],
    ]);
    expect([view?.deposits, view?.legs]).toEqual([[], []]);
    expect((await scene.store.events(0, 9)).map(({ payload }) => JSON.parse(payload).data.status)).toEqual(['success']);
    expect(await earned()).toEqual([0n, 0n, 0n]);
  });

  it.each<[string, Partial<ExecutionObservation>]>([
    ['another payer', { payer: 'mallory' }],
    ['another recipient', { recipient: 'mallory' }],
    ['another input', { input: TOKEN }],
    ['another output', { output: COIN }],
    ['less than the least', { amountOut: 97_999n }],
    ['no fee', { fee: 0n }],
    ['a fee that is too small', { fee: FEE - 1n }],
    ['the fee for another recipient', { feeTo: 'mallory' }],
  ])('is ignored with %s', async (_, over) => {
    const body = await quoted(1);
    expect(executes(body, execution(body, '0xaa'))).toBe(true);
    await sees([execution(body, '0xaa', over)]);
    expect(await scene.store.request(body.requestId)).toBeUndefined();
    await sees([execution(body, '0xbb', { block: { height: 103, id: 'a-103', timestamp: NOW } })]);
    expect(await statusOf(body)).toBe('success');
  });

  it('is ignored for orders that are not executed by their payers, and for none at all', async () => {
    const body = await scene.quote(1);
    await sees([execution(body, '0xaa'), execution(quoteBody(7), '0xbb')]);
    expect(await scene.store.request(body.requestId)).toBeUndefined();
  });

  it('books the fee once, when it is final, and takes it from what came from outside', async () => {
    const body = await quoted(1);
    const one = execution(body, '0xaa');
    await sees([one]);
    await scene.finalises(101);
    expect(await earned()).toEqual([600n, 400n, FEE]);
    await sees([{ ...one, state: 'final' }]);
    await scene.finalises(110);
    expect(await earned()).toEqual([600n, 400n, FEE]);
    expect((await scene.store.executions([one.id]))[0]).toMatchObject({ state: 'final', fee: FEE });
    // First reported when final, as by a restarted watcher.
    const late = await quoted(2);
    await sees([execution(late, '0xbb', { state: 'final' })]);
    expect([await statusOf(late), ...(await earned())]).toEqual(['success', 1_200n, 800n, 2n * FEE]);
  });

  it('counts the first execution of an order, whatever follows it', async () => {
    const body = await quoted(1);
    const [first, second] = [execution(body, '0xaa'), execution(body, '0xbb')];
    await sees([first, second]);
    await sees([second]);
    await scene.finalises(101);
    expect((await scene.store.executionsOf([body.requestId])).map(({ id }) => id)).toEqual([first.id]);
    expect(await earned()).toEqual([600n, 400n, FEE]);
  });

  it('fails with the block that had it, and succeeds with the next one that has it', async () => {
    const body = await quoted(1);
    const one = execution(body, '0xaa');
    await sees([one]);
    await sees([], 100);
    expect(await scene.request(body)).toMatchObject({ status: 'failure', failReason: 'DEPOSIT_REORGED', actual: null });
    const gone = (await scene.store.views([body.requestId]))[0]?.transactions;
    expect(gone?.map(({ role, status }) => [role, status]).sort()).toEqual([
      ['deposit', 'failure'],
      ['failed', 'failure'],
    ]);
    await sees([{ ...one, block: { height: 105, id: 'b-105', timestamp: NOW } }]);
    expect(await scene.request(body)).toMatchObject({ status: 'success', failReason: null });
    await scene.finalises(105);
    expect(await earned()).toEqual([600n, 400n, FEE]);
  });

  it('stays a success where the same reorg brings it again, or another one that took its place', async () => {
    const [body, other] = [await quoted(1), await quoted(2)];
    await sees([execution(body, '0xaa'), execution(other, '0xbb')]);
    const block = { height: 102, id: 'b-102', timestamp: NOW };
    await sees([execution(body, '0xaa', { block }), execution(other, '0xcc', { block })], 100);
    expect([await statusOf(body), await statusOf(other)]).toEqual(['success', 'success']);
    const [row] = await scene.store.executions([`${ORIGIN}:0xaa:0`]);
    expect(row).toMatchObject({ blockId: 'b-102', state: 'included' });
    // The replaced execution returns as a second one.
    await sees([execution(other, '0xbb', { block: { ...block, height: 103 } })]);
    await scene.finalises(110);
    expect(await earned()).toEqual([1_200n, 800n, 2n * FEE]);
  });

  it('is judged again in another block, where its result may differ', async () => {
    const [body, other] = [await quoted(1), await quoted(2)];
    const one = execution(body, '0xaa');
    const block = { height: 102, id: 'b-102', timestamp: NOW };
    const moved = (over: Partial<ExecutionObservation>) => ({ ...one, block, ...over });
    for (const over of [{ fee: 0n }, { amountOut: 1n }, { orderId: other.orderId }, { payer: 'mallory' }]) {
      await sees([one], 100);
      expect(await statusOf(body)).toBe('success');
      await sees([moved(over)], 100);
      expect(await scene.request(body), JSON.stringify(Object.keys(over))).toMatchObject({ status: 'failure' });
      await sees([moved(over)]);
      expect(await statusOf(body)).toBe('failure');
    }
    await scene.finalises(110);
    expect(await earned()).toEqual([0n, 0n, 0n]);
    expect(await scene.store.request(other.requestId)).toBeUndefined();
  });

  it('leaves its place to another one of the batch that is what was quoted', async () => {
    const body = await quoted(1);
    const block = { height: 102, id: 'b-102', timestamp: NOW };
    await sees([execution(body, '0xaa')]);
    await sees([execution(body, '0xcc', { block }), execution(body, '0xaa', { block, fee: 0n })], 100);
    expect(await statusOf(body)).toBe('success');
    await scene.finalises(110);
    expect(await earned()).toEqual([600n, 400n, FEE]);
  });

  it('reports what came out in the block that has it by now', async () => {
    const body = await quoted(1);
    await sees([execution(body, '0xaa')]);
    const block = { height: 102, id: 'b-102', timestamp: NOW };
    await sees([execution(body, '0xaa', { block, amountIn: 99_000n, amountOut: 98_100n, fee: FEE + 5n })], 100);
    const { actual } = await scene.request(body);
    expect(JSON.parse(actual ?? '')).toMatchObject({ amountIn: '99000', amountOut: '98100' });
    await scene.finalises(110);
    expect(await earned()).toEqual([600n, 405n, FEE + 5n]);
  });

  it('is final by where it is now, however many others are reported before it', async () => {
    const body = await quoted(1);
    const one = execution(body, '0xaa');
    await sees([one]);
    const others = Array.from({ length: 150 }, (_, n) => execution(quoteBody(900 + n), `0xf${n}`));
    const [head, finalized] = [110, 105].map((height) => ({ height, id: `b-${height}`, timestamp: NOW }));
    if (head === undefined || finalized === undefined) return expect.unreachable();
    const executions = [...others, { ...one, block: head }];
    await ingestExecutions(scene.context, ORIGIN, {
      ...{ cursor: 'c', head, finalized, deposits: [], rewoundTo: 100 },
      executions,
    });
    expect([await statusOf(body), ...(await earned())]).toEqual(['success', 0n, 0n, 0n]);
    await sees([], 106);
    expect(await statusOf(body)).toBe('failure');
  });

  it('is played again after a crash without effect', async () => {
    const body = await quoted(1);
    const head = { height: 101, id: 'a-101', timestamp: NOW };
    const batch = { cursor: 'c', head, finalized: head, deposits: [], executions: [execution(body, '0xaa')] };
    for (let time = 0; time < 3; time += 1) await ingestExecutions(scene.context, ORIGIN, batch);
    expect(await earned()).toEqual([600n, 400n, FEE]);
    expect(await scene.store.events(0, 9)).toHaveLength(1);
  });

  // The store fails between execution and cursor; its block was replaced by the next read.
  it('is gone where a batch ended halfway and the next one, which reports no rewind, has no such block', async () => {
    const body = await quoted(1);
    const at = (height: number) => ({ height, id: `b-${height}`, timestamp: NOW });
    const upTo = (height: number, over: Partial<DepositBatch> = {}): DepositBatch => ({
      ...{ cursor: 'c', head: at(height), finalized: at(100), deposits: [] },
      ...over,
    });
    const one = execution(body, '0xaa', { block: at(104) });
    await ingestExecutions(scene.context, ORIGIN, upTo(104, { executions: [one], readFrom: 103 }));
    expect(await statusOf(body)).toBe('success');
    // Heights above the read ones are unknown.
    await ingestExecutions(scene.context, ORIGIN, upTo(106, { readFrom: 102, readTo: 103 }));
    expect(await statusOf(body)).toBe('success');
    await ingestExecutions(scene.context, ORIGIN, upTo(106, { executions: [one], readFrom: 103 }));
    expect(await statusOf(body)).toBe('success');
    await ingestExecutions(scene.context, ORIGIN, upTo(107, { finalized: at(105), readFrom: 103 }));
    expect([await statusOf(body), ...(await earned())]).toEqual(['failure', 0n, 0n, 0n]);
  });

  it('refunds what is paid into the depository under its order', async () => {
    const body = await quoted(1);
    const seen = scene.deposit(body, 'deposit', { depositor: 'user' });
    await scene.sees([seen]);
    const child = await scene.requestOf(seen);
    expect(child).toMatchObject({ parentRequestId: body.requestId, status: 'pending' });
    expect(await scene.leg(`refund:${seen.fundingKey}`)).toMatchObject({
      kind: 'refund',
      recipient: 'refund-recipient',
    });
    await sees([execution(body, '0xaa')]);
    expect(await statusOf(body)).toBe('success');
    expect(await scene.leg(`fill:${body.orderId}`)).toBeUndefined();
  });
});

describe('an execution that reverted', () => {
  const HASH = '0xdead';
  let reported: Map<string, RevertedExecution>;
  let asked: string[];

  beforeEach(() => {
    reported = new Map();
    asked = [];
    const chain = scene.origin as { revertedExecution?: (hash: string) => Promise<RevertedExecution | undefined> };
    chain.revertedExecution = async (hash) => {
      asked.push(hash);
      return reported.get(hash);
    };
  });

  const hint = (id: string, hash = HASH) =>
    scene.store.apply({
      name: 'hint',
      changes: [
        {
          ...{ op: 'insert', table: 'hints', ifAbsent: true },
          row: { id: `${ORIGIN}:${hash}`, chainId: ORIGIN, hash, requestId: id as `0x${string}`, createdAt: scene.now },
        },
      ],
    });
  const reverted = (body: QuoteBody, over: Partial<RevertedExecution> = {}): RevertedExecution => ({
    ...{ orderId: body.orderId, payer: body.user, final: true, message: 'BroughtShort(1, 2)' },
    block: { height: 101, id: 'a-101', timestamp: NOW },
    ...over,
  });
  const rounds = async (watch: RevertedExecutions, count = 1) => {
    for (let n = 0; n < count; n += 1) {
      scene.now += 61_000;
      await watch.round();
    }
  };

  it('is found by what a client reports, once it is final', async () => {
    const body = await quoted(1);
    await hint(body.requestId);
    const watch = new RevertedExecutions(scene.context, scene.origin);
    reported.set(HASH, reverted(body, { final: false }));
    await rounds(watch, 2);
    expect(await scene.store.request(body.requestId)).toBeUndefined();
    reported.set(HASH, reverted(body));
    await rounds(watch);
    const [view] = await scene.store.views([body.requestId]);
    expect(view?.request).toMatchObject({ status: 'failure', failReason: 'TRANSACTION_REVERTED' });
    expect(view?.request.details).toBe('BroughtShort(1, 2)');
    expect(view?.transactions).toMatchObject([{ role: 'deposit', hash: HASH, status: 'failure' }]);
    const before = asked.length;
    await rounds(watch, 3);
    expect(asked).toHaveLength(before);
    await sees([execution(body, '0xaa')]);
    expect(await scene.request(body)).toMatchObject({
      status: 'success',
      failReason: null,
      failed: null,
      details: null,
    });
  });

  it.each<[string, Partial<RevertedExecution>]>([
    ['names another order', { orderId: quoteBody(9).orderId }],
    ['was sent by another payer', { payer: 'mallory' }],
  ])('is no one else’s failure: a transaction that %s', async (_, over) => {
    const body = await quoted(1);
    await hint(body.requestId);
    reported.set(HASH, reverted(body, over));
    await rounds(new RevertedExecutions(scene.context, scene.origin), 3);
    expect(await scene.store.request(body.requestId)).toBeUndefined();
  });

  it('is not asked about for other requests, nor longer than it could be executed', async () => {
    const other = await scene.quote(1);
    await hint(other.requestId, '0x1');
    await hint(requestId(7), '0x2');
    const body = await quoted(2);
    await hint(body.requestId, '0x3');
    const watch = new RevertedExecutions(scene.context, scene.origin);
    await rounds(watch, 30);
    expect(new Set(asked)).toEqual(new Set(['0x3']));
    const before = asked.length;
    await rounds(watch, 5);
    expect(asked).toHaveLength(before);
  });

  it('is not asked about once the order was executed', async () => {
    const body = await quoted(1);
    await sees([execution(body, '0xaa')]);
    await hint(body.requestId);
    reported.set(HASH, reverted(body));
    await rounds(new RevertedExecutions(scene.context, scene.origin), 3);
    expect(asked).toEqual([]);
    expect(await statusOf(body)).toBe('success');
  });

  it('is found however many others are reported', async () => {
    const body = await quoted(1);
    for (let n = 0; n < 450; n += 1) await hint(requestId(1_000 + n), `0xf${n}`);
    await hint(body.requestId, '0xff');
    reported.set('0xff', reverted(body));
    const watch = new RevertedExecutions(scene.context, scene.origin);
    let rest = true;
    for (let n = 0; n < 9 && rest; n += 1) rest = await watch.round();
    expect(await statusOf(body)).toBe('failure');
  });
});
