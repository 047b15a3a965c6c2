import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { EVERY_LEG } from '../../src/contract/legs.js';
import { legId } from '../../src/domain/accounts.js';
import type { QuoteBody } from '../../src/domain/quote.js';
import { InventoryView } from '../../src/engine/books/inventory.js';
import { stranded } from '../../src/engine/operator/strays.js';
import { openLane } from '../../src/engine/recovery/open-lanes.js';
import { DESTINATION } from './support/quotes.js';
import { Scene } from './support/scene.js';
import { SIGNER } from './support/scripted-chain.js';

const NEW = 'new-filler';

let scene: Scene;
let body: QuoteBody;

/** An order whose fill the first signer was given. */
beforeEach(async () => {
  scene = await Scene.open();
  body = await scene.quote(1);
  await scene.sees([scene.deposit(body, 'a')]);
});

afterEach(async () => {
  await scene.close();
});

async function rotates(): Promise<void> {
  const { destination, context } = scene;
  destination.lanes = [
    { signer: SIGNER, sends: EVERY_LEG, former: true },
    { signer: NEW, sends: EVERY_LEG },
  ];
  if (destination.keys.by === 'position') destination.keys = { ...destination.keys, unused: '0' };
  await context.starts.readLedger(context);
  await openLane(context, destination, NEW);
}

const fill = () => scene.leg(legId.fill(body.orderId));
const left = () => stranded({ chains: scene.context.chains, store: scene.store });
const keys = () => scene.destination.prepared.map(({ key }) => key);

async function fillsAnother(): Promise<void> {
  const other = await scene.quote(2);
  const block = { height: 102, id: 'b', timestamp: scene.now + 1 };
  await scene.sees([scene.deposit(other, 'b', { block })]);
  await scene.settles(scene.destination, NEW);
  expect(await scene.leg(legId.fill(other.orderId))).toMatchObject({ state: 'bound', signer: NEW, key: `${NEW}:0` });
}

describe('a signer that was replaced', () => {
  it('signs what it was given, and its successor gets all that is new', async () => {
    await rotates();
    expect(await left()).toEqual([]);
    await scene.settles(scene.destination, NEW);
    expect(keys()).toEqual([]);
    await scene.settles(scene.destination);
    expect(await fill()).toMatchObject({ state: 'bound', signer: SIGNER, key: `${SIGNER}:0` });
    await fillsAnother();
    expect(keys()).toEqual([`${SIGNER}:0`, `${NEW}:0`]);
  });

  it('replaces its stuck transaction under the same key, and no other lane touches that leg', async () => {
    await scene.settles(scene.destination);
    await rotates();
    await scene.head(510);
    await scene.tracks(scene.destination, NEW);
    await scene.settles(scene.destination, NEW);
    await scene.tracks(scene.destination);
    expect(keys()).toEqual([`${SIGNER}:0`, `${SIGNER}:0`]);
    scene.destination.lands(`${SIGNER}:0`, 511, { final: true });
    await scene.tracks(scene.destination);
    expect(await fill()).toMatchObject({ state: 'done', signer: SIGNER });
    expect(await left()).toEqual([]);
  });

  it('signs again itself what another use of its key pushed out, and only after that is final', async () => {
    await scene.settles(scene.destination);
    await rotates();
    scene.destination.evidence.set(`${SIGNER}:0`, { state: 'spentByOther', final: false });
    await scene.tracks(scene.destination);
    await scene.settles(scene.destination, NEW);
    expect(await fill()).toMatchObject({ state: 'bound', signer: SIGNER });
    expect(keys()).toEqual([`${SIGNER}:0`]);
  });

  it('has nothing that quotes may promise', async () => {
    const view = new InventoryView();
    await rotates();
    scene.destination.balances.set(NEW, 5_000n);
    await view.refresh(scene.context);
    const { coin } = scene.destination;
    const whole = view.ledger(DESTINATION, NEW, coin);
    expect(view.ledger(DESTINATION, SIGNER, coin)).toBeGreaterThan(0n);
    expect(view.held(scene.context, DESTINATION, coin)).toBe(whole);
    expect(view.available(scene.context, DESTINATION, coin)).toBeLessThanOrEqual(5_000n);
  });

  it('is named as long as something is open for it, once it is not configured any more', async () => {
    await rotates();
    scene.destination.lanes = scene.destination.lanes.slice(1);
    expect((await left()).join()).toMatch(/lane 902:filler, whose signer is not configured any more/);
  });
});

/** The first signer's fill is refused, and the deposit is refunded on its chain. */
async function isRefunded(): Promise<string | undefined> {
  const reason = 'DESTINATION_TOKEN_TRANSFER_REJECTED';
  scene.destination.checkAnswer = () => ({ ok: false, kind: 'refused', reason, message: 'no' });
  await scene.settles(scene.destination);
  await scene.finalises(150);
  await scene.pays(scene.origin);
  return (await scene.leg(legId.refund('901:a:0')))?.state;
}

describe('refunds of orders from before a signer was replaced', () => {
  it('are paid, where the new signer never filled anything', async () => {
    scene.destination.position = '0';
    await rotates();
    expect(await isRefunded()).toBe('bound');
  });

  it('are paid, where it only sent its approvals', async () => {
    scene.destination.position = '2';
    for (const n of [0, 1]) scene.destination.spenders.set(`${NEW}:${n}`, { hash: `0x${n}`, final: false, filled: [] });
    await rotates();
    expect(await isRefunded()).toBe('bound');
  });

  it.each([
    ['filled an order that this ledger does not know', { hash: '0x1', final: true, filled: [`0x${'99'.repeat(32)}`] }],
    ['sent something that is not known', undefined],
    ['may have filled what it does not name', { hash: '0x1', final: true, filled: [], unreported: true }],
  ] as const)('wait for an operator, where it %s', async (_name, spender) => {
    scene.destination.position = '1';
    if (spender) scene.destination.spenders.set(`${NEW}:0`, spender);
    await rotates();
    scene.destination.position = '0';
    expect(await isRefunded()).toBe('held');
  });
});
