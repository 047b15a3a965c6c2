import { afterEach, beforeEach, expect, it } from 'vitest';
import type { FillLeg } from '../../src/contract/legs.js';
import { legId } from '../../src/domain/accounts.js';
import { orderFate } from '../../src/engine/recovery/order-fate.js';
import { sinceOfDeposit, sinceOfLeg, sinceOfOrder } from '../../src/engine/recovery/since.js';
import { NOW, quoteBody } from './support/quotes.js';
import { Scene } from './support/scene.js';
import { SIGNER } from './support/scripted-chain.js';

const MARGIN = 600_000;
let scene: Scene;

beforeEach(async () => {
  scene = await Scene.open();
});

afterEach(async () => {
  await scene.close();
});

it('looks for the fill of an order from its quote on, of a child from that of its parent on', async () => {
  const body = await scene.quote(1);
  await scene.sees([scene.deposit(body, 'a')]);
  const request = await scene.request(body);
  const quoted = (await scene.store.quote(body.requestId))?.createdAt ?? 0;
  // A restored ledger sees the deposit later; the quote keeps its age.
  expect(request.createdAt).toBe(quoted);
  const sinceOf = (change: Partial<typeof request>) => sinceOfOrder(scene.context, { ...request, ...change });
  const { seenAt, blockTime } = await scene.depositRow({ fundingKey: '901:a:0' });
  const paid = Math.min(seenAt, blockTime ?? seenAt);
  expect(await sinceOf({})).toBe(Math.min(quoted, paid) - MARGIN);
  const child = { id: `0x${'c'.repeat(64)}`, parentRequestId: request.id, createdAt: quoted + 60_000 } as const;
  expect(await sinceOf(child)).toBe(Math.min(quoted, paid) - MARGIN);
  expect(await sinceOf({ ...child, parentRequestId: `0x${'d'.repeat(64)}` })).toBe(0);
  // A clock an hour ahead dates the promise after its payment and fill.
  expect(await sinceOf({ createdAt: quoted + 3_600_000 })).toBe(paid - MARGIN);
  expect(await sinceOf({ createdAt: paid - 1_000 })).toBe(paid - 1_000 - MARGIN);
  const leg = await scene.leg(legId.fill(body.orderId));
  expect(leg && (await sinceOfLeg(scene.context, leg))).toBe(Math.min(quoted, paid) - MARGIN);
});

it('looks for what was refunded from the deposit on, as early as anyone says that it was there', async () => {
  const body = await scene.quote(1);
  await scene.sees([scene.deposit(body, 'a')]);
  const deposit = await scene.depositRow({ fundingKey: '901:a:0' });
  const at = (seenAt: number, blockTime: number | null) => sinceOfDeposit({ ...deposit, seenAt, blockTime });
  expect(at(NOW, NOW - 5_000)).toBe(NOW - 5_000 - MARGIN);
  expect(at(NOW - 7_000, NOW - 5_000)).toBe(NOW - 7_000 - MARGIN);
  expect(at(NOW, null)).toBe(0);
});

it('finds an order filled where the chain would take a second fill as well', async () => {
  const body = await scene.quote(1);
  await scene.sees([scene.deposit(body, 'a')]);
  await scene.settles(scene.destination);
  const fill = scene.destination.prepared[0]?.legs[0];
  if (fill?.kind !== 'fill') throw new Error('no fill was prepared');
  scene.destination.unfilled = false;
  expect(await orderFate(scene.destination, fill, SIGNER, 0)).toBe('open');
  scene.destination.paid.set(fill.legId, {
    ...{ hash: 'elsewhere', block: { height: 501, id: 'b', timestamp: NOW }, final: true, sender: SIGNER },
    ...{ currency: fill.currency, recipient: fill.recipient, moved: fill.amount },
  });
  expect((await scene.destination.check(fill)).ok).toBe(true);
  expect(await orderFate(scene.destination, fill, SIGNER, 0)).toBe('filled');
});

it('lets a fill cost no more rent than its quote charged, and anything where none was quoted', async () => {
  const legs: unknown[] = [];
  scene.destination.checkAnswer = (leg) => {
    legs.push(leg);
    return { ok: true, plan: '{}' };
  };
  for (const [n, fillRent] of [
    [1, '0'],
    [2, '2039280'],
    [3, undefined],
  ] as const) {
    const body = await scene.quote(n, fillRent === undefined ? {} : { fillRent });
    await scene.sees([scene.deposit(body, `d${n}`)]);
    await scene.settles(scene.destination);
  }
  expect(legs.map((leg) => (leg as { mostRent?: bigint }).mostRent)).toEqual([0n, 2_039_280n, undefined]);
});

it('makes the calls that the order of a fill names', async () => {
  const legs: unknown[] = [];
  scene.destination.checkAnswer = (leg) => {
    legs.push(leg);
    return { ok: true, plan: '{}' };
  };
  for (const [n, calls] of [
    [1, ['0x01', '0x02']],
    [2, []],
  ] as const) {
    const { order } = quoteBody(n);
    const body = await scene.quote(n, { order: { ...order, output: { ...order.output, calls } } });
    await scene.sees([scene.deposit(body, `d${n}`)]);
    await scene.settles(scene.destination);
  }
  expect(legs.map((leg) => (leg as { calls?: readonly string[] }).calls)).toEqual([['0x01', '0x02'], undefined]);
});

it('makes them in a replacement as well, which costs no more rent than the quote charged', async () => {
  const { order } = quoteBody(1);
  const output = { ...order.output, calls: ['0x01'] as const };
  const body = await scene.quote(1, { fillRent: '0', order: { ...order, output }, authorizations: ['0x0a'] });
  await scene.sees([scene.deposit(body, 'a')]);
  await scene.settles(scene.destination);
  await scene.head(504);
  await scene.tracks(scene.destination);
  const sent = scene.destination.prepared.map(({ legs: [leg] }) => leg as FillLeg);
  expect(sent.map(({ authorizations, calls, mostRent }) => ({ authorizations, calls, mostRent }))).toEqual(
    Array(2).fill({ authorizations: ['0x0a'], calls: ['0x01'], mostRent: 0n }),
  );
});
