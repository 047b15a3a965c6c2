import type { AskedAuthorization, CallLeg, Hex } from '@causeway/core';
import { jsonRpcFaultProxy } from '@causeway/core/testing';
import {
  concat,
  encodeFunctionData,
  erc20Abi,
  numberToHex,
  padHex,
  parseAbi,
  parseTransaction,
  toEventSelector,
} from 'viem';
import { entryPoint07Abi, entryPoint07Address } from 'viem/account-abstraction';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DELEGATED, readAuthorization } from '../src/authorizations.js';
import { chainConfig } from '../src/chain-config.js';
import { deployer } from '../src/devnet/index.js';
import { EvmAdapter } from '../src/evm-adapter.js';
import { batcher } from '../src/generated/contracts.js';
import { NATIVE } from './support/legs.js';
import { clock, countingMetrics, key, recordingAlerts, recordingLogger, signerOf } from './support/services.js';
import { testClient, wallet } from './support/wallet.js';
import { allocatorSigner, chainOptions, eventually, fillSigner, startWorld, type World } from './support/world.js';

const executor = signerOf(key(4));
const EXECUTOR = executor.address.toLowerCase();
const WORK = 300_000n;
const ASKER = { party: 'key:1', signal: new AbortController().signal };

let world: World;
let adapter: EvmAdapter;
let batching: Hex;
let calls = 0;

beforeAll(async () => {
  world = await startWorld(2);
  const { anvil } = world;
  await testClient(anvil).setBalance({ address: EXECUTOR as Hex, value: 10n ** 19n });
  const config = chainConfig(chainOptions(world), 'local', 0);
  const signers = { fill: fillSigner, allocator: allocatorSigner, executors: [executor] };
  const services = { clock, log: recordingLogger(), alerts: recordingAlerts(), metrics: countingMetrics() };
  adapter = new EvmAdapter(config, signers, services);
  await adapter.start();
  const hash = await wallet(anvil, deployer).deployContract({ ...batcher });
  const { contractAddress } = await testClient(anvil).waitForTransactionReceipt({ hash, pollingInterval: 20 });
  batching = (contractAddress ?? expect.fail('not deployed')).toLowerCase() as Hex;
});

afterAll(async () => {
  await adapter?.stop();
  await world?.anvil.stop();
});

async function newAccount(nonce = 0) {
  const account = privateKeyToAccount(generatePrivateKey());
  const signed = await account.signAuthorization({ address: batching, chainId: world.anvil.chainId, nonce });
  const { chainId, address, yParity = 0, r, s } = signed;
  const asked: AskedAuthorization = { chainId, address, nonce, yParity, r, s };
  const read = readAuthorization(asked);
  if (!read.ok) throw new Error(read.reason);
  return { address: account.address.toLowerCase() as Hex, encoded: read.encoded };
}

const batch = (...made: readonly { to: Hex; data: Hex }[]): Hex =>
  encodeFunctionData({
    abi: batcher.abi,
    functionName: 'execute',
    args: [made.map(({ to, data }) => ({ to, data, value: 0n }))],
  });

function callLeg(to: Hex, data: Hex, authorizations: readonly Hex[] = [], work = WORK): CallLeg {
  calls += 1;
  const legId = `call:${calls}`;
  const base = { legId, currency: NATIVE, amount: 0n, recipient: to, work };
  return { kind: 'call', ...base, useKey: adapter.useKey(legId, 'call'), data, authorizations };
}

/** Signed at the executor's next nonce, unsent. */
async function signedFor(leg: CallLeg) {
  const check = await adapter.check(leg, EXECUTOR);
  if (!check.ok) throw new Error(check.message);
  const position = await adapter.keys.lanePosition(EXECUTOR);
  const lane = { signer: EXECUTOR, position };
  const outcome = await adapter.prepare({ lane, legs: [{ leg, plan: check.plan }] });
  if (!outcome.ok) throw new Error(outcome.message);
  return {
    leg,
    plan: check.plan,
    key: outcome.prepared.key,
    fees: outcome.prepared.fees,
    transaction: await adapter.sign(outcome.prepared, EXECUTOR),
  };
}

async function land({ leg, key: name, transaction }: Awaited<ReturnType<typeof signedFor>>) {
  expect(await adapter.send(transaction)).toEqual({ outcome: 'accepted' });
  const { data: _, authorizations: _list, ...known } = leg;
  const attempts = [{ hash: transaction.hash, legs: [known] }];
  const view = { key: name, signer: EXECUTOR, attempts };
  return eventually(
    async () => (await adapter.look([view]))[0],
    (evidence) => evidence?.state === 'spent',
  );
}

/** Code that logs the event of an operation with four words of zeros, whose second states that it failed. */
function logsFailure(): Hex {
  const word = (value: number | Hex) => padHex(typeof value === 'number' ? numberToHex(value) : value).slice(2);
  const event = toEventSelector('UserOperationEvent(bytes32,address,address,uint256,bool,uint256,uint256)');
  const topics = [word(0), word(batching), word(1), event.slice(2)].map((topic) => `7f${topic}`).join('');
  return `0x${topics}60806000a400`;
}

describe('a call for others', () => {
  it('is made from the executor, whose lane sends nothing else', async () => {
    expect(adapter.lanes.map(({ signer, sends }) => [signer, sends.includes('call'), sends.length])).toEqual([
      [fillSigner.address.toLowerCase(), false, 4],
      [EXECUTOR, true, 1],
    ]);
    const { address, encoded } = await newAccount();
    const evidence = await land(await signedFor(callLeg(address, batch(), [encoded])));
    expect(evidence).toMatchObject({
      ok: true,
      feePaidBy: { pot: 'lane', owner: EXECUTOR },
      effects: [{ done: true, moved: 0n }],
    });
  });

  it('is replaced at a higher fee under the same nonce, with its authorizations, and made once', async () => {
    const { anvil } = world;
    const { address, encoded } = await newAccount();
    const before = await testClient(anvil).getTransactionCount({ address: EXECUTOR as Hex });
    await anvil.setAutomine(false);
    const first = await signedFor(callLeg(address, batch(), [encoded]));
    expect(await adapter.send(first.transaction)).toEqual({ outcome: 'accepted' });
    const { leg, plan, key: name, fees: previousFees } = first;
    const outcome = await adapter.replace({ key: name, signer: EXECUTOR, previousFees, legs: [{ leg, plan }] });
    if (!outcome.ok) throw new Error(outcome.message);
    const second = await adapter.sign(outcome.prepared, EXECUTOR);
    const [cheap, expensive] = [first.transaction, second].map(({ bytes }) =>
      parseTransaction(bytes as `0x04${string}`),
    );
    expect(expensive?.authorizationList).toEqual(cheap?.authorizationList);
    expect(expensive?.maxPriorityFeePerGas).toBeGreaterThan(cheap?.maxPriorityFeePerGas ?? 0n);
    expect(await adapter.send(second)).toEqual({ outcome: 'accepted' });
    await anvil.mine();
    await anvil.setAutomine(true);
    const { data: _, authorizations: _list, ...known } = leg;
    const attempts = [first.transaction, second].map(({ hash }) => ({ hash, legs: [known] }));
    const [evidence] = await adapter.look([{ key: name, signer: EXECUTOR, attempts }]);
    expect(evidence).toMatchObject({ state: 'spent', hash: second.hash, ok: true, effects: [{ done: true }] });
    expect(await testClient(anvil).getTransactionCount({ address: EXECUTOR as Hex })).toBe(before + 1);
  });

  it('is no success where the chain passed over an authorization', async () => {
    const { address, encoded } = await newAccount();
    const made = await signedFor(callLeg(address, batch(), [encoded]));
    // The account sends something of its own first.
    await testClient(world.anvil).setNonce({ address, nonce: 1 });
    expect(await land(made)).toMatchObject({
      ok: true,
      effects: [
        {
          ...{ done: false, returned: true, moved: 0n },
          failure: { reason: 'INVALID_NONCE', message: expect.stringContaining(address) },
        },
      ],
    });
  });

  it('is refused where its authorization fits no more', async () => {
    const { address, encoded } = await newAccount(5);
    const leg = callLeg(address, batch(), [encoded]);
    expect(await adapter.check(leg, EXECUTOR)).toMatchObject({ ok: false, kind: 'refused', reason: 'INVALID_NONCE' });
    const call = { to: address, data: batch(), authorizations: [encoded] };
    expect(await adapter.capabilities.rawCalls?.simulate(call, EXECUTOR, ASKER)).toMatchObject({
      is: 'refused',
      reason: 'INVALID_NONCE',
    });
  });

  it('never gets more gas than it was accepted with', async () => {
    const data = batch({ to: batching, data: batch() });
    const call = { to: batching, data, authorizations: [] };
    const tried = await adapter.capabilities.rawCalls?.simulate(call, EXECUTOR, ASKER);
    if (tried?.is !== 'done') throw new Error(JSON.stringify(tried));
    const bound = tried.cost.work - 1n;
    const { plan } = await signedFor(callLeg(batching, data, [], bound));
    expect(BigInt((JSON.parse(plan) as { gas: string }).gas)).toBe(bound);
    const expensive = callLeg(batching, data, [], 22_000n);
    const reason = 'QUOTED_GAS_LIMIT_EXCEEDED';
    expect(await adapter.check(expensive, EXECUTOR)).toMatchObject({ ok: false, kind: 'refused', reason });
  });

  it('is tried once at a head, and again at another or the next', async () => {
    const client = testClient(world.anvil);
    const code = await client.getCode({ address: batching });
    const call = { to: batching, data: batch(), authorizations: [] };
    const accepted = async () => {
      const tried = await adapter.capabilities.rawCalls?.simulate(call, EXECUTOR, ASKER);
      return tried?.is === 'done' ? tried.cost.work : expect.fail(JSON.stringify(tried));
    };
    const seen = (height: number) =>
      eventually(
        async () => adapter.status().head?.value ?? 0,
        (now) => now >= height,
      );
    const height = Number(await client.getBlockNumber({ cacheTime: 0 }));
    await seen(height);
    const leg = callLeg(batching, call.data, [], await accepted());
    // Changed within the head: only a second trial would notice.
    await client.setCode({ address: batching, bytecode: '0x5f5ffd' });
    try {
      expect(await adapter.check(leg, EXECUTOR)).toMatchObject({ ok: true });
      expect(await adapter.check({ ...leg, data: '0x12' }, EXECUTOR)).toMatchObject({ ok: false });
      // Another head at the same height. What passed is cached for five seconds.
      await world.anvil.reorg(1);
      await client.setCode({ address: batching, bytecode: '0x5f5ffd' });
      await eventually(
        () => adapter.check(leg, EXECUTOR),
        ({ ok }) => !ok,
        3_000,
      );
      await client.mine({ blocks: 1 });
      await seen(height + 1);
      expect(await adapter.check(leg, EXECUTOR)).toMatchObject({ ok: false, kind: 'refused' });
    } finally {
      await client.setCode({ address: batching, bytecode: code ?? '0x' });
      await client.mine({ blocks: 1 });
    }
  });

  it('gets the gas that it is to have beyond its trial, up to what the chain allows', async () => {
    const call = { to: batching, data: batch(), authorizations: [] };
    const works = [undefined, 80_000n, 10n ** 15n].map(async (overhead) => {
      const asked = overhead === undefined ? call : { ...call, overhead };
      const tried = await adapter.capabilities.rawCalls?.simulate(asked, EXECUTOR, ASKER);
      return tried?.is === 'done' ? tried.cost : expect.fail(JSON.stringify(tried));
    });
    const [plain, more, most] = await Promise.all(works);
    expect(more?.work).toBe((plain?.work ?? 0n) + 80_000n);
    expect(more?.most).toBeGreaterThan(plain?.most ?? 0n);
    expect(most?.work).toBe(chainConfig(chainOptions(world), 'local', 0).gas.limitCap);
  });

  it('is priced with its bound, or explained where it reverts', async () => {
    const { rawCalls } = adapter.capabilities;
    const good = await rawCalls?.simulate({ to: batching, data: batch(), authorizations: [] }, EXECUTOR, ASKER);
    if (good?.is !== 'done') throw new Error(JSON.stringify(good));
    expect(good.cost.most).toBeGreaterThanOrEqual(good.cost.native);
    expect(good.cost.work).toBeGreaterThan(21_000n);
    const token = world.deployed.tokens.USDC as Hex;
    const data = encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args: [batching, 1n] });
    const bad = await rawCalls?.simulate({ to: token, data, authorizations: [] }, EXECUTOR, ASKER);
    expect(bad).toMatchObject({
      is: 'reverted',
      revert: { topLevel: { address: token.toLowerCase() }, revert: { label: 'TRANSFER_AMOUNT_EXCEEDS_BALANCE' } },
    });
  });

  it('is explained by tx.origin where it would pass from its account', async () => {
    const client = testClient(world.anvil);
    const [guarded, closed] = [`0x${'0d'.repeat(20)}`, `0x${'0c'.repeat(20)}`] as [Hex, Hex];
    // ORIGIN CALLER EQ PUSH1 9 JUMPI PUSH0 PUSH0 REVERT JUMPDEST STOP; and PUSH0 PUSH0 REVERT.
    await client.setCode({ address: guarded, bytecode: '0x3233146009575f5ffd5b00' });
    await client.setCode({ address: closed, bytecode: '0x5f5ffd' });
    const hint = 'it depends on tx.origin';
    for (const isDelegated of [false, true]) {
      const { address, encoded } = await newAccount();
      if (isDelegated) await client.setCode({ address, bytecode: concat([DELEGATED, batching]) });
      const authorizations = isDelegated ? [] : [encoded];
      const tried = async (to: Hex) => {
        const call = { to: address, data: batch({ to, data: '0x' }), authorizations };
        return adapter.capabilities.rawCalls?.simulate(call, EXECUTOR, ASKER);
      };
      expect(await tried(guarded)).toMatchObject({
        is: 'reverted',
        revert: { revert: { message: expect.stringContaining(hint) } },
      });
      expect(await tried(closed)).toMatchObject({
        is: 'reverted',
        revert: { revert: { message: expect.not.stringContaining(hint) } },
      });
    }
  });

  it('is explained as ever where a provider drops the question about tx.origin', async () => {
    const proxy = await jsonRpcFaultProxy(world.anvil.rpcUrl);
    proxy.plan = ({ method, params }) => (method === 'eth_call' && params.length > 2 ? 'dropBefore' : 'pass');
    const rpc = [{ http: proxy.url, ws: world.anvil.wsUrl }];
    const services = { clock, log: recordingLogger(), alerts: recordingAlerts(), metrics: countingMetrics() };
    const signers = { fill: fillSigner, allocator: allocatorSigner, executors: [executor] };
    const proxied = new EvmAdapter(chainConfig(chainOptions(world, { rpc }), 'local', 0), signers, services);
    await proxied.start();
    const token = (world.deployed.tokens.USDC as Hex).toLowerCase();
    const data = encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args: [batching, 1n] });
    const refused = await proxied.capabilities.rawCalls?.simulate(
      { to: token, data, authorizations: [] },
      EXECUTOR,
      ASKER,
    );
    expect(refused).toMatchObject({ is: 'reverted', revert: { revert: { label: 'TRANSFER_AMOUNT_EXCEEDS_BALANCE' } } });
    expect(proxy.calls.some(({ fault }) => fault === 'dropBefore')).toBe(true);
    await proxied.stop();
    await proxy.close();
  });

  it('is not made at a token that the executor holds', async () => {
    const token = world.deployed.tokens.BLOCK as Hex;
    const abi = parseAbi(['function mint(address[] accounts, uint256 amount)']);
    const args = [[EXECUTOR as Hex], 5n] as const;
    const hash = await wallet(world.anvil, deployer).writeContract({ address: token, abi, functionName: 'mint', args });
    await testClient(world.anvil).waitForTransactionReceipt({ hash, pollingInterval: 20 });
    const data = encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args: [batching, 5n] });
    const call = { to: token.toLowerCase(), data, authorizations: [] };
    expect(await adapter.capabilities.rawCalls?.simulate(call, EXECUTOR, ASKER)).toMatchObject({
      is: 'refused',
      message: expect.stringContaining('spend or approve'),
    });
    const leg = callLeg(token.toLowerCase() as Hex, data);
    expect(await adapter.check(leg, EXECUTOR)).toMatchObject({ ok: false, kind: 'refused' });
    const unknown = { ...call, data: '0x313ce567' as Hex };
    expect(await adapter.capabilities.rawCalls?.simulate(unknown, EXECUTOR, ASKER)).toMatchObject({
      is: 'refused',
      message: expect.stringContaining('holds some'),
    });
    // Dust from others blocks nothing that another account authorizes.
    const args3 = [batching, EXECUTOR as Hex, 0n] as const;
    const from = encodeFunctionData({ abi: erc20Abi, functionName: 'transferFrom', args: args3 });
    expect((await adapter.capabilities.rawCalls?.simulate({ ...call, data: from }, EXECUTOR, ASKER))?.is).toBe('done');
  });

  it('approves no token of the executor, which holds none', async () => {
    const token = world.deployed.tokens.USDC as Hex;
    const data = encodeFunctionData({ abi: erc20Abi, functionName: 'approve', args: [batching, 2n ** 256n - 1n] });
    const call = { to: token.toLowerCase(), data, authorizations: [] };
    expect(await adapter.capabilities.rawCalls?.simulate(call, EXECUTOR, ASKER)).toMatchObject({
      is: 'refused',
      message: expect.stringContaining('approve'),
    });
  });

  it('is refused where nothing would be executed, and no success where nothing was', async () => {
    const { address } = await newAccount();
    const { encoded } = await newAccount();
    // The second list gives code to another account than the one that is called.
    for (const authorizations of [[], [encoded]])
      expect(
        await adapter.capabilities.rawCalls?.simulate({ to: address, data: batch(), authorizations }, EXECUTOR, ASKER),
      ).toMatchObject({ is: 'refused', message: expect.stringContaining('has no code') });
    const client = testClient(world.anvil);
    await client.setCode({ address, bytecode: `0xef0100${batching.slice(2)}` });
    const made = await signedFor(callLeg(address, batch()));
    await client.setCode({ address, bytecode: '0x' });
    expect(await land(made)).toMatchObject({
      ok: true,
      effects: [{ done: false, returned: true, failure: { message: expect.stringContaining('had no code') } }],
    });
  });

  it('is no success where an operation of a smart account failed within it', async () => {
    const { address } = await newAccount();
    await testClient(world.anvil).setCode({ address, bytecode: logsFailure() });
    const free = encodeFunctionData({ abi: entryPoint07Abi, functionName: 'handleOps', args: [[], batching] });
    const effects = async (data: Hex) => (await land(await signedFor(callLeg(address, data)))) as { effects: unknown };
    expect(await effects(free)).toMatchObject({
      effects: [{ done: false, returned: true, failure: { reason: 'EXECUTION_REVERTED' } }],
    });
    expect(await effects('0x12')).toMatchObject({ effects: [{ done: true }] });
  });

  it('is a success where another contract than the entry point claims that an operation failed', async () => {
    const [{ address: entry }, { address: liar }] = [await newAccount(), await newAccount()];
    const client = testClient(world.anvil);
    // Five times PUSH0, PUSH20 the account, GAS, CALL, STOP.
    await client.setCode({ address: entry, bytecode: `0x5f5f5f5f5f73${liar.slice(2)}5af100` });
    await client.setCode({ address: liar, bytecode: logsFailure() });
    const free = encodeFunctionData({ abi: entryPoint07Abi, functionName: 'handleOps', args: [[], batching] });
    const call = { to: entry, data: free, authorizations: [] };
    expect(await adapter.capabilities.rawCalls?.simulate(call, EXECUTOR, ASKER)).toMatchObject({ is: 'done' });
    expect(await land(await signedFor(callLeg(entry, free)))).toMatchObject({ effects: [{ done: true }] });
  });

  it('counts for the account whose operation an entry point checks', () => {
    const args = [[], batching] as const;
    const data = encodeFunctionData({ abi: entryPoint07Abi, functionName: 'handleOps', args });
    expect(adapter.capabilities.rawCalls?.userOf?.({ to: entryPoint07Address, data })).toBeUndefined();
    const operation = {
      ...{ sender: batching, nonce: 0n, initCode: '0x' as Hex, callData: '0x' as Hex, preVerificationGas: 0n },
      ...{ accountGasLimits: numberToHex(0, { size: 32 }), gasFees: numberToHex(0, { size: 32 }) },
      ...{ paymasterAndData: '0x' as Hex, signature: '0x' as Hex },
    };
    const one = encodeFunctionData({
      abi: entryPoint07Abi,
      functionName: 'handleOps',
      args: [[operation], batching],
    });
    expect(adapter.capabilities.rawCalls?.userOf?.({ to: entryPoint07Address, data: one })).toBe(batching);
  });

  it('is never one of a contract or an account of the service', () => {
    const { depository, router } = world.deployed;
    for (const to of [depository, router, executor.address, fillSigner.address])
      expect(adapter.capabilities.rawCalls?.refuse({ to: to.toLowerCase(), data: '0x' }), to).toMatchObject({
        field: 'to',
      });
    const operation = {
      ...{ sender: batching, nonce: 0n, initCode: '0x' as Hex, callData: '0x' as Hex, preVerificationGas: 0n },
      ...{ accountGasLimits: numberToHex(0, { size: 32 }), gasFees: numberToHex(1, { size: 32 }) },
      ...{ paymasterAndData: '0x' as Hex, signature: '0x' as Hex },
    };
    const args = [[operation], batching] as const;
    const paid = encodeFunctionData({ abi: entryPoint07Abi, functionName: 'handleOps', args });
    expect(adapter.capabilities.rawCalls?.refuse({ to: batching, data: paid })).toMatchObject({ field: 'data' });
    expect(adapter.capabilities.rawCalls?.refuse({ to: batching, data: '0x' })).toBeUndefined();
  });
});
