import { expect, it } from 'vitest';
import { assemble } from '../../src/host/assemble.js';
import { loadConfig } from '../../src/host/config/load-config.js';
import { examine } from '../../src/host/doctor/examine.js';
import { newHome, pluginSource, SECRET } from './home.js';

const CHAIN = `context.chains.add({ facts: { id: 1, name: 'one', vmType: 'any', network: 'local', currency: {} }, lanes: [],
  currencies: () => ['gold', 'moon'].map((group) => ({ chainId: 1, address: group, symbol: group.toUpperCase(), group })) });`;

async function finding(moon: string) {
  const home = newHome();
  home.write('chain.mjs', pluginSource({ id: 'chain', register: CHAIN }));
  const price = `(c) => (c.group === 'gold' ? { usd: '2', at: 1 } : ${moon})`;
  home.write(
    'source.mjs',
    pluginSource({ id: 'source', register: `context.prices.add({ id: 'x', price: ${price} });` }),
  );
  const plugins = 'plugins:\n  - use: ./chain.mjs\n  - use: ./source.mjs\n';
  const file = home.write('solver.yaml', `service:\n  network: local\n  orderSigner: env:K\n${plugins}`);
  const config = await loadConfig(file, { environment: { K: SECRET } });
  const findings = await examine(assemble(config, { writeLog: () => undefined }));
  return findings.find(({ name }) => name === 'prices');
}

it('the doctor takes a source that asks others for one, though nothing was asked yet', async () => {
  expect(await finding("'stale'")).toMatchObject({
    ok: true,
    message: 'every currency has a price source; the running service will query 1 of them',
  });
  expect(await finding("{ usd: '1', at: 1 }")).toMatchObject({
    ok: true,
    message: 'every currency has a price source',
  });
  expect(await finding('undefined')).toMatchObject({ ok: false, message: expect.stringContaining('MOON on one') });
});
