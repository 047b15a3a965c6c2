import {
  type ChainAdapter,
  EVERY_LEG,
  type LegKind,
  laneThatSends,
  type PluginContext,
  type Secp256k1Signer,
} from '@causeway/core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { plugin } from '../src/index.js';
import type { EvmChainOptions, EvmOptions } from '../src/options.js';
import { clock, countingMetrics, key, recordingAlerts, recordingLogger, signerOf } from './support/services.js';
import { allocatorSigner, chainOptions, fillSigner, orderId, startWorld, type World } from './support/world.js';

const KEYS: Readonly<Record<string, Secp256k1Signer>> = {
  'env:fill': fillSigner,
  'env:one': signerOf(key(4)),
  'env:two': signerOf(key(5)),
};
const NATIVE = '0x0000000000000000000000000000000000000000';

describe('the plugin', () => {
  let world: World;
  beforeAll(async () => {
    world = await startWorld();
  });
  afterAll(() => world.anvil.stop());

  function register(options: EvmOptions) {
    const chains: ChainAdapter[] = [];
    const starts: (() => Promise<void>)[] = [];
    const stops: (() => Promise<void>)[] = [];
    const metrics = countingMetrics();
    const context = {
      id: 'evm',
      options,
      network: 'local',
      clock,
      metrics,
      log: recordingLogger(),
      alerts: recordingAlerts(),
      keys: { secp256k1: (reference: string) => KEYS[reference] ?? allocatorSigner },
      chains: { add: (chain: ChainAdapter) => void chains.push(chain) },
      lifecycle: {
        onStart: (task: () => Promise<void>) => void starts.push(task),
        onStop: (task: () => Promise<void>) => void stops.push(task),
      },
    };
    plugin.register(context as unknown as PluginContext<EvmOptions>);
    return { chains, starts, stops, metrics };
  }

  const signers = { fill: 'env:fill', allocator: 'env:allocator' };

  it('serves many chains and answers quotes from memory', async () => {
    const second: EvmChainOptions = { ...chainOptions(world), name: 'again' };
    const { chains, starts, stops, metrics } = register({ signers, chains: [chainOptions(world), second] });
    expect(chains.map(({ facts }) => facts.name)).toEqual(['test', 'again']);
    expect(metrics.counts.size).toBe(0);
    await Promise.all(starts.map((start) => start()));
    const [chain] = chains;
    const { USDT } = world.deployed.tokens;
    const calls = (): number =>
      [...metrics.counts].filter(([name]) => name.startsWith('rpc_calls')).reduce((sum, [, n]) => sum + n, 0);
    const before = calls();
    const user = `0x${'9'.repeat(40)}`;
    const steps = chain?.depositSteps({ payer: user, currency: USDT.toLowerCase(), amount: 5n, orderId: orderId(1) });
    expect(steps?.map(({ id }) => id)).toEqual(['approve', 'approve', 'deposit']);
    expect(steps?.at(-1)?.items[0]?.data).toMatchObject({
      from: user,
      to: world.deployed.depository.toLowerCase(),
      value: '0',
      chainId: 31337,
    });
    expect(steps?.at(-1)?.items[0]?.data['maxFeePerGas']).toMatch(/^[0-9]+$/);
    expect(chain?.depositSteps({ payer: user, currency: NATIVE, amount: 5n, orderId: orderId(1) })).toMatchObject([
      { id: 'deposit', items: [{ data: { value: '5' } }] },
    ]);
    expect(chain?.legCost('refund', USDT.toLowerCase())?.native).toBeGreaterThan(0n);
    expect(chain?.legCost('unheardOf' as LegKind, NATIVE)).toBeUndefined();
    expect(chain?.depositCost(NATIVE)?.native).toBeGreaterThan(0n);
    expect(chain?.laneBalance(fillSigner.address, NATIVE)?.value).toBeGreaterThan(10n ** 18n);
    expect(chain?.laneBalance(fillSigner.address, USDT.toLowerCase())?.value).toBeGreaterThan(0n);
    expect(chain?.currency('0xEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEE')?.isNative).toBe(true);
    expect(chain?.isTokenContract(USDT)).toBe(true);
    expect(chain?.isTokenContract(NATIVE)).toBe(false);
    expect(chain?.orderExtraData()).toBe(`0x${world.deployed.router.slice(2).toLowerCase().padStart(64, '0')}`);
    expect(chain?.addressBytes(user)).toHaveLength(20);
    expect(chain?.status()).toMatchObject({ healthy: true, reason: null });
    expect(calls()).toBe(before);
    await Promise.all(stops.map((stop) => stop()));
  });

  it('refuses an executor that has another role, because others choose what it calls', () => {
    const shared = { ...signers, executor: 'env:fill' };
    expect(() => register({ signers: shared, chains: [chainOptions(world)] })).toThrowError(
      expect.objectContaining({ optionPath: 'chains[0].signers.executor' }),
    );
    const pool = { ...signers, executor: 'env:one', executors: ['env:two', 'env:fill'] };
    expect(() => register({ signers: pool, chains: [chainOptions(world)] })).toThrowError(
      expect.objectContaining({ optionPath: 'chains[0].signers.executors[1]' }),
    );
    const twice = { ...signers, executor: 'env:one', executors: ['env:one'] };
    expect(() => register({ signers: twice, chains: [chainOptions(world)] })).toThrowError(
      expect.objectContaining({ optionPath: 'chains[0].signers.executors[0]' }),
    );
  });

  it('gives each replaced fill key a lane that gets nothing new, and refuses one that is still in use', () => {
    const former = { ...signers, executor: 'env:two', former: ['env:one'] };
    const [chain] = register({ signers: former, chains: [chainOptions(world)] }).chains;
    const lanes = chain?.lanes ?? [];
    expect(laneThatSends(lanes, 'fill')?.signer).toBe(fillSigner.address.toLowerCase());
    const replaced = signerOf(key(4)).address.toLowerCase();
    expect(lanes.find(({ signer }) => signer === replaced)).toMatchObject({ sends: EVERY_LEG, former: true });
    const wish = { currency: NATIVE, amount: 1n, recipient: replaced };
    expect(chain?.refuseFill?.(wish)).toMatchObject({ why: 'recipient' });
    for (const [change, optionPath] of [
      [{ former: ['env:one', 'env:fill'] }, 'chains[0].signers.former[1]'],
      [{ former: ['env:one', 'env:one'] }, 'chains[0].signers.former[1]'],
      [{ executor: 'env:one' }, 'chains[0].signers.executor'],
    ] as const)
      expect(() => register({ signers: { ...former, ...change }, chains: [chainOptions(world)] })).toThrowError(
        expect.objectContaining({ optionPath }),
      );
  });

  it('refuses a local chain outside `causeway dev`, and a chain without signers', () => {
    const local = { ...chainOptions(world), rpc: 'devnet' } as const;
    expect(() => register({ signers, chains: [local] })).toThrowError(
      expect.objectContaining({ optionPath: 'chains[0].rpc' }),
    );
    expect(() => register({ chains: [chainOptions(world)] })).toThrowError(
      expect.objectContaining({ optionPath: 'chains[0].signers' }),
    );
  });
});
