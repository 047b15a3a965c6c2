import type { ExecutionObservation, PayerSwap, PayerSwaps } from '@causeway/core';
import { type Address, encodeFunctionData, erc20Abi, type Hex } from 'viem';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { chainConfig } from '../src/chain-config.js';
import type { EvmAdapter } from '../src/evm-adapter.js';
import { swapEntry } from '../src/generated/contracts.js';
import { testClient, wallet } from './support/wallet.js';
import {
  chainOptions,
  eventually,
  Follower,
  makeAdapter,
  orderId,
  startAdapter,
  startWorld,
  type World,
} from './support/world.js';

const NATIVE = '0x0000000000000000000000000000000000000000';
const FAR_DEADLINE = 10 ** 10;
const FEE_TO = `0x${'fe'.repeat(20)}`;

let world: World;
let adapter: EvmAdapter;
let own: PayerSwaps;
let follower: Follower;

const options = () => {
  const plain = chainOptions(world);
  return { ...plain, contracts: { ...plain.contracts, swapEntry: world.deployed.swapEntry } };
};
const user = () => world.deployed.users[0] ?? expect.fail('no user');
const other = () => world.deployed.users[1] ?? expect.fail('no user');
const usdc = () => world.deployed.tokens.USDC.toLowerCase();
const usdt = () => world.deployed.tokens.USDT.toLowerCase();

beforeAll(async () => {
  world = await startWorld(2);
});
beforeEach(async () => {
  ({ adapter } = await startAdapter(options()));
  own = adapter.capabilities.payerSwaps ?? expect.fail('no capability');
  follower = new Follower(adapter);
  await follower.next();
});
afterEach(async () => {
  await follower.stop();
  await adapter.stop();
});
afterAll(() => world.anvil.stop());

let n = 0;
function swap(over: Partial<PayerSwap> = {}): PayerSwap {
  n += 1;
  return {
    ...{ orderId: orderId(n), payer: user().address.toLowerCase(), recipient: other().address.toLowerCase() },
    ...{ input: NATIVE, amountIn: 1_000n, output: NATIVE, least: 1_000n, deadline: FAR_DEADLINE, fee: null, calls: [] },
    ...over,
  };
}

async function execute(made: PayerSwap, by = user()) {
  let receipt: Awaited<ReturnType<ReturnType<typeof testClient>['waitForTransactionReceipt']>> | undefined;
  for (const step of own.steps(made)) {
    for (const { data } of step.items) {
      const { to, data: input, value } = data as { to: Address; data: Hex; value: string };
      const hash = await wallet(world.anvil, by).sendTransaction({
        to,
        data: input,
        value: BigInt(value),
        gas: 900_000n,
      });
      receipt = await testClient(world.anvil).waitForTransactionReceipt({ hash, pollingInterval: 20 });
    }
  }
  return receipt ?? expect.fail('no steps');
}

const reported = async (): Promise<ExecutionObservation[]> => {
  const batches = await follower.until(({ executions }) => (executions?.length ?? 0) > 0);
  return [...(batches.at(-1)?.executions ?? [])];
};
const holds = (token: string, who: string) =>
  testClient(world.anvil).readContract({
    address: token as Address,
    abi: erc20Abi,
    functionName: 'balanceOf',
    args: [who as Address],
  });

describe('what users execute by themselves', () => {
  it('is offered only where there is an entry', () => {
    const { adapter: without } = makeAdapter(chainOptions(world));
    expect(without.capabilities.payerSwaps).toBeUndefined();
    expect(without.revertedExecution).toBeUndefined();
  });

  it('has steps that wallets sign, and is reported by the watcher', async () => {
    const made = swap();
    expect(own.steps(made).map(({ id }) => id)).toEqual(['send']);
    const { transactionHash } = await execute(made);
    const block = await testClient(world.anvil).getBlock();
    expect(await reported()).toEqual([
      {
        ...{ id: `31337:${transactionHash}:${made.orderId}:0`, chainId: 31337, transactionHash, orderId: made.orderId },
        ...{ payer: made.payer, recipient: made.recipient, input: NATIVE, amountIn: 1_000n, output: NATIVE },
        ...{ amountOut: 1_000n, feeTo: NATIVE, fee: 0n, state: 'included' },
        block: { height: Number(block.number), id: block.hash, timestamp: Number(block.timestamp) * 1000 },
      },
    ]);
  });

  it('approves exactly the input, after a reset where the token wants one, and pays the fee', async () => {
    const fee = { to: FEE_TO, amount: 25n };
    const plain = swap({ input: usdc(), output: usdc(), least: 975n, fee });
    expect(own.steps(plain).map(({ id }) => id)).toEqual(['approve', 'send']);
    await execute(plain);
    expect(await reported()).toMatchObject([
      { input: usdc(), amountIn: 1_000n, amountOut: 975n, feeTo: FEE_TO, fee: 25n },
    ]);
    expect(await holds(usdc(), FEE_TO)).toBe(25n);
    const reset = swap({ input: usdt(), output: usdt(), least: 1n });
    expect(own.steps(reset).map(({ id }) => id)).toEqual(['approve', 'approve', 'send']);
    await execute(reset);
    expect(await reported()).toMatchObject([{ orderId: reset.orderId }]);
  });

  it('makes calls from the account that it names beforehand', async () => {
    const data = encodeFunctionData({
      abi: erc20Abi,
      functionName: 'transfer',
      args: [other().address, 1_000n],
    });
    const made = swap({ input: usdc(), output: usdc(), calls: [{ to: usdc(), value: 0n, data }] });
    expect(own.steps(made).map(({ id }) => id)).toEqual(['approve', 'swap']);
    const account = own.account(made.orderId, made.payer);
    const named = await testClient(world.anvil).readContract({
      address: world.deployed.swapEntry,
      abi: swapEntry.abi,
      functionName: 'accountOf',
      args: [made.orderId, user().address],
    });
    expect(account).toBe(named.toLowerCase());
    const before = await holds(usdc(), other().address);
    await execute(made);
    expect((await holds(usdc(), other().address)) - before).toBe(1_000n);
    expect(await testClient(world.anvil).getCode({ address: account as Address })).toBeDefined();
    expect(await reported()).toMatchObject([{ orderId: made.orderId, amountOut: 1_000n }]);
  });

  it('is reported again when it is final, and as gone by a reorg that does not repeat it', async () => {
    const made = swap();
    const snapshot = await world.anvil.rpc<string>('evm_snapshot', []);
    await execute(made);
    const [first] = await reported();
    await world.anvil.rpc('evm_revert', [snapshot]);
    for (let block = 0; block < 3; block += 1) await world.anvil.mine();
    const [gone] = (await follower.until(({ rewoundTo }) => rewoundTo !== undefined)).slice(-1);
    expect(gone?.rewoundTo).toBeLessThan(first?.block.height ?? 0);
    expect(gone?.executions).toBeUndefined();
    const again = swap();
    await execute(again);
    await reported();
    for (let block = 0; block < 40; block += 1) await world.anvil.mine();
    const finals = await follower.until(
      ({ executions }) => executions?.some(({ state }) => state === 'final') ?? false,
    );
    expect(finals.at(-1)?.executions).toMatchObject([{ orderId: again.orderId, state: 'final' }]);
  });

  it('is proven to have reverted by its own transaction alone', async () => {
    const made = swap({ input: usdc(), output: usdt(), least: 5n, calls: [{ to: usdc(), value: 0n, data: '0x' }] });
    const { transactionHash, status } = await execute(made);
    expect(status).toBe('reverted');
    const found = await eventually(
      async () => adapter.revertedExecution?.(transactionHash),
      (answer) => answer !== undefined,
    );
    expect(found).toMatchObject({ orderId: made.orderId, payer: made.payer, final: false });
    expect(found?.message).toContain('reverted');
    for (let block = 0; block < 8; block += 1) await world.anvil.mine();
    expect(await adapter.revertedExecution?.(transactionHash)).toMatchObject({ final: true });
    const good = await execute(swap());
    expect(await adapter.revertedExecution?.(good.transactionHash)).toBeUndefined();
    expect(await adapter.revertedExecution?.(`0x${'12'.repeat(32)}`)).toBeUndefined();
    expect(await adapter.revertedExecution?.('nothing')).toBeUndefined();
    // A reverted transaction to another contract with the same calldata.
    const [step] = own.steps(swap()).slice(-1);
    const elsewhere = await wallet(world.anvil, user()).sendTransaction({
      ...{ to: world.deployed.depository, data: step?.items[0]?.data['data'] as Hex, gas: 200_000n },
    });
    await testClient(world.anvil).waitForTransactionReceipt({ hash: elsewhere, pollingInterval: 20 });
    expect(await adapter.revertedExecution?.(elsewhere)).toBeUndefined();
  });

  it('costs what its steps take', async () => {
    const cost = (input: string, work: bigint) => own.cost({ input, work })?.native ?? 0n;
    expect(cost(NATIVE, 0n)).toBeGreaterThan(0n);
    expect(cost(usdc(), 0n)).toBeGreaterThan(cost(NATIVE, 0n));
    expect(cost(usdc(), 100_000n)).toBeGreaterThan(cost(usdc(), 0n));
    expect(own.cost({ input: NATIVE, work: 0n, overhead: 50_000n })?.native).toBeGreaterThan(cost(NATIVE, 0n));
    expect(() =>
      chainConfig({ ...options(), contracts: { ...options().contracts, swapEntry: 'x' } }, 'local', 0),
    ).toThrow();
  });
});
