import { type Address, encodeFunctionData, erc20Abi, type Hex, parseEther, parseUnits } from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { describe, expect, it } from 'vitest';
import { batcher, testVault } from '../../plugins/evm/src/generated/contracts.js';
import { deploy } from '../support/contracts.js';
import { sharedWorld } from '../support/shared-world.js';
import { newAddress, pay } from '../support/wallet.js';
import type { Ask, World } from '../support/world.js';

let world: World;
/** Makes the calls that it is given, for any account with its code. */
let batching: Address;
let vault: Address;

sharedWorld(async (shared) => {
  world = shared;
  batching = await deploy(world.b, batcher);
  vault = await deploy(world.b, testVault, [world.b.currency('USDC')]);
});

async function newAccount(
  change: { readonly nonce?: number; readonly chainId?: number; readonly code?: Address } = {},
) {
  const account = privateKeyToAccount(generatePrivateKey());
  const { nonce = 0, chainId = world.b.id, code = batching } = change;
  const signed = await account.signAuthorization({ address: code, chainId, nonce });
  const { yParity, r, s } = signed;
  return {
    address: account.address.toLowerCase() as Address,
    authorization: { chainId, address: code, nonce, yParity, r, s },
  };
}

const call = (to: Address, data: Hex, value = 0n) => ({ to, data, value: value.toString() });
const usd = (amount: string) => parseUnits(amount, 6);
const execute = (calls: readonly { to: Address; value: bigint; data: Hex }[]) =>
  encodeFunctionData({ abi: batcher.abi, functionName: 'execute', args: [calls] });
const codeOf = (address: Address) => world.b.client.getCode({ address });

const ordered = (account: Address, ask: Ask) => world.order({ recipient: account, ...ask });

async function refused(body: Readonly<Record<string, unknown>>) {
  const answer = await world.rest.refusedQuote({
    ...{ user: newAddress(), tradeType: 'EXACT_INPUT', amount: parseEther('1').toString() },
    ...{ originChainId: world.a.id, originCurrency: world.a.currency('ETH') },
    ...{ destinationChainId: world.b.id, destinationCurrency: world.b.currency('ETH') },
    ...body,
  });
  expect(answer.status).toBe(400);
  return answer.body;
}

describe('authorizations for destination calls', () => {
  it('make the user’s own account pay several others, in the transaction of the fill', async () => {
    const { address, authorization } = await newAccount();
    const heirs = [newAddress(), newAddress()];
    const made = heirs.map((to, index) => ({ to, value: BigInt(index + 1) * 1_000n, data: '0x' as const }));
    const order = await ordered(address, {
      ...{ amount: 3_000n, tradeType: 'EXACT_OUTPUT' },
      body: { txs: [call(address, execute(made), 3_000n)], authorizationList: [authorization] },
    });
    expect(order.quote.protocol.v2.orderData.output.calls).toHaveLength(1);
    await pay(order.from, order.user, order.quote);
    await world.becomes(order, 'success');
    expect(await Promise.all(heirs.map((heir) => world.b.balance(heir, 'ETH')))).toEqual([1_000n, 2_000n]);
    expect(await codeOf(address)).toBe(`0xef0100${batching.slice(2).toLowerCase()}`);
    const record = await world.rest.request(order.requestId);
    expect(record.data).toMatchObject({ failReason: null });
    const [out] = record.data.outTxs;
    expect(await world.b.client.getTransaction({ hash: (out?.txHash ?? '0x') as Hex })).toMatchObject({
      type: 'eip7702',
      authorizationList: [{ chainId: world.b.id, nonce: 0 }],
    });
    const { requests } = await world.rest.requests({ requestType: 'call', limit: 50 });
    expect(requests.map(({ id }) => id)).toContain(order.requestId);
  });

  it('let the account stake a token that was delivered to it', async () => {
    const { address, authorization } = await newAccount({ chainId: 0 });
    const token = world.b.currency('USDC');
    const encode = (functionName: 'approve' | 'transfer', to: Address) =>
      encodeFunctionData({ abi: erc20Abi, functionName, args: [to, usd('40')] });
    const staking = [
      { to: token, value: 0n, data: encode('approve', vault) },
      { to: vault, value: 0n, data: encodeFunctionData({ abi: testVault.abi, functionName: 'depositAll' }) },
    ];
    const order = await ordered(address, {
      ...{ input: 'USDC', amount: usd('40'), tradeType: 'EXACT_OUTPUT' },
      body: {
        txs: [call(token, encode('transfer', address)), call(address, execute(staking))],
        authorizationList: [authorization],
      },
    });
    await pay(order.from, order.user, order.quote);
    await world.becomes(order, 'success');
    const shares = { address: vault, abi: erc20Abi, functionName: 'balanceOf', args: [address] } as const;
    expect(await world.b.client.readContract(shares)).toBe(usd('40'));
  });

  it('are refused without calls, for another chain, for a nonce that is not the next, and for our own contracts', async () => {
    const { address, authorization } = await newAccount();
    const txs = [call(address, '0x')];
    const invalid = { errorCode: 'INVALID_REQUEST' };
    expect(await refused({ authorizationList: [authorization] })).toMatchObject(invalid);
    const elsewhere = await newAccount({ chainId: world.a.id });
    expect(await refused({ txs, authorizationList: [elsewhere.authorization] })).toMatchObject({
      ...invalid,
      errorData: { field: 'authorizationList[0].chainId' },
    });
    const early = await newAccount({ nonce: 1 });
    expect(await refused({ txs, authorizationList: [early.authorization] })).toMatchObject({
      ...invalid,
      errorData: { field: 'authorizationList', reason: expect.stringContaining(early.address) },
    });
    const ours = await newAccount({ code: world.b.router });
    expect(await refused({ txs, authorizationList: [ours.authorization] })).toMatchObject({
      ...invalid,
      errorData: { field: 'authorizationList[0].address' },
    });
    expect(await refused({ txs, authorizationList: [{ ...authorization, yParity: 5 }] })).toMatchObject({
      ...invalid,
      errorData: { field: 'authorizationList[0].yParity' },
    });
  });

  it('that do not fit any more when they are due lead to a refund, before anything is sent', async () => {
    const { address, authorization } = await newAccount();
    // More than a refund costs at any gas price here.
    const amount = parseEther('0.1');
    const made = [{ to: newAddress(), value: amount, data: '0x' as const }];
    const order = await ordered(address, {
      ...{ amount, tradeType: 'EXACT_OUTPUT' },
      body: { txs: [call(address, execute(made), amount)], authorizationList: [authorization] },
    });
    await world.b.client.setNonce({ address, nonce: 1 });
    const sent = await world.b.client.getTransactionCount({ address: world.keys.fill.address });
    await pay(order.from, order.user, order.quote);
    const status = await world.becomes(order, 'refund', { mining: true });
    expect(status).toMatchObject({ failReason: 'INVALID_NONCE' });
    expect(await order.from.balance(order.refundTo, 'ETH')).toBeGreaterThan(0n);
    expect(await world.b.client.getTransactionCount({ address: world.keys.fill.address })).toBe(sent);
    expect((await codeOf(address)) ?? '0x').toBe('0x');
  });

  it('leave nothing lost or doubled', async () => {
    expect(await world.verdict()).toEqual([]);
  });
});
