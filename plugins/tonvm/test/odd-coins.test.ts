import type { RefundLeg } from '@causeway/core';
import { type RestFaultProxy, restFaultProxy } from '@causeway/core/testing';
import { beginCell, type Cell, comment, toNano } from '@ton/core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { NATIVE, textOf } from '../src/addresses.js';
import { nameComment } from '../src/comments.js';
import type { TonvmAdapter } from '../src/tonvm-adapter.js';
import { addressOf, type Ground, ground } from './support/ground.js';
import { ATTACH, notice, transferFrom } from './support/jetton-words.js';
import { freshAddress, freshName, paying } from './support/paying.js';
import { sendFrom, type TestWallet } from './support/wallets.js';
import { type Watching, watching } from './support/watching.js';

describe.each([
  { by: 'a provider that locates messages', refused: '' },
  { by: 'a provider without that', refused: '"tryLocateSourceTx"' },
])('coins that reach the depository in a message that is no person’s transfer, by $by', ({ refused }) => {
  let proxy: RestFaultProxy;
  let place: Ground;
  let adapter: TonvmAdapter;
  let watch: Watching;
  let payer: TestWallet;

  beforeAll(async () => {
    place = await ground({ instant: true });
    [payer = place.fill] = place.users;
    proxy = await restFaultProxy(place.node.origin);
    const answer = { status: 404, body: '{"ok":false,"error":"no such method","code":404}' };
    proxy.plan = ({ body }) => (refused !== '' && body.includes(refused) ? answer : 'pass');
    adapter = await place.adapter(`${proxy.url}/api/v2/jsonRPC`, {});
    watch = await watching(adapter);
  });
  afterAll(async () => {
    await watch?.stop();
    await adapter?.stop();
    await proxy?.close();
    await place?.node.stop();
  });

  const vault = () => place.vault.contract.address;
  const send = (amount: bigint, body: Cell) =>
    sendFrom(place.client, payer, { to: vault(), value: amount, bounce: false, body });

  const markers = new Set<string | null>();
  async function reported() {
    const name = freshName();
    markers.add(name);
    await send(toNano(1), nameComment(name));
    await place.node.dev('settle');
    await watch.until(name);
    return watch.seen.filter(({ currency, orderId }) => currency === NATIVE && !markers.has(orderId));
  }

  it('are a deposit without an order, proven to be their sender’s; a name without the mark of a text is one', async () => {
    const name = freshName();
    const bodies = [
      beginCell().storeStringTail('for my order').endCell(),
      beginCell().storeUint(0x12345678, 32).storeUint(7, 64).endCell(),
      notice({ amount: 5n, from: vault(), name: freshName() }),
      beginCell().storeUint(1, 3).endCell(),
    ];
    for (const [n, body] of bodies.entries()) await send(toNano(2) + BigInt(n), body);
    await send(toNano(3), beginCell().storeStringTail(name.slice(2)).endCell());
    await send(999_999n, beginCell().storeUint(0x12345678, 32).endCell());
    const depositor = textOf(payer.contract.address);
    const found = await reported();
    expect(found).toMatchObject([
      ...bodies.map((_, n) => ({ amount: toNano(2) + BigInt(n), orderId: null, depositor, state: 'final' })),
      { amount: toNano(3), orderId: name },
    ]);
    const [first] = found;
    expect(first && (await adapter.paidAlone?.(first))).toBe(true);
    const sighting = found.flatMap(({ block, ...one }) => (block ? [{ ...one, block, providers: 1 }] : []));
    expect(await adapter.witness(sighting)).toEqual(found.map(() => true));
  });

  it('are theirs who sent jettons with them, and no one’s where they are left over from a transfer of the service', async () => {
    const before = (await reported()).length;
    const owner = payer.contract.address;
    const { to, body } = transferFrom(place.jetton.walletOf(owner), owner, vault(), {
      amount: 900n,
      name: freshName(),
    });
    // Forwards as much as a faulty wallet may.
    const slice = body.beginParse();
    const generous = beginCell()
      .storeUint(slice.loadUintBig(32), 32)
      .storeUint(0, 64)
      .storeCoins(slice.skip(64).loadCoins());
    generous.storeAddress(slice.loadAddress()).storeAddress(slice.loadAddress()).storeMaybeRef(slice.loadMaybeRef());
    generous.storeCoins(toNano('0.5')).storeMaybeRef(comment('thanks'));
    await sendFrom(place.client, payer, { to, value: ATTACH + toNano('0.6'), bounce: true, body: generous.endCell() });
    await place.node.dev('settle');
    const withJettons = (await reported()).slice(before);
    expect(withJettons).toMatchObject([{ amount: toNano('0.5'), orderId: null, depositor: textOf(owner) }]);
    const [one] = withJettons;
    expect(one && (await adapter.paidAlone?.(one))).toBe(true);
    // Change returns to the vault from the recipient's jetton wallet.
    const ids = { legId: freshName(), fundingKey: freshName(), useKey: freshName(), covers: 400n };
    const leg = { kind: 'refund', currency: place.jetton.currency, amount: 400n, recipient: freshAddress(), ...ids };
    const expiration = Math.ceil((await place.node.head()).timestamp / 1_000) + 600;
    const done = await paying(place, adapter, place.vault).land([{ ...leg, expiration } as RefundLeg]);
    expect(done.effects).toMatchObject([{ done: true, moved: 400n }]);
    expect(await reported()).toHaveLength(before + 1);
    expect(addressOf(place.vault)).toBe(textOf(vault()));
  });
});
