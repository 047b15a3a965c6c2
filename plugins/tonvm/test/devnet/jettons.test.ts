import { type Address, beginCell, type Cell, comment, toNano } from '@ton/core';
import { JettonMaster, JettonWallet, TonClient } from '@ton/ton';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import kept from '../../devnet/jettons.json' with { type: 'json' };
import { compileAll } from '../../scripts/compile.mjs';
import { localJetton, mintBody } from '../../src/devnet/jettons.js';
import { type LocalNode, startNode } from '../support/node.js';
import { sendFrom, testWallet } from '../support/wallets.js';

const [admin, user, shop] = [testWallet('admin'), testWallet('user'), testWallet('shop')];
const plain = localJetton({ admin: admin.contract.address, symbol: 'USDT', decimals: 6 });
const keeping = localJetton({ admin: admin.contract.address, symbol: 'KEEP', decimals: 6, keeping: true });
const GAS = toNano('0.1');
const OP_NOTIFICATION = 0x7362d09c;

let node: LocalNode;
let client: TonClient;

beforeAll(async () => {
  node = await startNode();
  client = new TonClient({ endpoint: node.url });
  for (const { contract } of [admin, user, shop]) await node.fund(contract.address, toNano(50));
  for (const { minter, init } of [plain, keeping])
    await sendAll(admin, {
      to: minter,
      value: toNano(1),
      init,
      bounce: true,
      body: mintBody(user.contract.address, 10_000n, GAS),
    });
});
afterAll(() => node.stop());

async function sendAll(...args: [Parameters<typeof sendFrom>[1], ...Parameters<typeof sendFrom>[2][]]): Promise<void> {
  const [wallet, ...messages] = args;
  await sendFrom(client, wallet, ...messages);
  await node.dev('settle');
}

const held = (wallet: Address) => client.open(JettonWallet.create(wallet)).getBalance();

interface Payment {
  readonly to: Address;
  readonly amount: bigint;
  readonly attached?: bigint;
  readonly note?: Cell;
}

function payment(jetton: typeof plain, { to, amount, attached = GAS, note }: Payment) {
  const body = beginCell()
    .storeUint(0x0f8a7ea5, 32)
    .storeUint(7, 64)
    .storeCoins(amount)
    .storeAddress(to)
    .storeAddress(user.contract.address)
    .storeMaybeRef(null)
    .storeCoins(note ? 1n : 0n)
    .storeMaybeRef(note ?? null)
    .endCell();
  return { to: jetton.walletOf(user.contract.address), value: attached, bounce: true, body };
}

describe('the jettons of a local chain', () => {
  it('are what their sources compile to', async () => {
    expect(await compileAll()).toEqual(kept);
  });

  it('are where the minter says, with the supply that was made', async () => {
    for (const jetton of [plain, keeping]) {
      const master = client.open(JettonMaster.create(jetton.minter));
      expect(
        (await master.getWalletAddress(shop.contract.address)).equals(jetton.walletOf(shop.contract.address)),
      ).toBe(true);
      expect(await master.getJettonData()).toMatchObject({ totalSupply: 10_000n, mintable: true });
      expect((await master.getJettonData()).adminAddress.equals(admin.contract.address)).toBe(true);
    }
  });

  it('move whole, notify their new owner, and give back what was attached and not used', async () => {
    const before = await client.getBalance(user.contract.address);
    const note = comment('for an order');
    await sendAll(user, payment(plain, { to: shop.contract.address, amount: 300n, note }));
    expect(await held(plain.walletOf(shop.contract.address))).toBe(300n);
    expect(await held(plain.walletOf(user.contract.address))).toBe(9_700n);
    const [reported] = await client.getTransactions(shop.contract.address, { limit: 1 });
    expect(reported?.inMessage?.info).toMatchObject({ type: 'internal', bounce: false, value: { coins: 1n } });
    const body = reported?.inMessage?.body.beginParse();
    expect([body?.loadUint(32), body?.loadUint(64), body?.loadCoins()]).toEqual([OP_NOTIFICATION, 7, 300n]);
    expect(body?.loadAddress().equals(user.contract.address)).toBe(true);
    expect(body?.loadMaybeRef()?.equals(note)).toBe(true);
    expect(before - (await client.getBalance(user.contract.address))).toBeLessThan(GAS);
  });

  it('charge a fee on transfer where they are made to', async () => {
    await sendAll(user, payment(keeping, { to: shop.contract.address, amount: 1_000n }));
    expect(await held(keeping.walletOf(shop.contract.address))).toBe(990n);
    // Minting is a transfer too.
    expect(await held(keeping.walletOf(user.contract.address))).toBe(8_900n);
  });

  it('stay where they are when too little is attached, or more is sent than there is', async () => {
    const wallet = plain.walletOf(user.contract.address);
    const before = await held(wallet);
    await sendAll(user, payment(plain, { to: shop.contract.address, amount: 1n, attached: toNano('0.01') }));
    await sendAll(user, payment(plain, { to: shop.contract.address, amount: before + 1n }));
    expect(await held(wallet)).toBe(before);
  });

  it('go only where their owner says, and come only from wallets of the same minter', async () => {
    const wallet = plain.walletOf(user.contract.address);
    const before = await held(wallet);
    const { body } = payment(plain, { to: shop.contract.address, amount: 5n });
    await sendAll(shop, { to: wallet, value: GAS, bounce: true, body });
    const fake = beginCell()
      .storeUint(0x178d4519, 32)
      .storeUint(0, 64)
      .storeCoins(1_000_000n)
      .storeAddress(shop.contract.address)
      .storeAddress(null)
      .storeCoins(0)
      .storeBit(false)
      .endCell();
    await sendAll(shop, { to: wallet, value: GAS, bounce: true, body: fake });
    expect(await held(wallet)).toBe(before);
    const [last] = await client.getTransactions(wallet, { limit: 1 });
    expect(last?.description).toMatchObject({ type: 'generic', aborted: true });
  });
});
