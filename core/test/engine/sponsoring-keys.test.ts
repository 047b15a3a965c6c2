import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { askFastFill } from '../../src/capabilities/fast-fill/ask-fast-fill.js';
import { writePolicy } from '../../src/capabilities/sponsorship/policy.js';
import type { ApiKeyRow } from '../../src/contract/store-rows.js';
import { counter, legId } from '../../src/domain/accounts.js';
import type { QuoteBody } from '../../src/domain/quote.js';
import type { SponsorPolicy } from '../../src/domain/sponsor-policy.js';
import { apiKeyRow, insert, integratorRow, requestId } from '../../src/testing/store-fixtures.js';
import { DESTINATION } from './support/quotes.js';
import { Scene } from './support/scene.js';
import { DAY, free, INTEGRATOR, sponsoredQuote, withBalance } from './support/sponsors.js';

const KEY = 'key_1';
const BALANCE = 500_000n;

let scene: Scene;
let body: QuoteBody;

beforeEach(async () => {
  scene = await Scene.open();
  await withBalance(scene, BALANCE);
  const integrator = { ...integratorRow(1), id: INTEGRATOR, fundingAddress: 'linked' };
  const row = apiKeyRow(1, { id: KEY, integratorId: INTEGRATOR });
  await scene.store.apply({ name: 'key', changes: [insert('integrators', integrator), insert('apiKeys', row)] });
  body = await quoted(1);
});
afterEach(() => scene.close());

/** As a quote with the key makes it. */
async function quoted(n: number, change: Partial<QuoteBody> = {}): Promise<QuoteBody> {
  const asked = sponsoredQuote(n, change);
  const calls = [{ chainId: DESTINATION, to: 'shop', data: '0x12345678' }];
  const { sponsor } = asked;
  return scene.quote(n, { ...asked, ...(sponsor ? { sponsor: { ...sponsor, keyId: KEY, calls } } : {}) });
}

async function keyIs(set: Partial<ApiKeyRow>): Promise<void> {
  const { version = 0 } = (await scene.store.apiKey(KEY)) ?? {};
  const change = { op: 'update', table: 'apiKeys', key: { id: KEY }, version, set } as const;
  expect(await scene.store.apply({ name: 'key', changes: [change] })).toEqual({ ok: true });
}

async function policyIs(policy: SponsorPolicy): Promise<void> {
  const row = { id: KEY, version: 1, policy: writePolicy(policy), updatedAt: scene.now };
  await scene.store.apply({ name: 'policy', changes: [insert('sponsorPolicies', row)] });
}

const paid = (of: QuoteBody = body, name = 'a') => scene.sees([scene.deposit(of, name)]);
const fill = (of: QuoteBody = body) => scene.leg(legId.fill(of.orderId));

describe('a deposit of a sponsored quote', () => {
  it('is sponsored by the key of the quote', async () => {
    await paid();
    expect(await fill()).toMatchObject({ state: 'owed', amount: 100_000n });
    expect(await free(scene)).toBe(BALANCE - 1_000n);
  });

  it.each<[string, () => Promise<void>]>([
    ['was revoked', () => keyIs({ revokedAt: scene.now })],
    ['expired', () => keyIs({ expiresAt: scene.now })],
    ['may not spend the balance any more', () => keyIs({ scopes: '["quote"]' })],
    ['belongs to another integrator', () => keyIs({ integratorId: 'int_2' })],
    ['has a policy that expired', () => policyIs({ expiresAt: scene.now })],
    ['has a policy of less for each call', () => policyIs({ maxPerCall: 999n })],
    ['has a policy of less for each user', () => policyIs({ maxPerUser: 999n })],
    ['has a policy of less for each day', () => policyIs({ maxPerDay: 999n })],
    ['has a policy of less for each month', () => policyIs({ maxPerMonth: 999n })],
    [
      'has a policy without its call',
      () => policyIs({ targets: [{ chainId: DESTINATION, address: 'shop', selectors: ['0x87654321'] }] }),
    ],
  ])('is filled at the cost of the user where the key %s since the quote', async (_what, change) => {
    await change();
    await paid();
    expect(await fill()).toMatchObject({ state: 'owed', amount: 99_000n });
    expect([await free(scene), await scene.pot(DAY)]).toEqual([BALANCE, 0n]);
  });

  it('is refunded where the user does not accept that', async () => {
    const exact = await quoted(2, { tradeType: 'EXACT_OUTPUT', minimumAmount: '100000' });
    await keyIs({ revokedAt: scene.now });
    await paid(exact, 'b');
    expect(await fill(exact)).toBeUndefined();
    const refund = await scene.leg(legId.refund('901:b:0'));
    expect(refund).toMatchObject({ amount: 100_000n, reason: 'SPONSOR_BALANCE_TOO_LOW' });
  });

  it('keeps what was reserved before the key was revoked, and is not reserved again after a reorg', async () => {
    await paid();
    await keyIs({ revokedAt: scene.now });
    expect(await free(scene)).toBe(BALANCE - 1_000n);
    await scene.sees([], { rewoundTo: 100 });
    expect(await free(scene)).toBe(BALANCE);
    await scene.sees([scene.deposit(body, 'a', { block: { height: 104, id: 'a-104', timestamp: scene.now } })]);
    await scene.settles(scene.destination);
    await scene.settles(scene.destination);
    expect(await fill()).toMatchObject({ amount: 99_000n });
    expect(await free(scene)).toBe(BALANCE);
  });

  it('counts for the caps that the policy got since the quote', async () => {
    await policyIs({ maxPerUser: 1_500n });
    await paid();
    expect(await fill()).toMatchObject({ amount: 100_000n });
    const second = await quoted(2);
    await paid(second, 'b');
    expect(await fill(second)).toMatchObject({ amount: 99_000n });
    expect(await scene.pot(counter.sponsoredUser(KEY, '2023-11-14', body.user))).toBe(1_000n);
  });
});

describe('a fast fill that was asked for', () => {
  const ask = () => {
    const key = { id: KEY, integratorId: INTEGRATOR };
    const rest = { least: null, most: null, reservation: requestId(901) };
    return askFastFill(scene.store, { requestId: body.requestId, key, ...rest }, scene.now);
  };

  beforeEach(async () => {
    scene.origin.depth = 20;
    body = await scene.quote(3);
    await paid();
    const { id, version } = await scene.request(body);
    const change = { op: 'update', table: 'requests', key: { id }, version, set: { keyId: KEY } } as const;
    await scene.store.apply({ name: 'keyed', changes: [change] });
    expect(await ask()).toBe('queued');
  });

  it('is made at the risk of the key', async () => {
    await scene.sees([]);
    expect(await fill()).toMatchObject({ state: 'owed' });
  });

  it.each<[string, () => Promise<void>]>([
    ['was revoked', () => keyIs({ revokedAt: scene.now })],
    ['has a policy of less', () => policyIs({ maxPerCall: 99_999n })],
    ['has a policy that expired', () => policyIs({ expiresAt: scene.now })],
  ])('waits for the depth of the deposit where the key %s since', async (_what, change) => {
    await change();
    await scene.sees([]);
    expect(await fill()).toBeUndefined();
    expect(await free(scene)).toBe(BALANCE);
  });
});
