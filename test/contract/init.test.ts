import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Starter } from '@causeway/core';
import { starter as bvm } from '@causeway/plugin-bvm/starter';
import { starter as evm } from '@causeway/plugin-evm/starter';
import { starter as svm } from '@causeway/plugin-svm/starter';
import { starter as tonvm } from '@causeway/plugin-tonvm/starter';
import { getAddress } from 'viem';
import * as published from 'viem/chains';
import { afterAll, describe, expect, it } from 'vitest';
import { assemble } from '../../core/src/host/assemble.js';
import { loadConfig } from '../../core/src/host/config/load-config.js';
import { CORE } from '../../core/src/host/core-tokens.js';
import { type Choice, renderFolder, rpcVariable } from '../../core/src/host/init/render.js';
import { renderLocal } from '../../core/src/host/init/render-local.js';
import { writeFolder } from '../../core/src/host/init/write-folder.js';
import { makeKeys } from '../../core/src/host/new-keys/make-keys.js';
import { EXTERNAL_CALLS } from '../../core/src/ports/external-calls.js';
import { KNOWN_CHAINS } from '../../plugins/evm/src/starter/known-chains.js';
import { ROOT } from '../support/repository.js';

const top = mkdtempSync(join(tmpdir(), 'causeway-init-'));
afterAll(() => rmSync(top, { recursive: true, force: true }));

const STARTERS: readonly (readonly [string, Starter])[] = [
  ['@causeway/plugin-evm', evm],
  ['@causeway/plugin-svm', svm],
  ['@causeway/plugin-bvm', bvm],
  ['@causeway/plugin-tonvm', tonvm],
];

const namesIn = ({ chains }: Starter, network: string) =>
  chains.filter((one) => one.network === network).map(({ name }) => name);
const namesOf = (network: string) => STARTERS.flatMap(([, starter]) => namesIn(starter, network));

function choice(network: Choice['network'], more: Partial<Choice>): Choice {
  const all = STARTERS.map(([plugin, starter]) => [plugin, { starter, names: namesIn(starter, network) }] as const);
  const chains = new Map(all.filter(([, { names }]) => names.length > 0));
  const usual = { folder: top, tokens: true, prices: 'static', store: 'sqlite', rpc: new Map(), packages: new Map() };
  return { ...usual, network, chains, ...more } as Choice;
}

describe('what causeway init writes', () => {
  it.each([
    ['mainnet', { prices: 'http' }],
    ['mainnet', { tokens: false }],
    ['testnet', { store: 'postgres' }],
  ] as const)('is a valid config of every known chain: %s %o', async (network, more) => {
    const asked = choice(network, more as Partial<Choice>);
    const folder = mkdtempSync(join(top, 'one-'));
    const files = new Map(
      [...renderFolder(asked)].map(([path, text]) => [path, text.replaceAll('"SET"', '"2000"')] as const),
    );
    writeFolder(folder, files);
    const environment: Record<string, string> = { CAUSEWAY_DATABASE_URL: 'postgres://localhost/causeway' };
    for (const name of namesOf(network)) environment[rpcVariable(name)] = 'https://rpc.example.org';
    const config = await loadConfig(join(folder, 'causeway.yaml'), { environment, checkKeys: false });
    const chains = config.plugins.flatMap(({ options }) => (options as { chains?: readonly unknown[] }).chains ?? []);
    expect(chains).toHaveLength(namesOf(network).length);
    const keys = makeKeys(config, environment);
    expect(keys.filter(({ state }) => state !== 'made' && state !== 'there')).toEqual([]);
    // Each key is read by its plugin.
    expect(() => assemble(config, { writeLog: () => {}, settingUp: true })).not.toThrow();
    expect(() => writeFolder(folder, files)).toThrow('nothing was written');
  });

  it('rehearses in all families without one key, and no adapter of it can sign or send', async () => {
    const folder = mkdtempSync(join(top, 'rehearsal-'));
    const files = renderFolder(choice('mainnet', { prices: 'static' }));
    const text = (files.get('causeway.yaml') ?? '').replaceAll('"SET"', '"2000"').replace(/^ *adminKey:.*\n/m, '');
    writeFolder(folder, new Map([...files, ['causeway.yaml', text.replace(/^service:$/m, '$&\n  mode: rehearsal')]]));
    const environment: Record<string, string> = {};
    for (const name of namesOf('mainnet')) environment[rpcVariable(name)] = 'https://rpc.example.org';
    const config = await loadConfig(join(folder, 'causeway.yaml'), { environment });
    const chains = assemble(config, { writeLog: () => {} })
      .container.resolve(CORE.registries)
      .chains.all();
    expect(new Set(chains.map(({ facts }) => facts.vmType)).size).toBe(4);
    const asks = ['check', 'probe'];
    const calls = Object.entries(EXTERNAL_CALLS.chains).flatMap(([name, kind]) =>
      kind === 'call' && !asks.includes(name) ? [name] : [],
    );
    expect(calls).toEqual(expect.arrayContaining(['prepare', 'sign', 'send', 'replace']));
    for (const chain of chains)
      for (const name of calls) {
        const method: unknown = Reflect.get(chain, name);
        if (typeof method !== 'function') continue;
        await expect(method(), `${chain.facts.name} ${name}`).rejects.toThrow(`does not call chain.${name}`);
      }
    expect(() => config.keys.secp256k1('file:keys/evm-fill.key').sign(new Uint8Array(32))).toThrow('signs nothing');
  });

  it('is a valid config of local chains, which makes its own keys', async () => {
    const folder = mkdtempSync(join(top, 'local-'));
    writeFolder(folder, renderLocal(folder, new Map(STARTERS), new Map()));
    const config = await loadConfig(join(folder, 'causeway.yaml'), { environment: {}, devnet: true });
    const named = config.plugins.map(({ id, options }) => [id, (options as { chains?: unknown[] }).chains?.length]);
    expect(named).toEqual([
      ['evm', 2],
      ['svm', 1],
      ['bvm', 1],
      ['tonvm', 1],
      ['static-prices', undefined],
    ]);
  });

  it('leaves nothing behind where the folder cannot be written', () => {
    const file = join(top, 'file');
    writeFileSync(file, '');
    const files = new Map([['causeway.yaml', '']]);
    expect(() => writeFolder(join(file, 'solver'), files)).toThrow(
      /cannot be written \(ENOTDIR\): nothing was written; use another folder$/,
    );
    expect(() => writeFolder(file, files)).toThrow('nothing was written');
  });

  it('names at least fifteen mainnets, and addresses with their checksum', () => {
    expect(namesOf('mainnet').length).toBeGreaterThanOrEqual(15);
    const text = readFileSync(`${ROOT}plugins/evm/src/starter/known-chains.ts`, 'utf8');
    const addresses = text.match(/0x[0-9a-fA-F]{40}/g) ?? [];
    expect(addresses.length).toBeGreaterThan(10);
    expect(addresses.map((one) => getAddress(one.toLowerCase()))).toEqual(addresses);
  });

  it.each(KNOWN_CHAINS)('knows $name as it is published', ({ id, network, explorer, currency, dataFee }) => {
    const chain = Object.values(published).find((one) => one.id === id && one.blockExplorers?.default.url === explorer);
    expect(chain?.nativeCurrency.symbol.toLowerCase()).toBe(currency?.symbol.toLowerCase() ?? 'eth');
    expect(chain?.testnet ?? false).toBe(network === 'testnet');
    const isOpStack = chain?.contracts !== undefined && 'l1StandardBridge' in chain.contracts;
    expect(dataFee === 'op-stack').toBe(isOpStack);
  });
});
