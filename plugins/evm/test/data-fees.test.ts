import type { Hex } from '@causeway/core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { deployer } from '../src/devnet/index.js';
import type { EvmAdapter } from '../src/evm-adapter.js';
import { testRollupOracle } from '../src/generated/contracts.js';
import { attempt, fillLeg, NATIVE } from './support/legs.js';
import { testClient, wallet } from './support/wallet.js';
import { chainOptions, eventually, fillSigner, startAdapter, startWorld, type World } from './support/world.js';

const ADDRESS = {
  'op-stack': '0x420000000000000000000000000000000000000F',
  arbitrum: '0x00000000000000000000000000000000000000C8',
} as const;
const TOKEN_OF = (world: World) => world.deployed.tokens.USDC ?? expect.fail('no token');

let world: World;
let code: Hex;

beforeAll(async () => {
  world = await startWorld();
  const hash = await wallet(world.anvil, deployer).deployContract({ ...testRollupOracle, args: [] });
  const { contractAddress } = await testClient(world.anvil).waitForTransactionReceipt({ hash, pollingInterval: 20 });
  code = (await testClient(world.anvil).getCode({ address: contractAddress ?? '0x' })) ?? '0x';
});
afterAll(() => world.anvil.stop());

async function oracle(model: keyof typeof ADDRESS, base: bigint, perByte: bigint, broken = false): Promise<void> {
  const address = ADDRESS[model];
  await world.anvil.rpc('anvil_setCode', [address, code]);
  const hash = await wallet(world.anvil, deployer).writeContract({
    ...{ address, abi: testRollupOracle.abi, functionName: 'set', args: [base, perByte, broken] },
  } as never);
  await testClient(world.anvil).waitForTransactionReceipt({ hash, pollingInterval: 20 });
}

/** A single tip, so that only blocks change the gas price, which is constant on an idle chain. */
const gas = { minPriorityFeePerGas: '1000000000', maxPriorityFeePerGas: '1000000000', costBuffer: 1.5 };
const costs = (adapter: EvmAdapter) => {
  const cost = (kind: 'fill' | 'refund', currency = NATIVE) =>
    adapter.legCost(kind, currency) ?? expect.fail('no cost');
  return { fill: cost('fill'), refund: cost('refund'), token: cost('fill', TOKEN_OF(world)) };
};

describe.each(['op-stack', 'arbitrum'] as const)('on a chain of the kind %s', (model) => {
  let adapter: EvmAdapter;
  let plain: EvmAdapter;

  beforeEach(async () => {
    await oracle(model, 10_000n, 100n);
    ({ adapter } = await startAdapter(chainOptions(world, { gas: { ...gas, dataFee: model } })));
    ({ adapter: plain } = await startAdapter(chainOptions(world, { gas })));
    await eventually(
      async () => adapter.legCost('fill', NATIVE),
      (cost) => cost !== undefined,
    );
  });
  afterEach(async () => {
    await adapter.stop();
    await plain.stop();
  });

  it('the bytes of a movement are charged for, with the buffer', () => {
    const [expensive, cheap] = [costs(adapter), costs(plain)];
    const small = 10_000n + 100n * 400n;
    // Refunds carry a signature: 110 bytes beyond the minimum charge.
    const charged = { fill: small, token: small, refund: small + 11_000n } as const;
    for (const kind of ['fill', 'token', 'refund'] as const) {
      const [{ native, work = 0n, most = 0n }, before] = [expensive[kind], cheap[kind]];
      const price = before.native / (before.work ?? 1n);
      const data = (charged[kind] * 3n) / 2n;
      expect(native - before.native, kind).toBe(model === 'op-stack' ? data : data * price);
      expect(work - (before.work ?? 0n), kind).toBe(model === 'op-stack' ? 0n : data);
      expect(most, kind).toBeGreaterThan(before.most ?? 0n);
    }
  });

  it('the payer is informed of what the bytes of a deposit cost', () => {
    const [expensive, cheap] = [adapter, plain].map((one) => one.depositCost(TOKEN_OF(world))?.native ?? 0n);
    expect((expensive ?? 0n) - (cheap ?? 0n)).toBeGreaterThan(0n);
  });

  it('calls are charged for their own bytes', async () => {
    const { destinationCalls } = adapter.capabilities;
    const call =
      destinationCalls?.encode({ to: fillSigner.address, value: 0n, data: `0x${'ab'.repeat(4_000)}` }) ?? '0x';
    const wish = { currency: NATIVE, amount: 5n, recipient: `0x${'7d'.repeat(20)}`, calls: [call] };
    const [expensive, cheap] = await Promise.all([adapter.fillCost(wish), plain.fillCost(wish)]);
    if (expensive === undefined || cheap === undefined || 'ok' in expensive || 'ok' in cheap)
      return expect.fail('refused');
    if (model === 'op-stack') expect(expensive.native - cheap.native).toBeGreaterThan((100n * 4_000n * 3n) / 2n);
    // Estimates that include the data fee are not charged twice.
    else expect(expensive.work).toBe(cheap.work);
  });

  it('the lane keeps what the bytes may cost', async () => {
    const leg = fillLeg(model === 'op-stack' ? 9_001 : 9_002, `0x${'7c'.repeat(20)}`, 5n);
    const [expensive, cheap] = [await attempt(adapter, leg), await attempt(plain, leg)];
    const more = expensive.prepared.maxFee - cheap.prepared.maxFee;
    if (model === 'op-stack') expect(more).toBeGreaterThanOrEqual(100_000n);
    else expect(more).toBe(0n);
  });
});

it('nothing is quoted while the oracle does not answer', async () => {
  await oracle('op-stack', 1n, 1n, true);
  const { adapter, log } = await startAdapter(chainOptions(world, { gas: { ...gas, dataFee: 'op-stack' } }));
  await eventually(
    async () => log.lines.map(({ message }) => message).join('\n'),
    (text) => text.includes('data fees of this chain cannot be read'),
  );
  expect(adapter.status().healthy).toBe(true);
  expect(adapter.legCost('fill', NATIVE)).toBeUndefined();
  expect(adapter.depositCost(NATIVE)).toBeUndefined();
  await adapter.stop();
});
