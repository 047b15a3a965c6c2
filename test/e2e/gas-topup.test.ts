import { parseUnits } from 'viem';
import { describe, expect, it } from 'vitest';
import { beginToRefuse, deployRejecter } from '../support/contracts.js';
import { sharedWorld } from '../support/shared-world.js';
import { until } from '../support/until.js';
import { newAddress, newUser, pay } from '../support/wallet.js';
import type { Order, World } from '../support/world.js';

let world: World;

sharedWorld((shared) => {
  world = shared;
});

const usd = (amount: string) => parseUnits(amount, 6);
const coinOf = ({ quote }: Order) => BigInt(quote.details.currencyGasTopup?.amount ?? '0');
const topped = { topupGas: true } as const;

async function delivered(order: Order): Promise<void> {
  expect(await order.to.balance(order.recipient, 'ETH')).toBe(0n);
  await pay(order.from, order.user, order.quote);
  const status = await world.becomes(order, 'success');
  expect(await order.to.balance(order.recipient, order.output)).toBe(order.amountOut);
  expect(await order.to.balance(order.recipient, 'ETH')).toBe(coinOf(order));
  expect(status.txHashes).toHaveLength(2);
  for (const hash of status.txHashes) {
    const receipt = await order.to.client.getTransactionReceipt({ hash: hash as `0x${string}` });
    expect(receipt.status).toBe('success');
  }
}

describe('gas for the recipient', () => {
  it('comes in addition to a token, to an account that had none', async () => {
    const order = await world.order({ input: 'USDC', amount: usd('100'), body: topped });
    expect(coinOf(order)).toBe(parseUnits('0.001', 18));
    await delivered(order);
    const record = await world.rest.request(order.requestId);
    expect(record).toMatchObject({
      features: ['gas_top_up'],
      data: {
        outTxs: [{ status: 'success' }, { status: 'success' }],
        route: {
          quoted: { destination: { currencyGasTopup: { amount: coinOf(order).toString() } } },
          actual: { destination: { currencyGasTopup: { amount: coinOf(order).toString() } } },
        },
      },
    });
    const found = await world.rest.requests({ features: 'gas_top_up' });
    expect(found.requests.map(({ id }) => id)).toContain(order.requestId);
  });

  it('comes in addition to an exact output, a swap, and what stays on its chain', async () => {
    const asks = [
      { input: 'USDC', amount: usd('50'), tradeType: 'EXACT_OUTPUT', body: { ...topped, topupGasAmount: '5000000' } },
      { input: 'ETH', output: 'USDC', amount: parseUnits('0.05', 18), body: topped },
      { to: world.a, input: 'USDC', output: 'DAI', amount: usd('80'), body: { ...topped, topupGasAmount: '1' } },
    ] as const;
    for (const ask of asks) await delivered(await world.order(ask));
  });

  it('is not added to coin', async () => {
    const order = await world.order({ input: 'ETH', amount: parseUnits('0.05', 18), body: topped });
    expect(coinOf(order)).toBe(0n);
    await pay(order.from, order.user, order.quote);
    await world.becomes(order, 'success');
    expect(await order.to.balance(order.recipient, 'ETH')).toBe(order.amountOut);
  });

  it('is not quoted to a contract that takes none', async () => {
    const recipient = await deployRejecter(world.b);
    const user = newUser();
    const refused = await world.rest.refusedQuote({
      ...{ user: user.address, recipient, originChainId: world.a.id, destinationChainId: world.b.id },
      ...{ originCurrency: world.a.currency('USDC'), destinationCurrency: world.b.currency('USDC') },
      ...{ amount: usd('100').toString(), tradeType: 'EXACT_INPUT', ...topped },
    });
    expect(refused).toMatchObject({ status: 400, body: { errorCode: 'DESTINATION_TX_FAILED' } });
  });
});

describe('gas that its recipient refuses by the time that it comes', () => {
  it('goes back out of the deposit, and the output stays', async () => {
    const recipient = newAddress();
    const order = await world.order({ input: 'USDC', amount: usd('100'), recipient, body: topped });
    // At most the coin's value and the cost of its transaction.
    world.excuse(order, { partBack: usd('3') });
    await beginToRefuse(world.b, recipient);
    await pay(order.from, order.user, order.quote);
    const status = await world.becomes(order, 'success');
    expect(status.txHashes).toHaveLength(1);
    expect(await world.b.balance(recipient, 'USDC')).toBe(order.amountOut);
    expect(await world.b.balance(recipient, 'ETH')).toBe(0n);
    const back = await until('its part came back', async () => {
      await Promise.all(world.chains.map((chain) => chain.mine()));
      const held = await world.a.balance(order.refundTo, 'USDC');
      return held > 0n ? held : undefined;
    });
    expect(back).toBeGreaterThan(usd('1'));
    expect(back).toBeLessThan(usd('3'));
    expect((await world.rest.status(order.requestId)).status).toBe('success');
    const { data } = await until('the record tells what came back', async () => {
      await world.a.mine();
      const found = await world.rest.request(order.requestId);
      return JSON.stringify(found).includes(`"${back}"`) ? found : undefined;
    });
    expect(data).toMatchObject({ refundCurrencyData: { amount: back.toString() } });
    expect(data.route.quoted.destination).toHaveProperty('currencyGasTopup');
    expect(data.route.actual?.destination).not.toHaveProperty('currencyGasTopup');
  });
});

describe('afterwards', () => {
  it('the chains show nothing lost and nothing doubled', async () => {
    await world.finalise();
    expect(await world.verdict()).toEqual([]);
  });
});
