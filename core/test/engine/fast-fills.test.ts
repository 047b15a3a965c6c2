import fc from 'fast-check';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { askFastFill } from '../../src/capabilities/fast-fill/ask-fast-fill.js';
import { followFastFills } from '../../src/capabilities/fast-fill/fast-fill.js';
import { auditBalances } from '../../src/capabilities/sponsorship/audit.js';
import type { FundingKey } from '../../src/contract/ids.js';
import type { DepositRow, LegRow } from '../../src/contract/store-rows.js';
import { account, counter, legId } from '../../src/domain/accounts.js';
import type { QuoteBody } from '../../src/domain/quote.js';
import { UnitOfWork } from '../../src/engine/base/unit-of-work.js';
import { ApiError } from '../../src/errors/api-error.js';
import { apiKeyRow, insert, integratorRow, requestId } from '../../src/testing/store-fixtures.js';
import { Scene } from './support/scene.js';
import { free, INTEGRATOR, withBalance } from './support/sponsors.js';

/** A deposit is worth 100,000, and the balance has 150,000. */
const BALANCE = 150_000n;
const RISK = 100_000n;
let scene: Scene;
let body: QuoteBody;

beforeEach(async () => {
  scene = await Scene.open();
  await prepare();
  body = await paid(1, 'a');
});
afterEach(() => scene.close());

async function prepare(): Promise<void> {
  scene.origin.depth = 20;
  await withBalance(scene, BALANCE);
  const integrator = { ...integratorRow(1), id: INTEGRATOR, fundingAddress: 'linked' };
  const row = apiKeyRow(1, { id: 'key_1', integratorId: INTEGRATOR });
  await scene.store.apply({ name: 'key', changes: [insert('integrators', integrator), insert('apiKeys', row)] });
}

async function paid(n: number, name: string): Promise<QuoteBody> {
  const quoted = await scene.quote(n);
  await scene.sees([scene.deposit(quoted, name)]);
  await own(quoted);
  return quoted;
}

/** As a quote with the key makes it. */
async function own(of: QuoteBody): Promise<void> {
  const { id, version } = await scene.request(of);
  await scene.store.apply({
    name: 'keyed',
    changes: [{ op: 'update', table: 'requests', key: { id }, version, set: { keyId: 'key_1' } }],
  });
}

const ask = (of: QuoteBody, change: object = {}) =>
  askFastFill(
    scene.store,
    {
      ...{ requestId: of.requestId, key: { id: 'key_1', integratorId: INTEGRATOR } },
      ...{ least: null, most: null, reservation: requestId(900 + Number(BigInt(of.requestId) % 50n)) },
      ...change,
    },
    scene.now,
  );
const fill = () => scene.leg(legId.fill(body.orderId));
const state = async () => (JSON.parse((await scene.request(body)).body) as QuoteBody).fastFill?.state;
const taken = async () => -(await scene.pot(account.sponsored));
const atRisk = () => scene.pot(counter.fastFills(INTEGRATOR));
const sound = async () => expect((await auditBalances(scene.store)).wrong).toEqual([]);
const key = 'filler:0';

async function filledFast(): Promise<void> {
  expect(await ask(body)).toBe('queued');
  await scene.sees([]);
  expect(await fill()).toMatchObject({ state: 'owed', amount: 99_000n });
  expect([await free(scene), await atRisk(), await state()]).toEqual([BALANCE - RISK, RISK, 'open']);
}

it('is decided before the deposit is deep, with the value at risk reserved, which is free again when it is final', async () => {
  await scene.sees([]);
  expect(await fill()).toBeUndefined();
  await filledFast();
  await scene.settles(scene.destination);
  scene.destination.lands(key, 501, { final: true });
  await scene.tracks(scene.destination);
  expect(await free(scene)).toBe(BALANCE - RISK);
  await scene.finalises(150);
  expect([await free(scene), await atRisk(), await taken(), await state()]).toEqual([BALANCE, 0n, 0n, 'released']);
  await sound();
});

it('takes what was reserved where a reorg removes the deposit after the fill was signed, and returns it with the deposit', async () => {
  await filledFast();
  await scene.settles(scene.destination);
  await scene.sees([], { rewoundTo: 100 });
  expect([await free(scene), await taken(), await atRisk(), await state()]).toEqual([50_000n, RISK, 0n, 'taken']);
  scene.destination.lands(key, 501, { final: true });
  await scene.tracks(scene.destination);
  expect(await taken()).toBe(RISK);
  await sound();
  await scene.sees([scene.deposit(body, 'a', { block: { height: 120, id: 'b-120', timestamp: scene.now } })]);
  expect(await free(scene)).toBe(50_000n);
  await scene.finalises(160);
  expect([await free(scene), await state()]).toEqual([BALANCE, 'released']);
  await sound();
});

it('takes nothing where nothing was signed, or what was signed never landed', async () => {
  await filledFast();
  await scene.sees([], { rewoundTo: 100 });
  expect([await free(scene), await taken(), await state()]).toEqual([BALANCE, 0n, 'released']);
  await scene.sees([scene.deposit(body, 'a', { block: { height: 104, id: 'b-104', timestamp: scene.now } })]);
  await scene.settles(scene.destination);
  expect([scene.destination.prepared, (await fill())?.state]).toEqual([[], 'owed']);
  await scene.sees([], { rewoundTo: 100 });
  body = await paid(2, 'b');
  await filledFast();
  await scene.settles(scene.destination);
  await scene.sees([], { rewoundTo: 100 });
  expect(await taken()).toBe(RISK);
  const [signed] = scene.destination.sentKeys;
  scene.destination.lands(signed ?? '', 505, { ok: false, final: true });
  await scene.tracks(scene.destination);
  expect([await free(scene), await state()]).toEqual([BALANCE, 'released']);
  await sound();
});

/** As one change set sees them, with other rows of deposit and fill. */
async function following(change: { readonly deposit?: Partial<DepositRow>; readonly fill?: Partial<LegRow> }) {
  const request = await scene.request(body);
  const [deposit] = await scene.store.deposits([request.fundingKey ?? ('' as FundingKey)]);
  const leg = await fill();
  if (deposit === undefined || leg === undefined) throw new Error('nothing is decided');
  const unit = new UnitOfWork();
  unit.load('requests', { ...request, fundingKey: change.deposit?.fundingKey ?? request.fundingKey });
  unit.load('deposits', { ...deposit, ...change.deposit });
  unit.load('legs', { ...leg, ...change.fill });
  followFastFills(unit, scene.now);
  return scene.store.apply(unit.toChangeSet('follow'));
}

it('gives back what it took where the fill is to be signed again, and its deposit leaves before', async () => {
  await filledFast();
  await scene.settles(scene.destination);
  await scene.sees([], { rewoundTo: 100 });
  expect([await state(), await taken()]).toEqual(['taken', RISK]);
  expect(await following({})).toEqual({ ok: true });
  expect(await state()).toBe('taken');
  expect(await following({ fill: { state: 'suspended' } })).toEqual({ ok: true });
  expect([await free(scene), await state()]).toEqual([BALANCE, 'released']);
  await sound();
});

it.each([
  ['another deposit', { fundingKey: 'another' as FundingKey }],
  ['another value', { valueUsd: 90_000 }],
])('is reserved for nothing else: %s before the signature waits for its finality', async (_, change) => {
  await filledFast();
  expect(await following({ deposit: change, fill: { state: 'bound' } })).toEqual({ ok: true });
  expect(await state()).toBe('open');
  expect(await following({ deposit: change })).toEqual({ ok: true });
  expect([await free(scene), await atRisk(), await state()]).toEqual([BALANCE, 0n, 'released']);
  await scene.settles(scene.destination);
  expect(scene.destination.prepared).toEqual([]);
  await sound();
});

it('is not decided for less than was asked for, and not marked once its deposit is decided', async () => {
  expect(await ask(body, { least: 100_000n })).toBe('queued');
  const request = await scene.request(body);
  const marked = JSON.parse(request.body) as QuoteBody;
  const more = { ...marked, fastFill: { ...marked.fastFill, least: '100001' } };
  const set = { body: JSON.stringify(more) };
  const change = { op: 'update', table: 'requests', key: { id: request.id }, version: request.version, set } as const;
  await scene.store.apply({ name: 'raise', changes: [change] });
  await scene.sees([]);
  expect([await fill(), await state()]).toEqual([undefined, 'asked']);
  body = await paid(2, 'b');
  const { store } = scene;
  const racing = {
    ...store,
    pot: async (name: string) => {
      await scene.sees([]);
      for (let head = 0; head < 25; head += 1) await scene.sees([]);
      return store.pot(name);
    },
  };
  const asked = { requestId: body.requestId, key: { id: 'key_1', integratorId: INTEGRATOR }, least: null, most: null };
  expect(await askFastFill(racing, { ...asked, reservation: requestId(901) }, scene.now)).toMatchObject({
    status: 409,
  });
  expect(await fill()).toBeDefined();
});

it('waits for depth where the balance is too low by then, and is reserved once', async () => {
  const other = await paid(2, 'b');
  expect([await ask(body), await ask(other)]).toEqual(['queued', 'queued']);
  await scene.sees([]);
  const fills = [await fill(), await scene.leg(legId.fill(other.orderId))];
  expect(fills.filter((leg) => leg !== undefined)).toHaveLength(1);
  expect(await free(scene)).toBe(BALANCE - RISK);
  for (let head = 0; head < 25; head += 1) {
    scene.now += 1_000;
    await scene.sees([]);
  }
  expect([await fill(), await scene.leg(legId.fill(other.orderId))].every((leg) => leg !== undefined)).toBe(true);
  expect(await free(scene)).toBe(BALANCE - RISK);
  await sound();
});

it('is refused for what it cannot be, and said to be done where it is', async () => {
  const refusal = async (change: object) => {
    const answer = await ask(body, change);
    return answer instanceof ApiError ? [answer.status, answer.code] : answer;
  };
  expect(await refusal({ requestId: requestId(77) })).toEqual([404, 'REQUEST_NOT_FOUND']);
  expect(await refusal({ least: 100_001n })).toEqual([400, 'INVALID_REQUEST']);
  expect(await refusal({ most: 99_999n })).toEqual([400, 'INVALID_REQUEST']);
  expect(await ask(body, { most: 99_999n })).toHaveProperty(
    'message',
    expect.stringMatching(/at risk, 0\.100000 USD$/),
  );
  const stranger = { ...integratorRow(2), id: 'int_2', fundingAddress: 'other' };
  await scene.store.apply({ name: 'other', changes: [insert('integrators', stranger)] });
  expect(await refusal({ key: { id: 'key_2', integratorId: 'int_2' } })).toEqual([404, 'REQUEST_NOT_FOUND']);
  expect(await refusal({ key: { id: 'key_3', integratorId: 'int_3' } })).toEqual([403, 'FORBIDDEN']);
  expect(await ask(body)).toBe('queued');
  expect(await refusal({})).toEqual([409, 'INVALID_REQUEST']);
  await scene.sees([]);
  expect(await refusal({})).toBe('done');
  expect(await ask(await paid(2, 'b'))).toMatchObject({
    code: 'SPONSOR_BALANCE_TOO_LOW',
    message: expect.stringMatching(/at risk, 0\.100000 USD$/),
    errorData: { required: '100000' },
  });
});

const STEPS = ['pay', 'ask', 'vanish', 'settle', 'land', 'final', 'revert', 'finalise'] as const;

it('holds in any order: what may go out before finality is covered, and the risk counted is what is reserved', async () => {
  const orders = fc.array(fc.tuple(fc.constantFrom(...STEPS), fc.nat(1)), { minLength: 8, maxLength: 22 });
  await fc.assert(
    fc.asyncProperty(orders, async (steps) => {
      await scene.close();
      scene = await Scene.open();
      await prepare();
      const bodies = [await scene.quote(1), await scene.quote(2)];
      let height = 101;
      for (const [step, n] of steps) {
        height += 1;
        scene.now += 1_000;
        const one = bodies[n] as QuoteBody;
        const block = { height, id: `x-${height}`, timestamp: scene.now };
        const row = await scene.store.request(one.requestId);
        if (row?.keyId === null) await own(one);
        if (step === 'pay') await scene.sees([scene.deposit(one, `d${n}`, { block })]);
        if (step === 'ask') await ask(one);
        if (step === 'vanish') await scene.sees([], { rewoundTo: 100 });
        if (step === 'settle') await scene.settles(scene.destination);
        if (step === 'finalise') await scene.finalises(height);
        const signed = scene.destination.sentKeys[n];
        if (signed && (step === 'land' || step === 'final' || step === 'revert'))
          scene.destination.lands(signed, 500 + height, { final: step !== 'land', ok: step !== 'revert' });
        await scene.tracks(scene.destination);
        await sound();
        let open = 0n;
        for (const { requestId: id, orderId } of bodies) {
          const request = await scene.store.request(id);
          const leg = await scene.leg(legId.fill(orderId));
          const { fastFill } = request ? (JSON.parse(request.body) as QuoteBody) : {};
          if (fastFill?.state === 'open') open += RISK;
          const [deposit] = request?.fundingKey ? await scene.store.deposits([request.fundingKey]) : [];
          const isOut = leg?.state === 'bound' || leg?.state === 'done';
          if (isOut && deposit?.state !== 'final') expect(['open', 'taken']).toContain(fastFill?.state);
        }
        expect([await atRisk(), (await free(scene)) >= 0n]).toEqual([open, true]);
      }
      expect(scene.errors).toEqual([]);
    }),
    { numRuns: 12 },
  );
});
