import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import type { EvmOptions } from '../../src/options.js';
import { supervise } from './supervised.js';

const home = mkdtempSync(join(tmpdir(), 'causeway-no-venues-'));
afterAll(() => rmSync(home, { recursive: true }));

it('a local chain starts without venues where their packages are not installed, and says what would help', async () => {
  const marked = { factory: 'devnet', router: 'devnet' };
  const token = (symbol: string, group: string) => ({ symbol, name: symbol, address: 'devnet', decimals: 18, group });
  const chain = {
    ...{ id: 31337, name: 'local-a', displayName: 'Local A', rpc: 'devnet' },
    contracts: { wrappedNative: 'devnet' },
    swaps: { uniswapV2: marked, uniswapV3: marked },
    currencies: [token('DAI', 'dai'), token('WETH', 'ether'), token('GOV', 'gov')],
  };
  // Simulates a machine without development dependencies.
  const running = await supervise({ chains: [chain] }, home, () => undefined);
  try {
    const { result } = running;
    expect(result.leftOut).toEqual([expect.stringMatching(/local-a.*not installed.*npm install/)]);
    const [options] = (result.options as EvmOptions).chains;
    expect(options?.swaps).toBeUndefined();
    expect(options?.contracts?.wrappedNative).toBeUndefined();
    expect(result.chains[0]?.currencies.map(({ symbol }) => symbol)).toEqual(['ETH', 'DAI']);
    expect(JSON.stringify(options)).not.toContain('"devnet"');
  } finally {
    await running.stop();
  }
});

it('the contracts of others are in no file of this package', () => {
  const files = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
    dependencies: object;
    optionalDependencies: object;
  };
  const shipped = Object.keys({ ...files.dependencies, ...files.optionalDependencies });
  expect(shipped.filter((name) => name.startsWith('@uniswap/'))).toEqual([]);
});
