import { devnet as evm } from '@causeway/plugin-evm/devnet';
import { devnet as tonDevnet } from '@causeway/plugin-tonvm/devnet';
import { Address, beginCell, toNano } from '@ton/core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { admin } from '../../plugins/tonvm/src/devnet/accounts.js';
import { dev } from '../../plugins/tonvm/src/devnet/dev.js';
import { localJetton } from '../../plugins/tonvm/src/devnet/jettons.js';
import { accountOf, LocalBuild, type LocalSide } from '../support/local-build.js';
import { endAll } from '../support/service.js';
import { until } from '../support/until.js';

/** TON at network prices and an EVM chain, through the local build and the public interface alone. */
let build: LocalBuild;
let ton: LocalSide;
let alpha: LocalSide;
let ranOut: { readonly way: ReturnType<typeof between>; readonly order: Awaited<ReturnType<LocalBuild['quote']>> };

const USD = 1_000_000n;
const COIN = 10n ** 9n;
const NANOTONS = 1_000n;

function between(from: LocalSide, to: LocalSide, n: number) {
  return { from, to, payer: accountOf(from, n), recipient: accountOf(to, n).address };
}

/** Replaces a jetton wallet's code by one that always fails. */
async function refuseJettons(owner: string): Promise<void> {
  const jetton = localJetton({ admin: Address.parse(admin.signer.raw), symbol: 'USDT', decimals: 6 });
  expect(Address.parse(ton.currency('USDT')).equals(jetton.minter)).toBe(true);
  const wallet = jetton.walletOf(Address.parse(owner));
  const { init } = localJetton({ admin: wallet, symbol: 'NONE', decimals: 0 });
  const [code, data] = [init.code, init.data].map((cell) => cell?.toBoc().toString('base64'));
  const set = { address: wallet.toRawString(), amount: toNano(1).toString(), code, data };
  await dev(new URL(ton.chain.rpcUrl).origin, 'set', set);
}

/** Gives an account code that always fails. */
async function refuseCoins(account: string): Promise<void> {
  const [code, data] = [beginCell().storeUint(0xf221, 16), beginCell()].map((cell) =>
    cell.endCell().toBoc().toString('base64'),
  );
  const set = { address: Address.parse(account).toRawString(), amount: toNano(1).toString(), code, data };
  await dev(new URL(ton.chain.rpcUrl).origin, 'set', set);
}

beforeAll(async () => {
  build = await LocalBuild.start('ton.yaml', (text) =>
    text.replaceAll('blockTimeMs: 1000', 'blockTimeMs: 400').replace('ttl: 60s', 'ttl: 40s'),
  );
  ton = build.side(224235520, tonDevnet);
  alpha = build.side(31337, evm);
  const way = between(ton, alpha, 3);
  ranOut = { way, order: await build.quote({ ...way, input: 'USDT', output: 'USDC', amount: 40n * USD }) };
}, 120_000);
afterAll(async () => {
  await build?.stop();
  await endAll();
}, 60_000);

describe('what arrives on TON', () => {
  it('is coins, though the service is killed in between', { timeout: 120_000 }, async () => {
    const way = between(alpha, ton, 1);
    const before = await ton.balance(way.recipient, 'TON');
    const order = await build.quote({ ...way, input: 'ETH', output: 'TON', amount: 10n ** 16n });
    await alpha.pay(way.payer, order.quote);
    await build.killService();
    await build.ends(order.requestId, 'success');
    const gained = (await ton.balance(way.recipient, 'TON')) - before;
    // A wallet with code pays for receiving.
    expect(gained <= order.amountOut && gained > order.amountOut - 1_000_000n).toBe(true);
  });

  it('is jettons, to the unit, where the output is exact', { timeout: 120_000 }, async () => {
    const way = between(alpha, ton, 2);
    const before = await ton.balance(way.recipient, 'USDT');
    const body = { tradeType: 'EXACT_OUTPUT' };
    const order = await build.quote({ ...way, input: 'USDC', output: 'USDT', amount: 50n * USD, body });
    expect(order.amountOut).toBe(50n * USD);
    await alpha.pay(way.payer, order.quote);
    await build.ends(order.requestId, 'success');
    expect((await ton.balance(way.recipient, 'USDT')) - before).toBe(50n * USD);
  });

  it.each([
    { what: 'jettons, by the wallet of its recipient', n: 5, output: 'USDT', refuse: refuseJettons },
    { what: 'coins, by its recipient', n: 6, output: 'TON', refuse: refuseCoins },
  ])(
    'comes back where it is refused: $what; and its payer has the deposit again',
    { timeout: 120_000 },
    async (one) => {
      const way = between(alpha, ton, one.n);
      await one.refuse(way.recipient);
      const held = await alpha.balance(way.payer.address, 'USDC');
      const order = await build.quote({ ...way, input: 'USDC', output: one.output, amount: 60n * USD });
      await alpha.pay(way.payer, order.quote);
      await build.ends(order.requestId, 'refund');
      const lost = held - (await alpha.balance(way.payer.address, 'USDC'));
      expect(lost >= 0n && lost < USD).toBe(true);
    },
  );
});

describe('what is paid on TON', () => {
  it.each([
    { input: 'USDT', amount: 50n * USD, n: 3 },
    { input: 'TON', amount: 20n * COIN, n: 4 },
  ])(
    'in $input, is paid out on EVM, though the service is killed',
    { timeout: 120_000 },
    async ({ input, amount, n }) => {
      const way = between(ton, alpha, n);
      const before = await alpha.balance(way.recipient, 'USDC');
      const order = await build.quote({ ...way, input, output: 'USDC', amount });
      expect(order.amountIn).toBe(amount);
      const hash = await ton.pay(way.payer, order.quote);
      // The message's own name, as clients report it.
      await build.rest.call('POST', '/transactions/index', { body: { chainId: ton.chain.id, txHash: hash } });
      await build.killService();
      await build.ends(order.requestId, 'success');
      expect((await alpha.balance(way.recipient, 'USDC')) - before).toBe(order.amountOut);
      const record = await build.rest.request(order.requestId);
      expect(record.data.inTxs[0]?.txHash ?? '').toMatch(/^[0-9a-f]{64}$/);
    },
  );

  it('is collected for the wallet that fills', { timeout: 90_000 }, async () => {
    const vault = ton.chain.contracts['depository'] ?? '';
    await until('the jettons are collected', async () => (await ton.balance(vault, 'USDT')) === 0n, { ms: 80_000 });
  });

  it('is refunded out of the depository, once, though the service is killed', { timeout: 120_000 }, async () => {
    const way = between(ton, alpha, 2);
    const before = await ton.balance(way.payer.address, 'USDT');
    const body = { referrer: 'debug-force-refund' };
    const order = await build.quote({ ...way, input: 'USDT', output: 'USDC', amount: 30n * USD, body });
    await ton.pay(way.payer, order.quote);
    await build.killService();
    await build.ends(order.requestId, 'refund');
    const lost = before - (await ton.balance(way.payer.address, 'USDT'));
    // The refund's cost.
    expect(lost > 0n && lost < USD).toBe(true);
  });

  it('twice for one order, is refunded once', { timeout: 120_000 }, async () => {
    const way = between(ton, alpha, 1);
    const before = await alpha.balance(way.recipient, 'USDC');
    const held = await ton.balance(way.payer.address, 'USDT');
    const order = await build.quote({ ...way, input: 'USDT', output: 'USDC', amount: 40n * USD });
    await ton.pay(way.payer, order.quote);
    await ton.pay(way.payer, order.quote);
    await build.ends(order.requestId, 'success');
    await until('the second one is paid back', async () => {
      const [child] = await build.rest.children(order.requestId);
      return child?.status === 'refund';
    });
    expect((await alpha.balance(way.recipient, 'USDC')) - before).toBe(order.amountOut);
    const lost = held - (await ton.balance(way.payer.address, 'USDT'));
    expect(lost > 40n * USD && lost < 41n * USD).toBe(true);
  });

  it('for an order that ran out, is refunded', { timeout: 180_000 }, async () => {
    const { way, order } = ranOut;
    const held = await ton.balance(way.payer.address, 'USDT');
    const deadline = Number(order.quote.protocol.v2.orderData.output.deadline);
    await until('the order has run out', () => Date.now() / 1_000 > deadline + 1, { ms: 120_000 });
    await ton.pay(way.payer, order.quote);
    await build.ends(order.requestId, 'refund');
    expect(held - (await ton.balance(way.payer.address, 'USDT')) < USD).toBe(true);
  });

  it('without a word, is refunded to the wallet that sent it', { timeout: 120_000 }, async () => {
    const way = between(ton, alpha, 4);
    const order = await build.quote({ ...way, input: 'TON', output: 'USDC', amount: 20n * COIN });
    const held = await ton.balance(way.payer.address, 'TON');
    const wordless = JSON.parse(JSON.stringify(order.quote), (key, value: unknown) =>
      key === 'body' ? undefined : value,
    ) as typeof order.quote;
    await ton.pay(way.payer, wordless);
    const isBack = async () => held - (await ton.balance(way.payer.address, 'TON')) < COIN;
    await until('it is back', isBack, { ms: 90_000, seen: () => build.output.slice(-2_000) });
    expect((await build.rest.status(order.requestId)).status).toBe('waiting');
  });
});

describe('afterwards', () => {
  it('nothing is missing in the books but what keeping a wallet costs until its next order', {
    timeout: 90_000,
  }, async () => {
    let last: unknown;
    await until(
      'everything is settled and there',
      async () => {
        const { unsettled, pots } = await build.rest.audit();
        last = pots;
        return unsettled === 0 && pots.every(({ difference }) => BigInt(difference ?? -NANOTONS) > -NANOTONS);
      },
      { ms: 80_000, seen: () => last },
    );
  });
});
