import { afterEach, beforeEach, expect, it } from 'vitest';
import type { DepositObservation } from '../../src/contract/index.js';
import { account, legId } from '../../src/domain/accounts.js';
import type { QuoteBody } from '../../src/domain/quote.js';
import { Addresses } from './support/addresses.js';
import { NOW, ORIGIN } from './support/quotes.js';
import { Scene } from './support/scene.js';

/** A token that charges a tenth of each transfer; quotes with it have no deposit address, but anyone can send it to one. */
const TOKEN = 'token';
const FEE = { arriving: (sent: bigint) => (sent * 9n) / 10n, sentFor: (amount: bigint) => (amount * 10n + 8n) / 9n };
/** Of a payment, and of a sweep. */
const GAS = 10n;

let scene: Scene;
let addresses: Addresses;
let body: QuoteBody;
let height = 101;

beforeEach(async () => {
  height = 101;
  scene = await Scene.open();
  addresses = await Addresses.on(scene);
  scene.origin.token = TOKEN;
  scene.origin.transferFee = (currency) => (currency === TOKEN ? FEE : undefined);
  body = await addresses.promised(1, 'strict');
});

afterEach(async () => {
  await scene.close();
});

/** Of the wrong currency, and final; to be refunded once it is swept. */
async function sent(name: string, amount: bigint): Promise<DepositObservation> {
  height += 1;
  const block = { height, id: `a-${height}`, timestamp: NOW };
  const seen = addresses.transfer(body, name, { currency: TOKEN, amount, block });
  await scene.sees([seen]);
  await scene.finalises(height);
  await scene.settles(scene.origin);
  return seen;
}

async function refunded(): Promise<void> {
  scene.now += 60_000;
  await scene.pays(scene.origin);
  await scene.pays(scene.origin);
  const last = scene.origin.prepared.at(-1);
  scene.origin.lands(last?.key ?? '', height + 3, { final: true });
  await scene.tracks(scene.origin);
}

it('is refunded less what the token charged for its sweep, so that no other depositor pays for that', async () => {
  const seen = await sent('first', 100_000n);
  await addresses.swept(height + 1, 10_000n);
  expect(await scene.pot(account.depository(ORIGIN, TOKEN))).toBe(90_000n);
  await refunded();
  expect(scene.origin.prepared.at(-1)?.legs).toMatchObject([{ kind: 'refund', amount: 90_000n - 2n * GAS }]);
  expect(await scene.pot(account.depository(ORIGIN, TOKEN))).toBe(2n * GAS);
  expect(await scene.depositRow(seen)).toMatchObject({ collectable: 2n * GAS });
});

it('is refunded so with the held transfers that it takes along', async () => {
  const small = await sent('small', GAS + 5n);
  expect(await scene.leg(legId.refund(small.fundingKey))).toMatchObject({ state: 'held' });
  await addresses.swept(height + 1, 2n);
  await sent('large', 100_000n);
  await addresses.swept(height + 1, 10_000n);
  await refunded();
  const paid = scene.origin.prepared.at(-1)?.legs[0]?.amount ?? 0n;
  expect(await scene.leg(legId.refund(small.fundingKey))).toMatchObject({ state: 'joined' });
  expect(paid).toBeGreaterThan(90_000n - 2n * GAS);
  const left = await scene.pot(account.depository(ORIGIN, TOKEN));
  expect(paid).toBe(90_000n + GAS + 3n - left);
  // All gas is there to be collected, and no more than is there.
  expect(left).toBeGreaterThanOrEqual(3n * GAS);
  const rows = await scene.store.collectable(ORIGIN, 10);
  expect(rows.reduce((sum, row) => sum + (row.collectable ?? 0n), 0n)).toBe(3n * GAS);
});
