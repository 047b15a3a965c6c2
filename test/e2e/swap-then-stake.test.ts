import { type Address, encodeFunctionData, erc20Abi, type Hex, parseAbi, parseEther, parseUnits } from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { batcher, testVault } from '../../plugins/evm/src/generated/contracts.js';
import { deploy } from '../support/contracts.js';
import { movePool, poolQuote } from '../support/venues.js';
import { pay } from '../support/wallet.js';
import { World } from '../support/world.js';

const swapAbi = parseAbi([
  'function swapExactTokensForTokens(uint256 amountIn, uint256 amountOutMin, address[] path, address to, uint256 deadline)',
]);
const wrapperAbi = parseAbi(['function deposit() payable']);
const FAR_DEADLINE = 2n ** 40n;
const MAX_UINT256 = 2n ** 256n - 1n;

let world: World;
let batching: Address;

beforeAll(async () => {
  world = await World.start({ venues: true });
  batching = await deploy(world.b, batcher);
});

afterAll(async () => {
  await world?.close();
});

const call = (to: Address, data: Hex, value = 0n) => ({ to, data, value: value.toString() });
const approve = (spender: Address) =>
  encodeFunctionData({ abi: erc20Abi, functionName: 'approve', args: [spender, MAX_UINT256] });
const depositAll = encodeFunctionData({ abi: testVault.abi, functionName: 'depositAll' });
const sharesOf = (vault: Address, owner: Address) =>
  world.b.client.readContract({ address: vault, abi: erc20Abi, functionName: 'balanceOf', args: [owner] });

/** The output is swapped at a pair, to the user's account, which stakes it by its own code. */
async function swapThenStake(amount: bigint, least: bigint) {
  const { b } = world;
  const [usdc, dai] = [b.currency('USDC'), b.currency('DAI')];
  const pairs = b.venues?.pairRouter ?? expect.fail('no venues');
  const vault = await deploy(b, testVault, [dai]);
  const account = privateKeyToAccount(generatePrivateKey());
  const address = account.address.toLowerCase() as Address;
  const { yParity, r, s } = await account.signAuthorization({ address: batching, chainId: b.id, nonce: 0 });
  const args = [amount, least, [usdc, dai], address, FAR_DEADLINE] as const;
  const swap = encodeFunctionData({ abi: swapAbi, functionName: 'swapExactTokensForTokens', args });
  const staking = [
    { to: dai, value: 0n, data: approve(vault) },
    { to: vault, value: 0n, data: depositAll },
  ];
  const execute = encodeFunctionData({ abi: batcher.abi, functionName: 'execute', args: [staking] });
  const body = {
    txs: [call(usdc, approve(pairs)), call(pairs, swap), call(address, execute)],
    authorizationList: [{ chainId: b.id, address: batching, nonce: 0, yParity, r, s }],
  };
  return {
    vault,
    address,
    ask: { input: 'USDC', amount, tradeType: 'EXACT_OUTPUT', recipient: address, body } as const,
  };
}

describe('calls at venues', () => {
  it('swap what is delivered and stake what comes of it', async () => {
    const amount = parseUnits('40', 6);
    const expected = await poolQuote({ chain: world.b, symbols: ['USDC', 'DAI'] }, amount);
    const { vault, address, ask } = await swapThenStake(amount, expected);
    const order = await world.order(ask);
    await pay(order.from, order.user, order.quote);
    await world.becomes(order, 'success');
    expect(await sharesOf(vault, address)).toBe(expected);
    expect(await world.b.balance(address, 'USDC')).toBe(0n);
  });

  it('are refused where the pool gives less than they ask for', async () => {
    const amount = parseUnits('40', 6);
    const expected = await poolQuote({ chain: world.b, symbols: ['USDC', 'DAI'] }, amount);
    const { ask } = await swapThenStake(amount, expected + 1n);
    const answer = await world.rest.refusedQuote({
      ...{ user: ask.recipient, recipient: ask.recipient, tradeType: ask.tradeType, amount: amount.toString() },
      ...{ originChainId: world.a.id, originCurrency: world.a.currency('USDC') },
      ...{ destinationChainId: world.b.id, destinationCurrency: world.b.currency('USDC') },
      ...ask.body,
    });
    expect(answer).toMatchObject({ status: 400, body: { errorCode: 'DESTINATION_TX_FAILED' } });
    expect(answer.body.message).toMatch(/call 2 to .*INSUFFICIENT_OUTPUT_AMOUNT/);
  });

  it('that find the price moved when they are due lead to a refund with the reason', async () => {
    const amount = parseUnits('40', 6);
    const pool = { chain: world.b, symbols: ['USDC', 'DAI'] } as const;
    const { vault, address, ask } = await swapThenStake(amount, (await poolQuote(pool, amount)) - 1n);
    const order = await world.order(ask);
    await movePool(pool, parseUnits('100000', 6));
    await pay(order.from, order.user, order.quote);
    const status = await world.becomes(order, 'refund', { mining: true });
    expect(status).toMatchObject({ failReason: 'TOO_LITTLE_RECEIVED' });
    expect(await order.from.balance(order.refundTo, 'USDC')).toBeGreaterThan(0n);
    expect(await sharesOf(vault, address)).toBe(0n);
  });

  it('wrap what is delivered of native coin, and stake all of it', async () => {
    const { b } = world;
    const weth = b.currency('WETH');
    const vault = await deploy(b, testVault, [weth]);
    const amount = parseEther('0.5');
    const wrap = encodeFunctionData({ abi: wrapperAbi, functionName: 'deposit' });
    const txs = [call(weth, wrap, amount), call(weth, approve(vault)), call(vault, depositAll)];
    const order = await world.order({ amount, tradeType: 'EXACT_OUTPUT', body: { txs } });
    await pay(order.from, order.user, order.quote);
    await world.becomes(order, 'success');
    expect(await sharesOf(vault, order.recipient)).toBe(amount);
  });

  it('leave nothing lost or doubled', async () => {
    expect(await world.verdict()).toEqual([]);
  });
});
