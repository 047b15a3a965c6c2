import { describe, expect, it } from 'vitest';
import { type Assembly, assemble } from '../../src/host/assemble.js';
import { loadConfig } from '../../src/host/config/load-config.js';
import { CORE } from '../../src/host/core-tokens.js';
import { examine } from '../../src/host/doctor/examine.js';
import { CONSUMERS } from '../../src/host/plugins/consumers.js';
import { OwnedRegistry } from '../../src/host/registries.js';
import { newHome, pluginSource, SECRET } from './home.js';

const CHAIN = `context.chains.add({ facts: { id: 1, name: 'one', vmType: 'any', network: 'local', currency: {} }, lanes: [],
  currencies: () => ['gold', 'moon'].map((group) => ({ chainId: 1, address: group, symbol: group.toUpperCase(), group })) });`;
const prices = (id: string, ...groups: string[]) =>
  `context.prices.add({ id: '${id}', price: (c) => ${JSON.stringify(groups)}.includes(c.group) ? 'stale' : undefined });`;
const swaps = (id: string, chainId: number) =>
  `context.liquidity.add({ id: '${id}', supports: (chain) => chain === ${chainId} });`;
const STORE = 'context.stores.set({ open: async () => {}, ping: async () => {}, close: async () => {} });';

async function built(plugins: Readonly<Record<string, string>>, service = '', rest = ''): Promise<Assembly> {
  const home = newHome();
  const all = { chain: CHAIN + prices('first', 'gold', 'moon'), ...plugins };
  for (const [id, register] of Object.entries(all)) home.write(`${id}.mjs`, pluginSource({ id, register }));
  const entries = Object.keys(all).map((id) => `  - use: ./${id}.mjs\n`);
  const text = `service:\n  network: local\n  orderSigner: env:K\n${service}plugins:\n${entries.join('')}${rest}`;
  const config = await loadConfig(home.write('solver.yaml', text), { environment: { K: SECRET } });
  return assemble(config, { writeLog: () => undefined });
}

/** The doctor's response about unused plugins. */
async function said(...input: Parameters<typeof built>): Promise<readonly string[]> {
  const findings = await examine(await built(...input));
  return findings
    .filter(({ name }) => name.startsWith('plugin '))
    .map(
      ({ ok, name, message, place }) =>
        `${ok ? 'ok' : 'warning'} ${name}: ${message}${place ? ` (${place.path})` : ''}`,
    );
}

const NOTIFIER = "context.notifiers.add({ id: 'shop', deliver: async () => ({}) });";
const CHANNEL = "context.channels.add({ id: 'hooks' });";

describe('what a plugin brings and nothing calls', () => {
  it('is nothing where all of it is used', async () => {
    expect(await said({ report: NOTIFIER + CHANNEL, swap: swaps('pools', 1) })).toEqual([]);
  });

  it('is informed of notifiers and channels that no process serves', async () => {
    expect(await said({ report: NOTIFIER + CHANNEL }, '  roles: [api, worker]\n')).toEqual([
      'warning plugin report: notifier shop is not used: service.roles has no dispatcher (plugins[1].use)',
      'warning plugin report: endpoint channel hooks is not used: service.roles has no dispatcher (plugins[1].use)',
    ]);
  });

  it('is reported without alarm where another process may do it', async () => {
    expect(await said({ report: NOTIFIER, store: STORE }, '  roles: [api, worker]\n')).toEqual([
      'ok plugin report: notifier shop is not used: service.roles has no dispatcher here; another process has to',
    ]);
  });

  it('is informed of remote signers that no option names', async () => {
    const vault = "context.signers.add({ id: 'vault', accounts: async () => [], sign: async () => '' });";
    expect(await said({ keys: vault })).toEqual([
      'warning plugin keys: remote signer vault is not used: no option names it as remote:vault#… (plugins[1].use)',
    ]);
    expect(
      await said({ keys: vault, lanes: "context.remoteSigner('vault'); context.lifecycle.onStop(async () => {});" }),
    ).toEqual([]);
  });

  it('is informed of sources of swaps whose chain is not configured', async () => {
    expect(await said({ swap: swaps('pools', 1) + swaps('far', 2) })).toEqual([
      'warning plugin swap: liquidity source far is not used: no chain that it supports is configured (plugins[1].use)',
    ]);
  });

  it('is informed of sources of prices that are never asked, or know nothing', async () => {
    expect(await said({ late: prices('late', 'moon'), none: prices('none', 'silver') })).toEqual([
      'warning plugin late: price source late is not used: sources before it price all that it knows, and the first that knows answers (plugins[1].use)',
      'warning plugin none: price source none is not used: it prices no currency that is configured (plugins[2].use)',
    ]);
  });

  it('is informed of what no part of this build asks', () => {
    const registry = new OwnedRegistry<string>('port', (item) => [item]);
    registry.for('me').add('one');
    expect(registry.unused()).toEqual([{ owner: 'me', what: 'port one', why: 'nothing in this build asks a port' }]);
  });

  it('is informed of a store that was not chosen, and of a plugin that does nothing', async () => {
    expect(await said({ one: STORE, two: STORE, idle: '' }, '', 'bindings: { store: two }\n')).toEqual([
      'warning plugin one: store of one is not used: bindings.store is two (plugins[1].use)',
      'warning plugin idle: it is not used: it registers nothing (plugins[3].use)',
    ]);
  });

  it('cannot be forgotten: anyone who takes from a registry was declared', async () => {
    const { container } = await built({});
    const { channels, notifiers } = container.resolve(CORE.registries);
    expect(notifiers.takenBy(CONSUMERS.dispatcher)).toEqual([]);
    expect(() => channels.takenBy(CONSUMERS.engine)).toThrow(
      'the engine uses the registry of endpoint channels undeclared',
    );
  });
});
