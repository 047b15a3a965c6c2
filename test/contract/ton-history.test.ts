import { randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { devnet } from '@causeway/plugin-tonvm/devnet';
import { Address, beginCell, type Cell } from '@ton/core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { NATIVE, TonChain } from '../support/families/ton-chain.js';
import { startTon, type TonNode, type TonPayer, type TonSide } from '../support/families/ton-side.js';
import { type Inventory, judge, type Promised } from '../support/oracle.js';
import { until } from '../support/until.js';

// What the judge of a message-based chain counts as a payment, and what not.

const OPTIONS = {
  chains: [
    {
      ...{ id: 224235520, name: 'theta', displayName: 'theta', rpc: 'devnet', blockTimeMs: 50, localPrices: 'network' },
      jettons: [{ symbol: 'USDT', name: 'Local Dollar', address: 'devnet', decimals: 6, group: 'usd-coin' }],
    },
  ],
};
const COIN = 10n ** 9n;
const ATTACHED = COIN / 10n;

let keys: string;
let node: TonNode;
let side: TonSide;
let chain: TonChain;
let before: readonly Inventory[];
let user: TonPayer;
let fill: TonPayer;
let vault: TonPayer;

const word = (): string => `0x${randomBytes(32).toString('hex')}`;
const comment = (text: string): Cell => beginCell().storeUint(0, 32).storeStringTail(text).endCell();
const rawOf = (text: string): string => Address.parse(text).toRawString();

interface Message {
  readonly to: string;
  readonly value: string;
  readonly body: string;
  readonly bounce: boolean;
}

function coins(to: string, amount: bigint, body: Cell): Message {
  return { to, value: amount.toString(), body: body.toBoc().toString('base64'), bounce: false };
}

async function jettons(
  from: TonPayer,
  to: string,
  amount: bigint,
  name: string,
  attached = ATTACHED,
): Promise<Message> {
  const wallet = await chain.jettonWallet(rawOf(side.currency('USDT')), rawOf(from.address));
  const body = beginCell()
    .storeUint(0x0f8a7ea5, 32)
    .storeUint(0, 64)
    .storeCoins(amount)
    .storeAddress(Address.parse(to))
    .storeAddress(Address.parse(from.address))
    .storeMaybeRef(null)
    .storeCoins(1n)
    .storeMaybeRef(comment(name))
    .endCell();
  return { ...coins(wallet, attached, body), bounce: true };
}

async function send(from: TonPayer, ...messages: readonly Message[]): Promise<void> {
  await devnet.sendStep(from, side.url, { messages });
}

async function reported() {
  const { origin } = new URL(side.url);
  await until('nothing waits', async () => {
    const response = await fetch(`${origin}/dev/head`, { method: 'POST', body: '{}' });
    return ((await response.json()) as { waiting: number }).waiting === 0;
  });
  return side.history();
}

async function verdict(promises: readonly Promised[]): Promise<readonly string[]> {
  const histories = [await reported()];
  const now = await side.inventory();
  const inventory = now.map((one) => ({
    ...one,
    before: before.find(({ token }) => token === one.token)?.before ?? 0n,
  }));
  return judge({ solvers: [side.solver], histories, promises, inventory, pots: await side.pots(), waiting: 0 });
}

beforeAll(async () => {
  keys = mkdtempSync(join(tmpdir(), 'causeway-ton-history-'));
  node = await startTon(OPTIONS, keys);
  side = node.side;
  chain = new TonChain(side.url);
  before = (await side.inventory()).map((one) => ({ ...one, before: one.now }));
  user = await side.payer();
  const ofSolver = (role: string, address: string): TonPayer => {
    const privateKey = readFileSync(join(keys, 'ton', `tonvm-${role}.key`), 'utf8').trim();
    return { vmType: 'tonvm', address, privateKey };
  };
  fill = ofSolver('fill', side.solver);
  vault = ofSolver('vault', side.depository);
}, 60_000);

afterAll(async () => {
  await node?.stop();
  rmSync(keys, { recursive: true, force: true });
});

describe('the history of a chain of messages', () => {
  it('has deposits of coins and of jettons, and no notices nor change', { timeout: 60_000 }, async () => {
    const [first, second] = [word(), word()];
    const change = beginCell().storeUint(0xd53276db, 32).storeUint(0, 64).endCell();
    await send(
      user,
      ...[coins(vault.address, 2n * COIN, comment(first)), coins(vault.address, COIN, change)],
      await jettons(user, vault.address, 50n, second),
    );
    const { deposits, strays = [] } = await reported();
    const from = user.address.toLowerCase();
    expect(deposits.map(({ id, token, amount, from }) => ({ id, token, amount, from }))).toEqual([
      { id: first, token: NATIVE.toLowerCase(), amount: 2n * COIN, from },
      { id: second, token: side.currency('USDT').toLowerCase(), amount: 50n, from },
    ]);
    // The change, the notice's coin, and the wallet's own execution cost with each of the three.
    const came = strays.reduce((sum, { to, amount }) => (to === 'depository' ? sum + amount : sum), 0n);
    expect(came > COIN - ATTACHED && came < COIN + 1n).toBe(true);
    expect(await verdict([])).toHaveLength(2);
  });

  it('has fills by what arrived, and the fee of all that it took', { timeout: 60_000 }, async () => {
    const [first, second, returned, left] = [word(), word(), word(), word()];
    const [one, other] = [side.newAddress(), side.newAddress()];
    await send(
      fill,
      ...[coins(one, COIN, comment(first)), await jettons(fill, other, 70n, second)],
      // One is returned, and one left out for lack of balance.
      ...[await jettons(fill, other, 80n, returned, 1_000_000n), coins(one, 10n ** 15n, comment(left))],
    );
    const { fills, sent } = await reported();
    expect(fills.map(({ orderId, to, amount }) => ({ orderId, to, amount }))).toEqual([
      { orderId: first, to: one.toLowerCase(), amount: COIN },
      { orderId: second, to: other.toLowerCase(), amount: 70n },
    ]);
    expect(await side.balance(other, 'USDT')).toBe(70n);
    expect(sent.map(({ ok, by }) => ({ ok, by }))).toEqual([{ ok: true, by: undefined }]);
    const { fee = 0n } = sent[0] ?? {};
    expect(fee > 0n && fee < ATTACHED).toBe(true);
  });

  it('has what left the depository, and who paid for that', { timeout: 60_000 }, async () => {
    const [refund, collect, collectOfCoins] = [word(), word(), word()];
    const to = side.newAddress();
    await send(
      vault,
      ...[coins(to, COIN, comment(refund)), coins(side.solver, 1_000n, comment(collectOfCoins))],
      await jettons(vault, side.solver, 50n, collect),
    );
    const { withdrawals, sent } = await reported();
    expect(withdrawals.map(({ key, to, amount }) => ({ key, to, amount }))).toEqual([
      { key: refund, to: to.toLowerCase(), amount: COIN },
      { key: collectOfCoins, to: side.solver.toLowerCase(), amount: 1_000n },
      { key: collect, to: side.solver.toLowerCase(), amount: 50n },
    ]);
    expect(sent.map(({ by }) => by)).toEqual([undefined, 'depository']);
    // To the last nanoton, at network prices.
    const found = await verdict([]);
    expect(found.filter((words) => /^(inventory|depository) /.test(words))).toEqual([]);
  });

  it('reports a fill that was made twice', { timeout: 60_000 }, async () => {
    const [order, to] = [word(), side.newAddress()];
    await send(fill, coins(to, COIN, comment(order)));
    expect((await verdict([])).filter((words) => words.includes('more than once'))).toEqual([]);
    await send(fill, coins(to, COIN, comment(order)));
    expect((await verdict([])).filter((words) => words.includes('more than once'))).toHaveLength(1);
  });
});
