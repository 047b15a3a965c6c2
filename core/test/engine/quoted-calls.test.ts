import { afterEach, beforeEach, expect, it } from 'vitest';
import { acceptCall } from '../../src/capabilities/gasless/accept-call.js';
import type { ExecutionObservation, Party } from '../../src/contract/index.js';
import { EVERY_LEG } from '../../src/contract/legs.js';
import { featureBit } from '../../src/domain/features.js';
import type { QuoteBody } from '../../src/domain/quote.js';
import { openLane } from '../../src/engine/recovery/open-lanes.js';
import { BALANCE, callAsk, EXECUTOR, free, MAX_COST, withExecutor } from './support/calls.js';
import { NOW, ORIGIN } from './support/quotes.js';
import { Scene } from './support/scene.js';
import { SIGNER } from './support/scripted-chain.js';

let scene: Scene;
let body: QuoteBody;
const blocked = new Set<string>();

beforeEach(async () => {
  blocked.clear();
  const screener = {
    id: 'list',
    screen: async (parties: readonly Party[]) =>
      parties.map(({ address, chainId }) =>
        chainId === ORIGIN && blocked.has(address)
          ? { blocked: true as const, reason: 'listed' }
          : { blocked: false as const },
      ),
  };
  scene = await Scene.open({}, [screener]);
  await withExecutor(scene);
  scene.origin.lanes = [
    { signer: SIGNER, sends: EVERY_LEG },
    { signer: EXECUTOR, sends: ['call'] },
  ];
  await openLane(scene.context, scene.origin, EXECUTOR);
  scene.context.read.set(ORIGIN, 101);
  body = await scene.quote(1);
  expect(await accept()).toEqual({ ok: true, requestId: body.requestId });
});
afterEach(() => scene.close());

async function accept() {
  const row = await scene.store.quote(body.requestId);
  if (row === undefined) throw new Error('the quote is stored');
  const ask = {
    ...callAsk(1),
    callees: ['delegate'],
    chainId: ORIGIN,
    requestId: body.requestId,
    quoted: { row, body },
  };
  return acceptCall(scene.context, ask, () => []);
}

const marked = async () => {
  const { status, failReason, features } = await scene.request(body);
  return [status, failReason, (features & featureBit('gasless_execution')) !== 0];
};
const lands = async (height: number, options: object, key = 'executor:0') => {
  scene.origin.lands(key, height, { fee: 9n, ...options });
  await scene.tracks(scene.origin, EXECUTOR);
};

it('makes the deposit of a quote, whose request then goes on as if the user had deposited', async () => {
  expect(await marked()).toEqual(['depositing', null, true]);
  expect(await accept()).toMatchObject({ ok: false, why: 'conflict' });
  expect(await free(scene)).toBe(BALANCE - MAX_COST);
  await scene.settles(scene.origin, EXECUTOR);
  expect(await marked()).toEqual(['depositing', null, true]);
  await lands(101, {});
  await scene.sees([scene.deposit(body, 'a')]);
  expect(await marked()).toEqual(['pending', null, true]);
  await lands(101, { final: true });
  expect([await marked(), await free(scene)]).toEqual([['pending', null, true], BALANCE - 9n]);
  await scene.settles(scene.destination);
  scene.destination.lands('filler:0', 501, { final: true });
  await scene.tracks(scene.destination);
  expect(await marked()).toEqual(['success', null, true]);
});

it('is not made where an account it authorizes is blocked meanwhile', async () => {
  blocked.add('delegate');
  await scene.settles(scene.origin, EXECUTOR);
  expect(scene.origin.prepared).toEqual([]);
  expect(await marked()).toEqual(['failure', 'BLOCKED_WALLET', false]);
  expect(await free(scene)).toBe(BALANCE);
});

it('is paid for where it makes an own execution, whether the lane or the watcher sees it first', async () => {
  const terms = { destination: { ...body.origin, currency: 'token', symbol: 'TOK' } };
  for (const [n, laneFirst] of [
    [2, true],
    [3, false],
  ] as const) {
    const before = await free(scene);
    body = await scene.quote(n, {
      ...{ ...terms, requestType: 'Same-chain Swap' },
      payerSwap: { fee: '1000', feeTo: SIGNER, appFees: [], sources: ['a-venue'] },
    });
    expect(await accept()).toEqual({ ok: true, requestId: body.requestId });
    await scene.settles(scene.origin, EXECUTOR);
    const key = `executor:${n - 1}`;
    const block = { height: 101, id: 'a-101', timestamp: NOW };
    const executed: ExecutionObservation = {
      ...{
        id: `${ORIGIN}:${n}:0`,
        chainId: ORIGIN,
        transactionHash: scene.origin.hashUnder(key),
        orderId: body.orderId,
      },
      ...{ payer: body.user, recipient: body.recipient, input: body.origin.currency, amountIn: 100_000n },
      ...{ output: 'token', amountOut: 98_500n, feeTo: SIGNER, fee: 1_000n, state: 'included', block },
    };
    const isSeen = [() => lands(101, {}, key), () => scene.sees([], { executions: [executed] })];
    for (const see of laneFirst ? isSeen : isSeen.reverse()) await see();
    const { status, features } = await scene.request(body);
    expect([status, (features & featureBit('gasless_swap')) !== 0]).toEqual(['success', true]);
    await lands(101, { final: true }, key);
    expect(await free(scene)).toBe(before - 9n);
  }
});

it('fails with a call that reverts, is not marked by it, and takes a deposit all the same', async () => {
  await scene.settles(scene.origin, EXECUTOR);
  await lands(101, { ok: false, final: true });
  expect((await marked()).slice(0, 1)).toEqual(['failure']);
  expect((await marked())[2]).toBe(false);
  expect(await free(scene)).toBe(BALANCE - 9n);
  await scene.sees([scene.deposit(body, 'a')]);
  expect(await marked()).toEqual(['pending', null, false]);
});

it('fails where the call lands without the deposit, once the chain was read that far', async () => {
  await scene.settles(scene.origin, EXECUTOR);
  scene.context.read.set(ORIGIN, 99);
  await lands(100, { final: true });
  expect([await marked(), await free(scene)]).toEqual([['depositing', null, true], BALANCE - MAX_COST]);
  scene.context.read.set(ORIGIN, 100);
  await scene.tracks(scene.origin, EXECUTOR);
  expect([await marked(), await free(scene)]).toEqual([['failure', 'UNKNOWN', false], BALANCE - 9n]);
});

it.each([true, false])('is not made while deposits of its chain are not read, in time for it: %s', async (inTime) => {
  scene.unread.set(ORIGIN, 'deposits are read up to block 100');
  await scene.settles(scene.origin, EXECUTOR);
  expect([scene.origin.prepared, await marked()]).toEqual([[], ['depositing', null, true]]);
  scene.now += inTime ? 60_000 : 121_000;
  if (inTime) scene.unread.clear();
  await scene.settles(scene.origin, EXECUTOR);
  expect(scene.origin.prepared).toHaveLength(inTime ? 1 : 0);
  const failed = ['failure', 'TRANSACTION_SUBMISSION_FAILED', false];
  expect(await marked()).toEqual(inTime ? ['depositing', null, true] : failed);
  expect(await free(scene)).toBe(inTime ? BALANCE - MAX_COST : BALANCE);
});

it('fails where it could not be sent in time, and takes nothing', async () => {
  scene.now += 200_000;
  await scene.settles(scene.origin, EXECUTOR);
  expect(await marked()).toEqual(['failure', 'TRANSACTION_SUBMISSION_FAILED', false]);
  expect(await free(scene)).toBe(BALANCE);
});
