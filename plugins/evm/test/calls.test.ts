import type { FillLeg, FillWish, Hex } from '@causeway/core';
import { jsonRpcFaultProxy } from '@causeway/core/testing';
import { type Abi, decodeAbiParameters, encodeFunctionData, erc20Abi, parseAbi } from 'viem';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { artifacts, deployer } from '../src/devnet/index.js';
import type { EvmAdapter } from '../src/evm-adapter.js';
import { batcher, rejecter, testVault } from '../src/generated/contracts.js';
import { newGasRecipient } from './support/gas-recipient.js';
import { attempt, fillLeg, NATIVE, viewOf } from './support/legs.js';
import { addPair, type Dealer, deployUniswap, uniswapArtifacts } from './support/uniswap.js';
import { balanceOf, testClient, wallet } from './support/wallet.js';
import { chainOptions, eventually, fillSigner, startAdapter, startWorld, type World } from './support/world.js';

/** Unused, so that its balance is what it receives. */
const RECIPIENT: Hex = `0x${'7e'.repeat(20)}`;

let world: World;
let adapter: EvmAdapter;
let orders = 7_000;

beforeAll(async () => {
  world = await startWorld();
  ({ adapter } = await startAdapter(chainOptions(world)));
});
afterAll(async () => {
  await adapter.stop();
  await world.anvil.stop();
});

const encode = (to: Hex, value = 0n, data: Hex = '0x'): Hex => {
  const { destinationCalls } = adapter.capabilities;
  if (destinationCalls === undefined) return expect.fail('no calls');
  return destinationCalls.encode({ to, value, data });
};
const withCalls = (calls: readonly Hex[], amount = 5_000n, currency: string = NATIVE): FillLeg => {
  orders += 1;
  return { ...fillLeg(orders, RECIPIENT, amount, currency), calls };
};
const cost = (calls: readonly Hex[], more: Partial<FillWish> = {}) =>
  adapter.fillCost({ currency: NATIVE, amount: 5_000n, recipient: RECIPIENT, calls, ...more });
const check = (leg: FillLeg) => adapter.check(leg, fillSigner.address);

async function deploy(
  artifact: typeof testVault | typeof rejecter | typeof batcher,
  args: readonly unknown[] = [],
): Promise<Hex> {
  const hash = await wallet(world.anvil, deployer).deployContract({ ...artifact, args } as never);
  const { contractAddress } = await testClient(world.anvil).waitForTransactionReceipt({ hash, pollingInterval: 20 });
  return (contractAddress ?? expect.fail('not deployed')).toLowerCase() as Hex;
}

async function sent(leg: FillLeg) {
  const made = await attempt(adapter, leg);
  expect(await adapter.send(made.transaction)).toEqual({ outcome: 'accepted' });
  await testClient(world.anvil).waitForTransactionReceipt({ hash: made.transaction.hash as Hex, pollingInterval: 20 });
  return eventually(
    async () => (await adapter.look([viewOf(made)]))[0],
    (evidence) => evidence?.state === 'spent',
  );
}

describe('a fill with calls', () => {
  it('names them as public clients hash them', () => {
    const types = ['address', 'bytes', 'uint256'].map((type) => ({ type: 'tuple', components: [{ type, name: 'x' }] }));
    expect(decodeAbiParameters(types, encode(RECIPIENT, 7n, '0xabcd'))).toEqual([
      { x: expect.stringMatching(new RegExp(RECIPIENT, 'i')) },
      { x: '0xabcd' },
      { x: 7n },
    ]);
  });

  it('makes them and pays the rest, and is reported as done', async () => {
    const [first, second] = [`0x${'8a'.repeat(20)}`, `0x${'8b'.repeat(20)}`] as const;
    const leg = withCalls([encode(first, 1_000n), encode(second, 3_000n)]);
    expect(await sent(leg)).toMatchObject({ ok: true, effects: [{ legId: leg.legId, done: true, moved: 5_000n }] });
    const held = (address: Hex) => testClient(world.anvil).getBalance({ address });
    expect(await Promise.all([first, second, RECIPIENT].map(held))).toEqual([1_000n, 3_000n, 1_000n]);
    expect(await adapter.paidBy(leg)).toMatchObject({ recipient: RECIPIENT, moved: 5_000n });
    expect(await check(leg)).toMatchObject({ ok: false, reason: 'ORDER_ALREADY_FILLED' });
  });

  it('ends with the order id, which indexers look for', async () => {
    const leg = withCalls([encode(RECIPIENT, 1n)]);
    const checked = await check(leg);
    if (!checked.ok) return expect.fail(checked.message);
    const { data } = JSON.parse(checked.plan) as { data: string };
    expect(data.endsWith(leg.orderId.slice(2))).toBe(true);
  });

  it('spends tokens that it approves, and passes on what it gets for them', async () => {
    const { USDC } = world.deployed.tokens;
    const vault = await deploy(testVault, [USDC]);
    const approve = encodeFunctionData({ abi: erc20Abi, functionName: 'approve', args: [vault, 2n ** 255n] });
    const depositAll = encodeFunctionData({ abi: testVault.abi, functionName: 'depositAll' });
    const leg = withCalls([encode(USDC, 0n, approve), encode(vault, 0n, depositAll)], 9_000n, USDC);
    expect(await sent(leg)).toMatchObject({ ok: true, effects: [{ done: true, moved: 9_000n }] });
    expect(await balanceOf(world.anvil, vault, RECIPIENT)).toBe(9_000n);
  });

  it('is charged for what they take, with a reserve, or for the limit that was set', async () => {
    const burner = await newGasRecipient(world, 'Burn', 200_000n);
    const [bare, burning] = [await cost([encode(RECIPIENT, 1n)]), await cost([encode(burner, 1n)])];
    if (bare === undefined || burning === undefined || 'ok' in bare || 'ok' in burning) return expect.fail('refused');
    expect((burning.work ?? 0n) - (bare.work ?? 0n)).toBeGreaterThan(200_000n);
    expect(await cost([encode(burner, 1n)], { callsWork: 300_000n })).toMatchObject({ work: 480_000n });
    expect(await cost([encode(burner, 1n)], { callsWork: 100_000n })).toMatchObject({
      ok: false,
      reason: 'QUOTED_GAS_LIMIT_EXCEEDED',
    });
    const unbounded = await newGasRecipient(world, 'Burn', 2_000_000n);
    expect(await cost([encode(unbounded, 1n)])).toMatchObject({ ok: false, reason: 'QUOTED_GAS_LIMIT_EXCEEDED' });
  });

  it('is refused with what the contract says, before it is promised and before it is sent', async () => {
    const refuses = encode(await deploy(rejecter), 1n);
    const refused = { ok: false, kind: 'refused', reason: 'EXECUTION_REVERTED' };
    expect(await cost([encode(RECIPIENT, 1n), refuses])).toMatchObject({
      ...refused,
      message: expect.stringMatching(/^call 2 to 0x/),
      failedCallData: { to: adapter.facts.router },
    });
    expect(await check(withCalls([refuses]))).toMatchObject(refused);
    const { USDC } = world.deployed.tokens;
    const tooMuch = encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args: [RECIPIENT, 6_000n] });
    expect(await check(withCalls([encode(USDC, 0n, tooMuch)], 5_000n, USDC))).toMatchObject({
      kind: 'refused',
      reason: 'TRANSFER_AMOUNT_EXCEEDS_BALANCE',
    });
  });

  it('is refused with what failed inside of what it calls, where the node traces, and with less where not', async () => {
    const { USDC } = world.deployed.tokens;
    const between = await deploy(batcher);
    const pays = encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args: [RECIPIENT, 6_000n] });
    const made = [{ to: USDC, value: 0n, data: pays }];
    const call = encode(between, 0n, encodeFunctionData({ abi: batcher.abi, functionName: 'execute', args: [made] }));
    const inside = { reason: 'TRANSFER_AMOUNT_EXCEEDS_BALANCE', message: expect.stringContaining(USDC.toLowerCase()) };
    expect(await cost([call])).toMatchObject({ ...inside, height: expect.any(Number) });
    expect(await check(withCalls([call]))).toMatchObject(inside);

    const proxy = await jsonRpcFaultProxy(world.anvil.rpcUrl);
    proxy.plan = ({ method }) =>
      method === 'debug_traceCall' ? { error: { code: -32_601, message: 'no such method' } } : 'pass';
    const blind = await startAdapter(chainOptions(world, { rpc: [{ http: proxy.url, ws: world.anvil.wsUrl }] }));
    const reported = await blind.adapter.check(withCalls([call]), fillSigner.address);
    expect(reported).toMatchObject({ kind: 'refused', reason: 'EXECUTION_REVERTED' });
    await blind.adapter.stop();
    await proxy.close();
  });

  it('is informed of any recipient that a token refuses', async () => {
    const { BLOCK } = world.deployed.tokens;
    const barred: Hex = `0x${'7f'.repeat(20)}`;
    const block = encodeFunctionData({
      ...{ abi: parseAbi(['function setBlocked(address, bool)']), functionName: 'setBlocked' },
      args: [barred, true],
    });
    const hash = await wallet(world.anvil, deployer).sendTransaction({ to: BLOCK, data: block });
    await testClient(world.anvil).waitForTransactionReceipt({ hash, pollingInterval: 20 });
    const pays = encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args: [barred, 1_000n] });
    const [currency, calls] = [BLOCK, [encode(BLOCK, 0n, pays)]];
    expect(await cost(calls, { currency })).toMatchObject({ kind: 'refused', reason: 'BLOCKED_WALLET' });
    const leaves = [encode(RECIPIENT, 0n)];
    expect(await cost(leaves, { currency, recipient: barred })).toMatchObject({
      ...{ kind: 'refused', reason: 'DESTINATION_TOKEN_TRANSFER_REJECTED' },
    });
    expect(await cost(leaves, { currency })).toMatchObject({ work: expect.any(BigInt) });
  });

  it('that fails on the chain is reported by what failed inside of it', async () => {
    const { USDC } = world.deployed.tokens;
    const between = await deploy(batcher);
    const pays = (amount: bigint): Hex =>
      encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args: [RECIPIENT, amount] });
    const execute = (amount: bigint): Hex =>
      encodeFunctionData({
        ...{ abi: batcher.abi, functionName: 'execute' },
        args: [[{ to: USDC, value: 0n, data: pays(amount) }]],
      });
    const owner = wallet(world.anvil, deployer);
    const send = async (to: Hex, data: Hex) => {
      const hash = await owner.sendTransaction({ to, data, gas: 200_000n });
      await testClient(world.anvil).waitForTransactionReceipt({ hash, pollingInterval: 20 });
    };
    const { abi } = artifacts.testToken;
    await send(USDC, encodeFunctionData({ abi: abi as Abi, functionName: 'mint', args: [[between], 6_000n] }));
    const made = await attempt(adapter, withCalls([encode(between, 0n, execute(6_000n))]));
    await send(between, execute(1n));
    expect(await adapter.send(made.transaction)).toEqual({ outcome: 'accepted' });
    const evidence = await eventually(
      async () => (await adapter.look([viewOf(made)]))[0],
      (seen) => seen?.state === 'spent',
    );
    expect(evidence).toMatchObject({
      ok: false,
      failure: { reason: 'TRANSFER_AMOUNT_EXCEEDS_BALANCE', message: expect.stringContaining(USDC.toLowerCase()) },
    });
  });

  it('is not fooled by a contract that behaves while gas has no price', async () => {
    const sly = encode(await newGasRecipient(world, 'RevertIfPriced'), 1n);
    expect(await cost([sly])).toMatchObject({ ok: false, reason: 'EXECUTION_REVERTED' });
    const slow = encode(await newGasRecipient(world, 'BurnIfPriced', 300_000n), 1n);
    const tried = await cost([slow]);
    expect(tried !== undefined && !('ok' in tried) && (tried.work ?? 0n) > 300_000n).toBe(true);
  });

  it('has no more gas than it was charged for', async () => {
    const burner = await newGasRecipient(world, 'Burn', 200_000n);
    const leg = withCalls([encode(burner, 1n)]);
    expect(await check({ ...leg, work: 250_000n })).toMatchObject({ ok: false, reason: 'QUOTED_GAS_LIMIT_EXCEEDED' });
    const checked = await check({ ...leg, work: 400_000n });
    if (!checked.ok) return expect.fail(checked.message);
    expect(JSON.parse(checked.plan)).toMatchObject({ gas: '400000' });
  });

  it('makes no other fill more expensive', async () => {
    const [before, token] = [
      adapter.legCost('fill', NATIVE),
      adapter.legCost('fill', world.deployed.tokens.USDC ?? ''),
    ];
    const burner = await newGasRecipient(world, 'Burn', 300_000n);
    expect(await check(withCalls([encode(burner, 1n)]))).toMatchObject({ ok: true });
    expect(await check(withCalls([encode(burner)], 5_000n, world.deployed.tokens.USDC))).toMatchObject({ ok: true });
    expect(adapter.legCost('fill', NATIVE, RECIPIENT)?.work).toBe(before?.work);
    expect(adapter.legCost('fill', world.deployed.tokens.USDC ?? '')?.work).toBe(token?.work);
  });
});

describe('a fill whose calls exchange what is delivered', () => {
  const OUT: Hex = `0x${'7d'.repeat(20)}`;
  let dealer: Dealer;
  let exchange: (amount: bigint, to?: Hex) => readonly Hex[];

  beforeAll(async () => {
    dealer = await deployUniswap(world.anvil.rpcUrl, world.anvil.chainId);
    const { USDC, DAI } = world.deployed.tokens;
    const { wallet: own, uniswap, write } = dealer;
    for (const token of [USDC, DAI])
      await write(token, artifacts.testToken.abi as Abi, 'mint', [[own.account.address], 10n ** 24n]);
    await addPair(dealer, [
      [USDC, 10n ** 12n],
      [DAI, 3n * 10n ** 12n],
    ]);
    const { abi } = uniswapArtifacts.pairRouter;
    exchange = (amount, to = OUT) => {
      const args = [amount, 0n, [USDC, DAI], to, 2n ** 255n];
      const approve = encodeFunctionData({
        abi: erc20Abi,
        functionName: 'approve',
        args: [uniswap.pairRouter, amount],
      });
      const swap = encodeFunctionData({ abi, functionName: 'swapExactTokensForTokens', args });
      return [encode(USDC, 0n, approve), encode(uniswap.pairRouter, 0n, swap)];
    };
  });

  const swapLeg = (amount: bigint, least: bigint, to: Hex = OUT): FillLeg => {
    const { USDC, DAI } = world.deployed.tokens;
    const wanted = { currency: DAI.toLowerCase(), least };
    return { ...withCalls(exchange(amount, to), amount, USDC), recipient: OUT, wanted };
  };

  it('is tried, sent, and reported with what it brought', async () => {
    const leg = swapLeg(1_000_000n, 2_980_000n);
    const { currency, amount, recipient, calls = [], wanted } = leg;
    expect(await adapter.fillCost({ currency, amount, recipient, calls, ...(wanted && { wanted }) })).toMatchObject({
      work: expect.any(BigInt),
    });
    const reported = await sent(leg);
    const brought = await balanceOf(world.anvil, world.deployed.tokens.DAI, OUT);
    expect(brought).toBeGreaterThan(2_980_000n);
    expect(reported).toMatchObject({
      ok: true,
      effects: [
        { legId: leg.legId, done: true, moved: 1_000_000n, brought: { currency: wanted?.currency, amount: brought } },
      ],
    });
    expect(await adapter.paidBy(leg)).toMatchObject({
      ...{ recipient: OUT, moved: 1_000_000n, brought: { currency: wanted?.currency, amount: brought } },
    });
  });

  it('is refused, before it is promised and before it is sent, where it brings too little or pays another account', async () => {
    const refused = { ok: false, kind: 'refused', reason: 'TOO_LITTLE_RECEIVED' };
    expect(await check(swapLeg(1_000_000n, 3_000_000n))).toMatchObject(refused);
    expect(await check(swapLeg(1_000_000n, 1n, RECIPIENT))).toMatchObject(refused);
    const { currency, amount, recipient, calls = [], wanted } = swapLeg(1_000_000n, 3_000_000n);
    expect(await adapter.fillCost({ currency, amount, recipient, calls, ...(wanted && { wanted }) })).toMatchObject(
      refused,
    );
  });
});

describe('what a swap on one way takes', () => {
  const wanted = { currency: NATIVE, least: 1_000n };
  const good = () => [encode(RECIPIENT, 1_000n)];

  it('is remembered briefly, where the recipient has no say in it', async () => {
    const refusing = [encode(await deploy(rejecter), 1_000n)];
    const first = await cost(good(), { wanted, way: 'pools' });
    expect(first).toMatchObject({ work: expect.any(BigInt) });
    // A cached failure is not repeated here: the check before sending runs it.
    expect(await cost(refusing, { wanted, way: 'pools' })).toEqual({ ...first, at: expect.any(Number) });
    expect(await cost(refusing, { wanted, way: 'others' })).toMatchObject({ ok: false, kind: 'refused' });
    expect(await cost(refusing, { wanted })).toMatchObject({ ok: false, kind: 'refused' });
    await eventually(
      () => cost(refusing, { wanted, way: 'pools' }),
      (reported) => reported !== undefined && 'ok' in reported,
    );
  });

  it('is remembered for no one else where the recipient got code since it was seen', async () => {
    const late: Hex = `0x${'7d'.repeat(20)}`;
    expect(await adapter.fillCost({ currency: NATIVE, amount: 1n, recipient: late })).toBeUndefined();
    const burner = await newGasRecipient(world, 'Burn', 300_000n);
    await world.anvil.rpc('anvil_setCode', [late, await testClient(world.anvil).getCode({ address: burner })]);
    const burning = await cost([encode(late, 1_000n)], { wanted, way: 'late', recipient: late });
    expect(burning).toMatchObject({ work: expect.any(BigInt) });
    const others = await cost(good(), { wanted, way: 'late' });
    if (burning === undefined || others === undefined || 'ok' in burning || 'ok' in others)
      return expect.fail('refused');
    expect((burning.work ?? 0n) - (others.work ?? 0n)).toBeGreaterThan(300_000n);
  });

  it('is tried for each recipient that has one', async () => {
    await cost(good(), { wanted, way: 'contracts' });
    const recipient = await deploy(rejecter);
    expect(await cost([encode(recipient, 1_000n)], { wanted, way: 'contracts', recipient })).toMatchObject({
      ok: false,
      kind: 'refused',
    });
  });
});
