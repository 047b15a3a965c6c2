import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { addressDetail } from '../../src/capabilities/deposit-addresses/address-detail.js';
import { type AddressPlace, listAddresses } from '../../src/capabilities/deposit-addresses/list-addresses.js';
import { sweepNow } from '../../src/capabilities/deposit-addresses/sweep-now.js';
import { SweepWatch } from '../../src/capabilities/deposit-addresses/sweep-watch.js';
import type { DepositObservation } from '../../src/contract/index.js';
import type { QuoteBody } from '../../src/domain/quote.js';
import { audit } from '../../src/engine/operator/audit.js';
import { checkGas } from '../../src/engine/rounds/gas-alerts.js';
import { addressRow, insert, requestId } from '../../src/testing/store-fixtures.js';
import { Addresses, SWEEPER } from './support/addresses.js';
import { NOW, ORIGIN } from './support/quotes.js';
import { Scene } from './support/scene.js';

const HOUR = 3_600_000;

let scene: Scene;
let addresses: Addresses;

beforeEach(async () => {
  scene = await Scene.open();
  addresses = await Addresses.on(scene);
});

afterEach(async () => {
  await scene.close();
});

/** A final transfer that is worth less than its sweep. */
async function tooExpensive(n = 1): Promise<{ body: QuoteBody; seen: DepositObservation; address: string }> {
  scene.origin.gasCost = 200_000n;
  const body = await addresses.promised(n, 'strict');
  const seen = addresses.transfer(body, `expensive-${n}`);
  await scene.sees([seen]);
  await scene.finalises(101 + n);
  await scene.settles(scene.origin, SWEEPER);
  return { body, seen, address: body.depositAddress?.address ?? '' };
}

describe('a sweep that an operator asks for', () => {
  it('is the one that waits for cheaper gas: sent once, however often it is asked for', async () => {
    const { body, seen, address } = await tooExpensive();
    const expensive = await addresses.sweepOf(body, seen);
    expect(expensive).toMatchObject({ state: 'owed', dueAt: scene.now + HOUR });
    expect(scene.origin.prepared).toEqual([]);

    const { fundingKey } = seen;
    const first = await sweepNow(scene.context, ORIGIN, address);
    expect(first).toMatchObject({ ok: true, state: 'owed', transfers: [{ fundingKey, state: 'owed' }] });
    const again = await sweepNow(scene.context, ORIGIN, address);
    expect(again).toMatchObject({ ok: true, state: 'inProgress', transfers: [{ fundingKey, state: 'inProgress' }] });
    await addresses.swept(103);
    expect(scene.origin.prepared.map(({ legs }) => legs.map(({ legId }) => legId))).toEqual([[expensive?.id]]);
    expect(await scene.depositRow(seen)).toMatchObject({ sweptAt: NOW });

    expect(await sweepNow(scene.context, ORIGIN, address)).toMatchObject({ ok: true, state: 'alreadyDone' });
    await scene.settles(scene.origin, SWEEPER);
    expect(scene.origin.prepared).toHaveLength(1);
  });

  it('goes out once its transfer is final, and says under which key it did', async () => {
    scene.origin.gasCost = 200_000n;
    const body = await addresses.promised(1, 'strict');
    const seen = addresses.transfer(body, 'early');
    const address = body.depositAddress?.address ?? '';
    await scene.sees([seen]);
    const early = await sweepNow(scene.context, ORIGIN, address);
    expect(early).toMatchObject({ ok: true, transfers: [{ message: 'it is swept once the transfer is final' }] });
    expect(await addresses.sweepOf(body, seen)).toMatchObject({ state: 'blocked' });
    await scene.settles(scene.origin, SWEEPER);
    expect(scene.origin.prepared).toEqual([]);
    await scene.finalises(102);
    await scene.settles(scene.origin, SWEEPER);
    expect(scene.origin.prepared).toHaveLength(1);
    const sent = await sweepNow(scene.context, ORIGIN, address);
    expect(sent).toMatchObject({ transfers: [{ state: 'inProgress', message: 'signed under sweeper:0' }] });
  });

  it('is refused with what to do first, and then marks nothing', async () => {
    const { body, seen, address } = await tooExpensive();
    const refusals = async () => {
      const outcome = await sweepNow(scene.context, ORIGIN, address);
      return outcome.ok ? outcome : `${outcome.code}: ${outcome.message}`;
    };
    scene.context.pauses.set(`chain:${ORIGIN}`, null);
    expect(await refusals()).toBe(
      `notApplicable: chain-${ORIGIN} is paused: \`causeway resume --chain ${ORIGIN}\` first`,
    );
    scene.context.pauses.clear();
    scene.context.pauses.set('all', null);
    expect(await refusals()).toContain('`causeway resume --all` first');
    scene.context.pauses.clear();
    const lane = await scene.store.lane(ORIGIN, SWEEPER);
    await scene.store.apply({
      name: 'halt',
      changes: [
        {
          op: 'update',
          table: 'lanes',
          key: { id: lane?.id ?? '' },
          version: lane?.version ?? 0,
          set: { halted: 'lost' },
        },
      ],
    });
    expect(await refusals()).toContain(`\`causeway lane resume ${ORIGIN} ${SWEEPER}\` first`);
    expect(await addresses.sweepOf(body, seen)).toMatchObject({ releasedBy: null, dueAt: scene.now + HOUR });
    expect(await sweepNow(scene.context, 902, address)).toMatchObject({ ok: false, code: 'notApplicable' });
    expect(await sweepNow(scene.context, 77, address)).toMatchObject({ ok: false, code: 'notApplicable' });
  });

  it('leaves a transfer alone that is not decided', async () => {
    const body = await addresses.promised(1, 'open');
    const seen = addresses.transfer(body, 'open');
    await scene.sees([seen]);
    const outcome = await sweepNow(scene.context, ORIGIN, body.depositAddress?.address ?? '');
    expect(outcome).toMatchObject({ ok: true, state: 'inProgress', transfers: [{ state: 'waits' }] });
  });
});

it('waits seconds, not an hour, for unknown fees', async () => {
  const { legCost } = scene.origin;
  scene.origin.legCost = (() => undefined) as never;
  const body = await addresses.promised(1, 'strict');
  const seen = addresses.transfer(body, 'unknown');
  await scene.sees([seen]);
  await scene.finalises(101);
  await scene.settles(scene.origin, SWEEPER);
  const { dueAt = 0 } = (await addresses.sweepOf(body, seen)) ?? {};
  expect(dueAt - scene.now).toBeLessThan(60_000);
  scene.origin.legCost = legCost;
});

it('delays a sweep briefly while prices are missing, and makes it where there never is one', async () => {
  scene.origin.token = 'other';
  const body = await addresses.promised(1, 'strict');
  const seen = addresses.transfer(body, 'token', { currency: 'other', amount: 1n });
  await scene.sees([seen]);
  let why: 'stale' | 'unknown' = 'stale';
  Object.assign(scene.context, { prices: { price: () => ({ ok: false, why }) } });
  await scene.finalises(101);
  await scene.settles(scene.origin, SWEEPER);
  expect(scene.origin.prepared).toEqual([]);
  const { dueAt = 0 } = (await addresses.sweepOf(body, seen)) ?? {};
  expect(dueAt - scene.now).toBeLessThan(60_000);
  why = 'unknown';
  scene.now = dueAt;
  await scene.settles(scene.origin, SWEEPER);
  expect(scene.origin.prepared).toMatchObject([{ legs: [{ kind: 'sweep' }] }]);
});

describe('the audit of deposit addresses', () => {
  const look = async () => {
    const report = await audit(scene.context);
    return {
      covered: report.covered,
      addresses: report.addresses.map(({ ledger, chain, difference, drift }) => ({ ledger, chain, difference, drift })),
    };
  };

  it('compares each with the books, and is not covered where money is missing', async () => {
    const { address } = await tooExpensive();
    scene.origin.depositoryBalance = await scene.pot(`depository:${ORIGIN}:coin-${ORIGIN}`);
    const seen = async (held: bigint | undefined) => {
      addresses.held.set(address, held);
      return look();
    };
    const at = { ledger: '100000' };
    expect(await seen(100_000n)).toEqual({
      covered: true,
      addresses: [{ ...at, chain: '100000', difference: '0', drift: null }],
    });
    expect(await seen(100_007n)).toEqual({
      covered: true,
      addresses: [{ ...at, chain: '100007', difference: '7', drift: 'unrecordedInflow' }],
    });
    // The depository has more than enough, which makes up for nothing.
    expect(await seen(99_999n)).toEqual({
      covered: false,
      addresses: [{ ...at, chain: '99999', difference: '-1', drift: 'unrecordedOutflow' }],
    });
    expect(await seen(undefined)).toEqual({
      covered: false,
      addresses: [{ ...at, chain: null, difference: null, drift: 'chainUnreachable' }],
    });
  });

  it('takes a sweep of the service for an explanation while it is not final, and one that the chain shows', async () => {
    const { body, seen, address } = await tooExpensive();
    addresses.held.set(address, 0n);
    const sweep = await addresses.sweepOf(body, seen);
    const paid = { hash: '0xstranger', block: { height: 103, id: 'b', timestamp: NOW }, final: false };
    expect((await look()).addresses).toMatchObject([{ drift: 'unrecordedOutflow' }]);
    scene.origin.paid.set(sweep?.id ?? '', {
      ...paid,
      ...{ sender: 'stranger', currency: scene.origin.coin, recipient: 'depository-901', moved: 100_000n },
    });
    expect(await look()).toMatchObject({ covered: true, addresses: [{ difference: '-100000', drift: 'inFlight' }] });
    scene.origin.paid.clear();
    await sweepNow(scene.context, ORIGIN, address);
    await scene.settles(scene.origin, SWEEPER);
    expect(await addresses.sweepOf(body, seen)).toMatchObject({ state: 'bound' });
    expect(await look()).toMatchObject({ covered: true, addresses: [{ drift: 'inFlight' }] });
  });
});

describe('gauges of what is not swept', () => {
  it('show transfers and dollars, and raise an alert where what is worth its sweep waits for long', async () => {
    const gauges: Record<string, number> = {};
    const gauge = (name: string, _help: string, value: number): void => {
      gauges[name] = value;
    };
    const metrics = { ...scene.context.metrics, gauge };
    const context = { ...scene.context, metrics };
    const watch = new SweepWatch();
    const round = () => watch.round(context, scene.origin);
    const alert = `sweeps-wait:${ORIGIN}`;

    const { address } = await tooExpensive();
    await round();
    expect(gauges).toEqual({ unswept_transfers: 1, unswept_usd: 0.1 });
    scene.now += HOUR;
    await round();
    expect([...scene.alerts]).not.toContain(alert);

    // Gas is cheaper, and nothing sweeps.
    scene.origin.gasCost = 10n;
    await round();
    scene.now += 14 * 60_000;
    await round();
    expect([...scene.alerts]).not.toContain(alert);
    scene.now += 60_000;
    await round();
    expect([...scene.alerts]).toContain(alert);
    context.pauses.set(`chain:${ORIGIN}`, null);
    await round();
    expect([...scene.alerts]).not.toContain(alert);
    context.pauses.clear();

    await sweepNow(scene.context, ORIGIN, address);
    await addresses.swept(104);
    await round();
    expect(gauges).toEqual({ unswept_transfers: 0, unswept_usd: 0 });
  });
});

it('measures the gas of the sweeper by sweeps, and reports it before it is empty', async () => {
  const { origin, context } = scene;
  const policy = { ...context.policy, gasReserveFills: 3 };
  origin.legCost = ((kind: string) => ({ native: kind === 'sweep' ? 1_000n : 10n, at: 0 })) as never;
  origin.balance = 2_999n;
  for (const lane of origin.lanes) await checkGas({ ...context, policy }, origin, lane);
  expect([...scene.alerts]).toEqual([`gas-low:${ORIGIN}:${SWEEPER}`]);
  origin.balance = 3_000n;
  for (const lane of origin.lanes) await checkGas({ ...context, policy }, origin, lane);
  expect([...scene.alerts]).toEqual([]);
});

describe('the list of deposit addresses', () => {
  const pages = async (filter: Parameters<typeof listAddresses>[1], limit: number): Promise<string[][]> => {
    const found: string[][] = [];
    let after: AddressPlace | undefined;
    do {
      const page = await listAddresses(scene.context, filter, limit, after);
      found.push(page.addresses.map(({ address }) => address));
      after = page.next;
    } while (after !== undefined);
    return found;
  };

  it('pages over chains and filters, each address once, also with those that come meanwhile', async () => {
    const rows = Array.from({ length: 7 }, (_, n) =>
      addressRow(n + 1, { hotUntil: n % 2 === 0 ? NOW + 1 : NOW - 1, keyId: n < 3 ? 'key-1' : null }),
    );
    const other = addressRow(9, { id: '902:address-9', chainId: 902, hotUntil: NOW + 1 });
    await scene.store.apply({ name: 'add', changes: [...rows, other].map((row) => insert('addresses', row)) });
    const all = [...rows, other].map(({ address }) => address);
    expect((await pages({}, 3)).flat()).toEqual(all);
    expect(await pages({}, 100)).toEqual([all]);
    expect((await pages({ chainId: 902 }, 3)).flat()).toEqual(['address-9']);
    expect((await pages({ keyIds: ['key-1'] }, 2)).flat()).toEqual(['address-1', 'address-2', 'address-3']);
    expect((await pages({ keyIds: [null], hot: true }, 2)).flat()).toEqual(['address-5', 'address-7', 'address-9']);
    const { next } = await listAddresses(scene.context, {}, 6);
    await scene.store.apply({ name: 'add', changes: [insert('addresses', addressRow(8))] });
    const rest = await listAddresses(scene.context, {}, 6, next);
    expect(rest.addresses.map(({ address }) => address)).toEqual(['address-7', 'address-8', 'address-9']);
  });

  it('finds the few that are not swept among many, and what is there', async () => {
    const many = Array.from({ length: 1_200 }, (_, n) => addressRow(n + 100));
    await scene.store.apply({ name: 'add', changes: many.map((row) => insert('addresses', row)) });
    const { address } = await tooExpensive();
    const { addresses: found, next } = await listAddresses(scene.context, { unswept: true }, 50);
    expect(next).toBeUndefined();
    expect(found).toMatchObject([
      { address, type: 'strict', hot: true, transfers: 1, unswept: [{ currency: 'coin-901', amount: '100000' }] },
    ]);
  });
});

it('shows all about an address: requests, transfers with their sweeps, balances and holds', async () => {
  const { body, seen, address } = await tooExpensive();
  const second = addresses.transfer(body, 'second', { block: { height: 104, id: 'a-104', timestamp: NOW } });
  await scene.sees([second]);
  addresses.held.set(address, 200_003n);
  const [row] = await scene.store.addressesOf([body.requestId]);
  if (row === undefined) throw new Error('no address');
  const detail = () => addressDetail(scene.context, scene.origin, row);
  const { id } = await scene.requestOf(second);
  expect(await detail()).toMatchObject({
    ...{ chainId: ORIGIN, address, requestId: body.requestId, type: 'strict', hot: true, transferCount: 2, holds: [] },
    requests: [
      { id: body.requestId, parentRequestId: null },
      { id, parentRequestId: body.requestId, failReason: 'DOUBLE_SPEND' },
    ],
    transfers: [
      {
        fundingKey: seen.fundingKey,
        amount: '100000',
        state: 'final',
        sweptAt: null,
        sweep: { state: 'owed', attempts: [] },
      },
      { fundingKey: second.fundingKey, requestId: id, state: 'included', sweep: { state: 'blocked' } },
    ],
    balances: [{ currency: 'coin-901', symbol: 'COIN', balance: '200003', ledger: '200000' }],
  });
  await sweepNow(scene.context, ORIGIN, address);
  await scene.settles(scene.origin, SWEEPER);
  const hash = scene.origin.sent.at(-1);
  expect((await detail()).transfers[0]?.sweep).toMatchObject({
    ...{ state: 'bound', releasedBy: 'operator' },
    attempts: [{ hash, state: 'sent' }],
  });
  addresses.held.set(address, undefined);
  expect((await detail()).balances).toMatchObject([{ balance: null }]);
  expect(await listAddresses(scene.context, { keyIds: [`${requestId(1)}`] }, 5)).toEqual({
    addresses: [],
    next: undefined,
  });
});
