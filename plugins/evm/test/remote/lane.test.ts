import { type ChainAdapter, NotSignedError, type PluginContext, type RemoteSigner } from '@causeway/core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { EvmAdapter } from '../../src/evm-adapter.js';
import { plugin } from '../../src/index.js';
import type { EvmOptions } from '../../src/options.js';
import { attempt, fillLeg, replacement, viewOf } from '../support/legs.js';
import { remoteSignerOf } from '../support/remote.js';
import { clock, countingMetrics, recordingAlerts, recordingLogger } from '../support/services.js';
import {
  allocatorSigner,
  chainOptions,
  eventually,
  FILL_KEY,
  fillSigner,
  startWorld,
  type World,
} from '../support/world.js';

const RECIPIENT = '0x00000000000000000000000000000000000abc02';

let world: World;
const adapters: EvmAdapter[] = [];

beforeAll(async () => {
  world = await startWorld(2);
});
afterEach(async () => {
  for (const adapter of adapters.splice(0)) await adapter.stop();
});
afterAll(() => world.anvil.stop());

function registered(signers: EvmOptions['signers'], vault: RemoteSigner | undefined, more: object = {}) {
  const chains: ChainAdapter[] = [];
  const options: EvmOptions = { ...(signers && { signers }), chains: [chainOptions(world)] };
  const context = {
    ...{ id: 'evm', options, network: 'local', clock, metrics: countingMetrics() },
    ...{ log: recordingLogger(), alerts: recordingAlerts() },
    keys: { secp256k1: () => allocatorSigner },
    remoteSigner: (id: string) => (id === 'vault' ? vault : undefined),
    chains: { add: (chain: ChainAdapter) => void chains.push(chain) },
    lifecycle: { onStart: () => undefined, onStop: () => undefined },
    ...more,
  };
  plugin.register(context as unknown as PluginContext<EvmOptions>);
  const adapter = chains[0] as EvmAdapter;
  adapters.push(adapter);
  return adapter;
}

const SIGNERS = { fill: `remote:vault#${fillSigner.address}`, allocator: 'env:allocator' };

describe('a lane whose key is in a remote signer', () => {
  it('pays, and replaces under the same nonce, by whole transactions that it signed', async () => {
    const vault = remoteSignerOf(FILL_KEY);
    const adapter = registered(SIGNERS, vault);
    await adapter.start();
    await world.anvil.setAutomine(false);
    const first = await attempt(adapter, fillLeg(801, RECIPIENT, 5n));
    expect(await adapter.send(first.transaction)).toEqual({ outcome: 'accepted' });
    const second = await replacement(adapter, first, first.leg);
    expect(await adapter.send(second.transaction)).toEqual({ outcome: 'accepted' });
    expect(vault.asked.map(({ nonce }) => nonce)).toEqual([vault.asked[0]?.['nonce'], vault.asked[0]?.['nonce']]);
    await world.anvil.setAutomine(true);
    await world.anvil.mine(3);
    const [seen] = await eventually(
      () => adapter.look([viewOf(first, second)]),
      ([one]) => one?.state === 'spent',
    );
    expect(seen).toMatchObject({ hash: second.transaction.hash, ok: true, effects: [{ done: true, moved: 5n }] });
  });

  it('promises nothing while it signs nothing, and takes no authorizations', async () => {
    const vault = remoteSignerOf(FILL_KEY);
    const adapter = registered(SIGNERS, vault);
    await adapter.start();
    await eventually(
      async () => adapter.status().healthy,
      (healthy) => healthy,
    );
    expect(adapter.capabilities.authorizations).toBeUndefined();
    const broken = registered(SIGNERS, { ...vault, sign: async () => Promise.reject(new Error('locked')) });
    await broken.start();
    await eventually(
      async () => broken.status().healthy,
      (healthy) => healthy,
    );
    await expect(attempt(broken, fillLeg(802, RECIPIENT, 5n))).rejects.toBeInstanceOf(NotSignedError);
    expect(broken.status()).toMatchObject({ healthy: false, reason: expect.stringContaining('locked') });
  });

  it('starts without an answer of the signer, and not without its account', async () => {
    const silent = registered(SIGNERS, {
      ...remoteSignerOf(FILL_KEY),
      accounts: async () => Promise.reject(new Error('no whole answer within 5000 ms')),
    });
    await silent.start();
    expect(silent.status()).toMatchObject({ healthy: false, reason: expect.stringContaining('5000 ms') });
    const probes = await silent.probe(AbortSignal.timeout(5_000));
    expect(probes).toContainEqual(
      expect.objectContaining({ ok: false, level: 'warning', optionPath: 'chains[0].signers.fill' }),
    );
    for (const vault of [remoteSignerOf(), undefined]) {
      const without = registered(SIGNERS, vault);
      await expect(without.start()).rejects.toMatchObject({ optionPath: 'chains[0].signers.fill' });
      expect(await without.probe(AbortSignal.timeout(5_000))).toContainEqual(
        expect.objectContaining({ ok: false, level: 'error', optionPath: 'chains[0].signers.fill' }),
      );
    }
  });

  it('is not asked in a rehearsal, which has no keys', async () => {
    const adapter = registered(SIGNERS, undefined, { rehearsing: true });
    await adapter.start();
    expect(adapter.status().reason ?? '').not.toContain('remote');
  });

  it.each([
    ['chains[0].signers.allocator', { ...SIGNERS, allocator: `remote:vault#${fillSigner.address}` }],
    ['chains[0].signers.executor', { ...SIGNERS, executor: `remote:vault#${fillSigner.address}` }],
    ['chains[0].signers.executors[0]', { ...SIGNERS, executors: [`remote:vault#${fillSigner.address}`] }],
    ['chains[0].signers.fill', { ...SIGNERS, fill: 'remote:vault' }],
    ['chains[0].signers.fill', { ...SIGNERS, fill: 'remote:vault#0x12' }],
    ['chains[0].signers.former[0]', { ...SIGNERS, former: ['remote:#'] }],
    ['chains[0].signers.former[0]', { ...SIGNERS, former: [SIGNERS.fill] }],
  ])('is refused where it cannot be: %s', (optionPath, signers) => {
    expect(() => registered(signers, undefined)).toThrow(expect.objectContaining({ name: 'OptionError', optionPath }));
  });
});
