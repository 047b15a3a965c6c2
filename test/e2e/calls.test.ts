import { type Address, encodeFunctionData, erc20Abi, type Hex, parseEther, parseUnits } from 'viem';
import { describe, expect, it } from 'vitest';
import { gasRecipient, testNft, testVault } from '../../plugins/evm/src/generated/contracts.js';
import { deploy } from '../support/contracts.js';
import { sharedWorld } from '../support/shared-world.js';
import { newAddress, pay } from '../support/wallet.js';
import type { Ask, World } from '../support/world.js';

let world: World;
let nft: Address;
let vault: Address;

sharedWorld(async (shared) => {
  world = shared;
  nft = await deploy(world.b, testNft);
  vault = await deploy(world.b, testVault, [world.b.currency('USDC')]);
});

const PRICE = 1_000n;
const usd = (amount: string) => parseUnits(amount, 6);
const call = (to: Address, data: Hex, value = 0n) => ({ to, data, value: value.toString() });
const mint = (value = PRICE) => call(nft, encodeFunctionData({ abi: testNft.abi, functionName: 'safeMint' }), value);
const approve = (spender: Address, amount = 2n ** 256n - 1n) =>
  call(
    world.b.currency('USDC'),
    encodeFunctionData({ abi: erc20Abi, functionName: 'approve', args: [spender, amount] }),
  );
const depositAll = () => call(vault, encodeFunctionData({ abi: testVault.abi, functionName: 'depositAll' }));
const holds = (token: Address, owner: Address) =>
  world.b.client.readContract({ address: token, abi: erc20Abi, functionName: 'balanceOf', args: [owner] });

const ordered = (txs: readonly object[], ask: Ask) => world.order({ ...ask, body: { txs, ...ask.body } });

async function refused(txs: readonly object[], { amount, tradeType = 'EXACT_INPUT', input = 'ETH', body }: Ask) {
  const user = newAddress();
  const answer = await world.rest.refusedQuote({
    ...{ user, tradeType, txs, amount: amount.toString() },
    ...{ originChainId: world.a.id, originCurrency: world.a.currency(input) },
    ...{ destinationChainId: world.b.id, destinationCurrency: world.b.currency(input) },
    ...body,
  });
  expect(answer.status).toBe(400);
  return answer.body;
}

describe('destination calls', () => {
  it('mint a token with an id for the recipient, with exactly the value that they name', async () => {
    const order = await ordered([mint()], { amount: PRICE, tradeType: 'EXACT_OUTPUT' });
    expect(order.quote.protocol.v2.orderData.output.calls).toHaveLength(1);
    await pay(order.from, order.user, order.quote);
    await world.becomes(order, 'success');
    const id = await world.b.client.readContract({ address: nft, abi: testNft.abi, functionName: 'next' });
    expect(
      await world.b.client.readContract({ address: nft, abi: testNft.abi, functionName: 'ownerOf', args: [id] }),
    ).toBe(order.recipient);
    const record = await world.rest.request(order.requestId);
    expect(record.data).toMatchObject({ failReason: null });
    expect(record.data.outTxs).toHaveLength(1);
    const { requests } = await world.rest.requests({ requestType: 'call', limit: 50 });
    expect(requests.map(({ id }) => id)).toContain(order.requestId);
  });

  it('spend whatever is delivered of an exact input, and what they leave goes to the recipient', async () => {
    const order = await ordered([approve(vault), depositAll()], { input: 'USDC', amount: usd('50') });
    await pay(order.from, order.user, order.quote);
    await world.becomes(order, 'success');
    expect(await holds(vault, order.recipient)).toBe(order.amountOut);

    const some = await ordered(
      [
        approve(vault),
        call(vault, encodeFunctionData({ abi: testVault.abi, functionName: 'deposit', args: [usd('10')] })),
      ],
      { input: 'USDC', amount: usd('50') },
    );
    await pay(some.from, some.user, some.quote);
    await world.becomes(some, 'success');
    expect(await holds(vault, some.recipient)).toBe(usd('10'));
    expect(await holds(world.b.currency('USDC'), some.recipient)).toBe(some.amountOut - usd('10'));
  });

  const stake = (value = PRICE) =>
    call(vault, encodeFunctionData({ abi: testVault.abi, functionName: 'depositAllPaying' }), value);
  const topped = { input: 'USDC', amount: usd('50'), body: { topupGas: true } } as const;

  it('spend the coin of a gas top-up in addition to a token, in the transaction that delivers', async () => {
    const order = await ordered([approve(vault), stake(), mint()], topped);
    const coin = BigInt(order.quote.details.currencyGasTopup?.amount ?? '0');
    expect(coin).toBe(parseEther('0.001'));
    const before = await world.b.client.getBalance({ address: vault });
    await pay(order.from, order.user, order.quote);
    const status = await world.becomes(order, 'success');
    expect(status.txHashes).toHaveLength(1);
    expect(await holds(vault, order.recipient)).toBe(order.amountOut);
    expect((await world.b.client.getBalance({ address: vault })) - before).toBe(PRICE);
    // The remainder goes to the recipient.
    expect(await world.b.client.getBalance({ address: order.recipient })).toBe(coin - 2n * PRICE);
    const record = await world.rest.request(order.requestId);
    expect(record).toMatchObject({ features: ['gas_top_up'], data: { outTxs: [{ status: 'success' }] } });
    expect(record.data.route.actual?.destination).toMatchObject({ currencyGasTopup: { amount: coin.toString() } });
  });

  it('in addition to a token are refused where no top-up covers them, with what to ask for', async () => {
    const none = await refused([stake()], { input: 'USDC', amount: usd('5') });
    expect(none).toMatchObject({ errorCode: 'INVALID_EXTRA_TXS' });
    expect(none.message).toContain('topupGas');
    const beyond = await refused([stake(parseEther('0.002'))], topped);
    expect(beyond).toMatchObject({ errorCode: 'INVALID_EXTRA_TXS' });
    expect(beyond.message).toContain('at least 4000000');
  });

  it('that fail in addition to a token pay the whole deposit back, with the coin in it', async () => {
    const order = await ordered([approve(vault), stake()], topped);
    const closed = await deploy(world.b, gasRecipient, [5, 0n]);
    const code = await world.b.client.getCode({ address: closed });
    const open = await world.b.client.getCode({ address: vault });
    await world.b.client.setCode({ address: vault, bytecode: code ?? '0x' });
    await pay(order.from, order.user, order.quote);
    const status = await world.becomes(order, 'refund', { mining: true });
    await world.b.client.setCode({ address: vault, bytecode: open ?? '0x' });
    expect(status).toMatchObject({ failReason: 'EXECUTION_REVERTED' });
    expect(await world.b.client.getBalance({ address: order.recipient })).toBe(0n);
    expect(await holds(world.b.currency('USDC'), order.recipient)).toBe(0n);
    // All but the refund's gas.
    expect(await order.from.balance(order.refundTo, 'USDC')).toBeGreaterThan(usd('49'));
  });

  it('are refused at quote where they would fail, with what the contract says', async () => {
    const wrong = await refused([mint(5n)], { amount: 5n, tradeType: 'EXACT_OUTPUT' });
    expect(wrong).toMatchObject({ errorCode: 'DESTINATION_TX_FAILED' });
    expect(wrong.message).toMatch(/call 1 to 0x[0-9a-f]{40} reverted/);
    expect(wrong).toMatchObject({
      approxSimulatedBlock: expect.any(Number),
      failedCallData: { to: world.b.router.toLowerCase(), data: expect.stringMatching(/^0x/) },
    });
    const unapproved = await refused([depositAll()], { input: 'USDC', amount: usd('5') });
    expect(unapproved).toMatchObject({ errorCode: 'DESTINATION_TX_FAILED' });
  });

  it('are refused where they spend more than is delivered, or aim at us', async () => {
    const beyond = await refused([call(newAddress(), '0x', parseEther('2'))], { amount: parseEther('1') });
    expect(beyond).toMatchObject({ errorCode: 'INVALID_EXTRA_TXS' });
    const coin = await refused([call(newAddress(), '0x', 1n)], { input: 'USDC', amount: usd('5') });
    expect(coin).toMatchObject({ errorCode: 'INVALID_EXTRA_TXS' });
    for (const own of [world.b.router, world.b.depository, world.keys.fill.address])
      expect(await refused([call(own, '0x', 1n)], { amount: parseEther('1') })).toMatchObject({
        errorCode: 'INVALID_EXTRA_TXS',
      });
  });

  it('that fail when they are due lead to a refund with the reason', async () => {
    const order = await ordered([approve(vault), depositAll()], { input: 'USDC', amount: usd('20') });
    // As if the vault had lost its code: it accepts nothing any more.
    const closed = await deploy(world.b, gasRecipient, [5, 0n]);
    const code = await world.b.client.getCode({ address: closed });
    const before = await world.b.client.getCode({ address: vault });
    await world.b.client.setCode({ address: vault, bytecode: code ?? '0x' });
    await pay(order.from, order.user, order.quote);
    const status = await world.becomes(order, 'refund', { mining: true });
    expect(status).toMatchObject({ failReason: 'EXECUTION_REVERTED' });
    expect(await order.from.balance(order.refundTo, 'USDC')).toBeGreaterThan(0n);
    await world.b.client.setCode({ address: vault, bytecode: before ?? '0x' });
  });

  it('cost their gas, up to the limit that the client sets', async () => {
    const burner = await deploy(world.b, gasRecipient, [1, 300_000n]);
    const cheap = await world.order({ amount: parseEther('1') });
    const expensive = await ordered([call(burner, '0x', 1n)], { amount: parseEther('1') });
    const gas = (order: typeof cheap) => BigInt(order.quote.fees.relayerGas.amount);
    expect(gas(expensive)).toBeGreaterThan(gas(cheap));
    const bounded = { amount: parseEther('1'), body: { txsGasLimit: 100_000 } };
    expect(await refused([call(burner, '0x', 1n)], bounded)).toMatchObject({ errorCode: 'DESTINATION_TX_FAILED' });
    const enough = await ordered([call(burner, '0x', 1n)], { ...bounded, body: { txsGasLimit: 400_000 } });
    await pay(enough.from, enough.user, enough.quote);
    await world.becomes(enough, 'success');
  });

  it('leave nothing lost or doubled', async () => {
    expect(await world.verdict()).toEqual([]);
  });
});
