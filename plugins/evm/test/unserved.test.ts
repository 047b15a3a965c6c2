import type { DepositBatch, DepositObservation, Hex } from '@causeway/core';
import { encodeFunctionData } from 'viem';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { depositoryAbi, erc20Abi } from '../src/abi.js';
import { deployer } from '../src/devnet/index.js';
import { batcher, testToken } from '../src/generated/contracts.js';
import { testClient, wallet } from './support/wallet.js';
import { chainOptions, Follower, orderId, type Rig, startAdapter, startWorld, type World } from './support/world.js';

let world: World;
let some: Rig;
let all: Rig;

beforeAll(async () => {
  world = await startWorld(2);
  const options = chainOptions(world);
  all = await startAdapter(options);
  some = await startAdapter({
    ...options,
    currencies: (options.currencies ?? []).filter(({ symbol }) => symbol !== 'BLOCK'),
  });
});
afterAll(async () => {
  await some.adapter.stop();
  await all.adapter.stop();
  await world.anvil.stop();
});

/** One transaction: unserved token, native coin, unserved token, native coin. */
async function mixedDeposits(): Promise<Hex> {
  const { anvil, deployed } = world;
  const { depository, tokens } = deployed;
  const user = deployed.users[0] ?? expect.fail('no user');
  const client = wallet(anvil, deployer);
  const created = await client.deployContract({ ...batcher, args: [] });
  const { contractAddress: maker } = await testClient(anvil).waitForTransactionReceipt({
    hash: created,
    pollingInterval: 20,
  });
  if (maker == null) throw new Error('not deployed');
  const call = (to: Hex, data: Hex, value = 0n) => ({ to, data, value });
  const foreign = (n: number) =>
    call(
      depository,
      encodeFunctionData({
        abi: depositoryAbi,
        functionName: 'depositErc20',
        args: [user.address, tokens.BLOCK, 7n, orderId(n)],
      }),
    );
  const native = (n: number) =>
    call(
      depository,
      encodeFunctionData({ abi: depositoryAbi, functionName: 'depositNative', args: [user.address, orderId(n)] }),
      5n,
    );
  const calls = [
    call(tokens.BLOCK, encodeFunctionData({ abi: testToken.abi, functionName: 'mint', args: [[maker], 100n] })),
    call(tokens.BLOCK, encodeFunctionData({ abi: erc20Abi, functionName: 'approve', args: [depository, 100n] })),
    ...[foreign(1), native(2), foreign(3), native(4)],
  ];
  const data = encodeFunctionData({ abi: batcher.abi, functionName: 'execute', args: [calls] });
  return client.sendTransaction({ to: maker, data, value: 10n, gas: 2_000_000n });
}

const reported = (batches: readonly DepositBatch[]) => batches.flatMap(({ deposits }) => deposits);
const short = ({ fundingKey, currency }: DepositObservation) => [fundingKey.split(':').at(-1), currency];

it('reports no deposit in a token that no one configured, counts it, and keeps the funding keys of the others', async () => {
  const followers = [some, all].map(({ adapter }) => new Follower(adapter));
  for (const follower of followers) await follower.next();
  const hash = await mixedDeposits();
  const [served = [], everything = []] = await Promise.all(
    followers.map(async (follower) => reported(await follower.until(({ deposits }) => deposits.length > 0))),
  );
  const [token, native] = [world.deployed.tokens.BLOCK.toLowerCase(), `0x${'0'.repeat(40)}`];
  expect(everything.map(short)).toEqual([
    ['0', token],
    ['1', native],
    ['2', token],
    ['3', native],
  ]);
  expect(served).toEqual([everything[1], everything[3]]);
  expect(some.metrics.counts.get('unserved_deposits:')).toBe(2);
  expect(all.metrics.counts.get('unserved_deposits:')).toBeUndefined();
  expect(some.log.lines.filter(({ message }) => message.includes('not configured'))).toEqual([
    { level: 'debug', message: expect.any(String), fields: { unserved: 2, transactionHash: hash, currency: token } },
  ]);

  // Unreported deposits have no witness; reported ones are found under their key.
  const sightings = everything.map((deposit) => ({
    ...deposit,
    block: deposit.block ?? expect.fail('not in a block'),
    providers: 1,
  }));
  expect(await some.adapter.witness(sightings)).toEqual([false, true, false, true]);
  expect(await all.adapter.witness(sightings)).toEqual([true, true, true, true]);

  // Nor is it reported or counted again at finality.
  await world.anvil.mine(20);
  const height = await world.anvil.height();
  const [follower] = followers;
  const later = reported((await follower?.until(({ head }) => head.height === height)) ?? []);
  expect(later.map(short)).toEqual([
    ['1', native],
    ['3', native],
  ]);
  expect(some.metrics.counts.get('unserved_deposits:')).toBe(2);
  for (const one of followers) await one.stop();
});
