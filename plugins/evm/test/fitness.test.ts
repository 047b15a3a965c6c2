import type { Clock, Hex } from '@causeway/core';
import { encodeFunctionData, maxUint256, parseAbi } from 'viem';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { erc20Abi } from '../src/abi.js';
import { deployer } from '../src/devnet/index.js';
import { swapEntry } from '../src/generated/contracts.js';
import { create2Deployer, deployment } from '../src/set-up/create2.js';
import { fillLeg } from './support/legs.js';
import { clock } from './support/services.js';
import { testClient, wallet } from './support/wallet.js';
import {
  allocatorSigner,
  chainOptions,
  eventually,
  FILL_KEY,
  fillSigner,
  makeAdapter,
  startWorld,
  type World,
} from './support/world.js';

const owned = parseAbi(['function setFiller(address filler, bool allowed)', 'function setAllocator(address next)']);
const STRANGER = `0x${'7'.repeat(40)}` as const;
const FILL = fillSigner.address.toLowerCase();

let world: World;

/** Clock offset: problems are checked again after ten seconds, the rest after a minute. */
let aheadMs = 0;
const stepped: Clock = { ...clock, monotonic: () => clock.monotonic() + aheadMs };

beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world.anvil.stop());

async function send(from: Parameters<typeof wallet>[1], to: Hex, data: Hex): Promise<void> {
  const hash = await wallet(world.anvil, from).sendTransaction({ to, data, gas: 3_000_000n });
  await testClient(world.anvil).waitForTransactionReceipt({ hash, pollingInterval: 20 });
}

function allow(allowed: boolean): Promise<void> {
  const data = encodeFunctionData({ abi: owned, functionName: 'setFiller', args: [fillSigner.address, allowed] });
  return send(deployer, world.deployed.router, data);
}

function setAllocator(next: Hex): Promise<void> {
  const data = encodeFunctionData({ abi: owned, functionName: 'setAllocator', args: [next] });
  return send(deployer, world.deployed.depository, data);
}

function approve(amount: bigint): Promise<void> {
  const { router, tokens } = world.deployed;
  const data = encodeFunctionData({ abi: erc20Abi, functionName: 'approve', args: [router, amount] });
  return send({ address: fillSigner.address as Hex, privateKey: FILL_KEY }, tokens.USDC, data);
}

const CASES = [
  ['a router that does not allow the fill signer', 'signers.fill', /setFiller/, () => allow(false), () => allow(true)],
  [
    'a depository with another allocator',
    'signers.allocator',
    /refunds and collects would fail/,
    () => setAllocator(STRANGER),
    () => setAllocator(allocatorSigner.address as Hex),
  ],
] as const;

describe('a swap entry', () => {
  const starting = async (swapEntry: string) => {
    const options = chainOptions(world);
    const { adapter } = makeAdapter({ ...options, contracts: { ...options.contracts, swapEntry } }, stepped);
    try {
      await adapter.start();
      return await adapter.probe(AbortSignal.timeout(5_000));
    } finally {
      await adapter.stop();
    }
  };
  const optionPath = 'chains[0].contracts.swapEntry';

  it('is looked at where there is one', async () => {
    const found = await starting(world.deployed.swapEntry);
    expect(found.filter(({ ok }) => !ok)).toEqual([]);
  });

  it.each([
    ['is not there', `0x${'9'.repeat(40)}`, /no contract at/],
    ['is another contract', () => world.deployed.router, /deposits at nothing/],
  ])('ends the start where it %s', async (_, address, message) => {
    const at = typeof address === 'string' ? address : address();
    await expect(starting(at)).rejects.toMatchObject({ optionPath, message: expect.stringMatching(message) });
  });

  it('ends the start where it deposits elsewhere', async () => {
    const { data, address } = deployment(swapEntry, [STRANGER]);
    await send(deployer, create2Deployer, data);
    await expect(starting(address)).rejects.toMatchObject({ optionPath, message: expect.stringMatching(STRANGER) });
  });
});

describe.each(CASES)('%s', (_, option, message, spoil, mend) => {
  const alertId = () => `contracts-${world.anvil.chainId}-${option}`;

  it('ends the start, and is an error of the doctor', async () => {
    await spoil();
    const { adapter, alerts } = makeAdapter(chainOptions(world), stepped);
    const optionPath = `chains[0].${option}`;
    await expect(adapter.start()).rejects.toMatchObject({ optionPath, message: expect.stringMatching(message) });
    expect(alerts.list()).toContainEqual(expect.objectContaining({ id: alertId() }));
    expect(await adapter.probe(AbortSignal.timeout(5_000))).toContainEqual(
      expect.objectContaining({ ok: false, level: 'error', optionPath }),
    );
    await adapter.stop();
    await mend();
  });

  it('makes a running chain unhealthy, with an alert, until it is mended', async () => {
    const { adapter, alerts } = makeAdapter(chainOptions(world), stepped);
    await adapter.start();
    expect(adapter.status()).toMatchObject({ healthy: true });
    await spoil();
    await adapter.checkFitness().catch(() => undefined);
    expect(adapter.status()).toMatchObject({ healthy: false, reason: expect.stringMatching(message) });
    expect(alerts.list()).toContainEqual(expect.objectContaining({ id: alertId() }));
    if (option === 'signers.fill')
      expect(await adapter.check(fillLeg(14, `0x${'9'.repeat(40)}`, 1n), FILL)).toMatchObject({ kind: 'unavailable' });
    await mend();
    aheadMs += 10_000;
    const mined = setInterval(() => void world.anvil.mine(), 500);
    await eventually(
      async () => adapter.status().healthy,
      (healthy) => healthy,
      20_000,
    );
    clearInterval(mined);
    expect(alerts.list().filter(({ id }) => id === alertId())).toEqual([]);
    await adapter.stop();
  }, 30_000);
});

describe('a token that the router may not take', () => {
  const usdc = () => world.deployed.tokens.USDC.toLowerCase();
  const alertId = () => `contracts-${world.anvil.chainId}-currencies[0].address`;
  beforeEach(() => approve(0n));

  it('cannot be paid out, which an alert and the doctor say, until it is approved; the rest goes on', async () => {
    const { adapter, alerts } = makeAdapter(chainOptions(world), stepped);
    await adapter.start();
    expect(adapter.status()).toMatchObject({ healthy: true });
    expect(adapter.laneAllowance(FILL, usdc())?.value).toBe(0n);
    expect(adapter.laneAllowance(FILL, world.deployed.tokens.USDT.toLowerCase())?.value).toBe(maxUint256);
    expect(adapter.laneAllowance(FILL, `0x${'0'.repeat(40)}`)).toBeUndefined();
    expect(alerts.list()).toContainEqual(
      expect.objectContaining({ id: alertId(), message: expect.stringContaining('USDC: the router may take none') }),
    );
    expect(await adapter.probe(AbortSignal.timeout(5_000))).toContainEqual(
      expect.objectContaining({ ok: false, level: 'error', optionPath: 'chains[0].currencies[0].address' }),
    );
    await approve(1_000n);
    aheadMs += 10_000;
    const mined = setInterval(() => void world.anvil.mine(), 500);
    await eventually(
      async () => adapter.laneAllowance(FILL, usdc())?.value ?? 0n,
      (value) => value === 1_000n,
      20_000,
    );
    clearInterval(mined);
    expect(alerts.list().filter(({ id }) => id === alertId())).toEqual([]);
    await adapter.stop();
    await approve(maxUint256);
  }, 30_000);
});
