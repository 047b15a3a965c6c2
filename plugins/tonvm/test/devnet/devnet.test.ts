import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DevnetSeedResult, Logger } from '@causeway/core';
import { freePorts, registerAlone } from '@causeway/core/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { NATIVE } from '../../src/addresses.js';
import { PAYER_ATTACH } from '../../src/deposits.js';
import { devnet } from '../../src/devnet/index.js';
import { plugin } from '../../src/index.js';
import type { TonvmOptions } from '../../src/options.js';
import { tonSigner } from '../../src/wallet.js';

const quiet = () => undefined;
const log: Logger = { debug: quiet, info: quiet, warn: quiet, error: quiet, child: () => log };
const OPTIONS = {
  chains: [
    {
      ...{ id: 224235520, name: 'ton', displayName: 'TON', rpc: 'devnet', blockTimeMs: 200 },
      jettons: [{ symbol: 'USDT', name: 'Dollar', address: 'devnet', decimals: 6, group: 'tether' }],
    },
  ],
};

let keysDir: string;
let stop: () => Promise<void>;
let seeded: DevnetSeedResult;
let again: DevnetSeedResult;

beforeAll(async () => {
  keysDir = mkdtempSync(join(tmpdir(), 'tonvm-devnet-'));
  const [plan, ...others] = devnet.plan(OPTIONS);
  if (plan === undefined || others.length > 0) throw new Error('one chain');
  const port = await freePorts(1);
  const { command, args } = plan.process(port, keysDir);
  const child = spawn(command, [...args], { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
  stop = async () => {
    const ended = once(child, 'exit');
    child.kill('SIGTERM');
    await ended;
  };
  await plan.ready(port, AbortSignal.timeout(20_000));
  const input = { chains: [{ chainId: plan.chainId, port, stateDir: keysDir }], keysDir, log };
  seeded = await devnet.seed(OPTIONS, input);
  again = await devnet.seed(OPTIONS, input);
}, 60_000);
afterAll(async () => {
  await stop?.();
  rmSync(keysDir, { recursive: true, force: true });
});

describe('a local build', () => {
  it('can be had on this machine', () => {
    expect(devnet.unavailable?.()).toBeUndefined();
  });

  it('funds users and the solver once, and keeps its keys to itself', async () => {
    expect([seeded.fresh, again.fresh]).toEqual([true, false]);
    expect(again.chains).toEqual(seeded.chains);
    expect(again.options).toEqual(seeded.options);
    for (const role of ['fill', 'vault']) expect(statSync(join(keysDir, `tonvm-${role}.key`)).mode & 0o777).toBe(0o600);
    const [row] = seeded.chains;
    const rpcUrl = row?.rpcUrl ?? '';
    expect(rpcUrl).toMatch(/\/api\/v2\/jsonRPC$/);
    expect(seeded.accounts).toHaveLength(8);
    for (const { vmType, address, privateKey } of seeded.accounts.slice(0, 2)) {
      expect(vmType).toBe('tonvm');
      expect(tonSigner(privateKey).address).toBe(address);
      expect(await devnet.balance(rpcUrl, address, NATIVE)).toBe(10_000n * 10n ** 9n);
      expect(await devnet.balance(rpcUrl, address, row?.currencies[1]?.address ?? '')).toBe(1_000_000n * 10n ** 6n);
    }
  });

  it('starts an adapter by what it was resolved to, whose steps its users can send', async () => {
    const [row] = seeded.chains;
    const [user] = seeded.accounts;
    const { signers } = (seeded.options as TonvmOptions).chains[0] ?? {};
    if (row === undefined || user === undefined || signers === undefined) throw new Error('a chain with users');
    const secrets = Object.fromEntries(
      Object.values(signers)
        .flat()
        .map((reference) => [reference, readKey(reference)]),
    );
    const host = registerAlone(plugin, seeded.options, secrets);
    await host.start();
    const [adapter] = host.chains;
    if (adapter === undefined) throw new Error('it registers a chain');
    try {
      expect(adapter.status()).toMatchObject({ healthy: true });
      expect(adapter.facts.depository).toBe(row.contracts['depository']);
      const probed = (await adapter.probe?.(AbortSignal.timeout(5_000))) ?? [];
      expect(probed.filter(({ ok }) => !ok).map(({ message }) => message)).toEqual([]);
      const currency = row.currencies[1]?.address ?? '';
      const before = await devnet.balance(row.rpcUrl, user.address, NATIVE);
      const wish = { payer: user.address, currency, amount: 7_000n, orderId: `0x${'ab'.repeat(32)}` } as const;
      for (const { items } of adapter.depositSteps(wish))
        for (const { data } of items) expect(await devnet.sendStep(user, row.rpcUrl, data)).toMatch(/^[0-9a-f]{64}$/);
      for (let n = 0; n < 100 && (await devnet.balance(row.rpcUrl, adapter.facts.depository, currency)) === 0n; n += 1);
      expect(await devnet.balance(row.rpcUrl, adapter.facts.depository, currency)).toBe(7_000n);
      expect(before - (await devnet.balance(row.rpcUrl, user.address, NATIVE)) <= PAYER_ATTACH + 10_000_000n).toBe(
        true,
      );
    } finally {
      await host.stop();
    }
  });
});

function readKey(reference: string): string {
  return readFileSync(reference.replace(/^file:/, ''), 'utf8');
}
