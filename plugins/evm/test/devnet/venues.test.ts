import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Address, createPublicClient, type Hex, http, parseAbi, parseUnits } from 'viem';
import { privateKeyToAddress } from 'viem/accounts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { NATIVE } from '../../src/addresses.js';
import { devnet } from '../../src/devnet/index.js';
import { LOCAL_PRICES } from '../../src/devnet/venues/pools.js';
import type { EvmOptions } from '../../src/options.js';
import { swapConfig } from '../../src/swaps/config.js';
import { signerOf } from '../support/services.js';
import { startSources } from '../support/sources.js';
import { eventually } from '../support/world.js';
import { type Supervised, supervise } from './supervised.js';

const marked = { factory: 'devnet', router: 'devnet' };
const token = (symbol: string, decimals: number, group: string) => ({
  ...{ symbol, name: symbol, address: 'devnet', decimals, group },
});
const options = {
  chains: [
    {
      ...{ id: 31337, name: 'local-a', displayName: 'Local A', rpc: 'devnet' },
      contracts: { wrappedNative: 'devnet' },
      swaps: { maxHops: 2, uniswapV2: marked, uniswapV3: { ...marked, fees: [100, 500, 3_000] } },
      currencies: [
        token('USDC', 6, 'usd-coin'),
        token('USDT', 6, 'tether'),
        token('DAI', 18, 'dai'),
        token('WETH', 18, 'ether'),
        token('GOV', 18, 'gov'),
      ],
    },
  ],
};

const abi = parseAbi([
  'function getAmountsOut(uint256 amountIn, address[] path) view returns (uint256[])',
  'function getPair(address, address) view returns (address)',
  'function getPool(address, address, uint24) view returns (address)',
]);

const home = mkdtempSync(join(tmpdir(), 'causeway-venues-'));
let running: Supervised;

beforeAll(async () => {
  running = await supervise(options, home);
});

afterAll(async () => {
  await running?.stop();
  rmSync(home, { recursive: true });
});

function seeded() {
  const [row] = running.result.chains;
  const [chain] = (running.result.options as EvmOptions).chains;
  if (row === undefined || chain === undefined) throw new Error('nothing was seeded');
  const client = createPublicClient({ transport: http(row.rpcUrl) });
  const at = (symbol: string) => row.currencies.find((one) => one.symbol === symbol)?.address as Address;
  const balance = (account: string, symbol: string) => devnet.balance(row.rpcUrl, account, at(symbol));
  const solver = privateKeyToAddress(readFileSync(join(home, 'keys', 'fill.key'), 'utf8').trim() as Hex);
  return { row, chain, client, at, balance, solver };
}

describe('a local chain with venues', () => {
  it('has them in its options and reports what wraps its coin', () => {
    const { row, chain, at } = seeded();
    expect(row.contracts.wrappedNative).toBe(at('WETH'));
    expect(chain.contracts).toEqual(row.contracts);
    expect(JSON.stringify(chain)).not.toContain('"devnet"');
    const config = swapConfig(chain, 0);
    expect(config).toMatchObject({ wrapped: at('WETH'), maxHops: 2, pools: { fees: [100, 500, 3_000] } });
    expect(config?.tokens).toHaveLength(5);
    expect(running.result.leftOut).toEqual([]);
  });

  it('gives everyone wrapped coin, and the solver nothing of the token that only pools have', async () => {
    const { balance, solver } = seeded();
    const [user] = running.result.accounts;
    expect(await balance(solver, 'WETH')).toBe(parseUnits('100000', 18));
    expect(await balance(user?.address ?? '', 'WETH')).toBe(parseUnits('1000', 18));
    expect(await balance(solver, 'GOV')).toBe(0n);
    expect(await balance(user?.address ?? '', 'GOV')).toBe(parseUnits('1000000', 18));
  });

  it('has pools of both kinds', async () => {
    const { chain, client, at } = seeded();
    const { uniswapV2, uniswapV3 } = chain.swaps ?? {};
    const made = await Promise.all(
      [
        ['WETH', 'USDC', undefined],
        ['USDC', 'DAI', undefined],
        ['GOV', 'WETH', undefined],
        ['WETH', 'USDC', 500],
        ['WETH', 'USDC', 3_000],
        ['USDC', 'USDT', 100],
        ['WETH', 'DAI', 3_000],
        ['GOV', 'USDC', 3_000],
      ].map(([a, b, fee]) => {
        const tokens = [at(a as string), at(b as string)] as const;
        return fee === undefined
          ? client.readContract({ address: uniswapV2?.factory as Address, abi, functionName: 'getPair', args: tokens })
          : client.readContract({
              ...{ address: uniswapV3?.factory as Address, abi, functionName: 'getPool' },
              args: [...tokens, fee as number],
            });
      }),
    );
    expect(new Set(made).size).toBe(8);
    expect(made.filter((address) => BigInt(address) === 0n)).toEqual([]);
    const [, out = 0n] = await client.readContract({
      ...{ address: uniswapV2?.router as Address, abi, functionName: 'getAmountsOut' },
      args: [parseUnits('1', 18), [at('WETH'), at('USDC')]],
    });
    expect(Number(out) / 1e6).toBeCloseTo((LOCAL_PRICES.WETH ?? 0) * 0.997, -1);
  });

  it('is quoted from as soon as its plugin has read it: what the chain itself says, also of what only pools have', async () => {
    const { chain, client, at } = seeded();
    const key = (role: string) => signerOf(readFileSync(join(home, 'keys', `${role}.key`), 'utf8').trim() as Hex);
    const { signers: _, ...options } = chain;
    const { sources, stop } = await startSources([options], { fill: key('fill'), allocator: key('allocator') });
    try {
      expect([...sources.keys()].sort()).toEqual(['uniswap-v2', 'uniswap-v3', 'wrapped-native']);
      const amount = parseUnits('1', 18);
      for (const source of ['uniswap-v2', 'uniswap-v3']) {
        for (const output of ['USDC', 'DAI', 'GOV']) {
          const wish = { chainId: 31337, input: NATIVE, output: at(output), kind: 'exactInput', amount } as const;
          const answer = await eventually(
            async () => await sources.get(source)?.quote(wish, AbortSignal.timeout(1_000)),
            (reported) => reported?.ok === true,
          );
          const [best] = answer?.ok === true ? answer.quotes : [];
          const price = output === 'GOV' ? (LOCAL_PRICES.GOV ?? 0) : 1;
          const usd = (Number(best?.amountOut) / 10 ** (output === 'USDC' ? 6 : 18)) * price;
          expect(usd, `${output} from ${source}`).toBeGreaterThan(3_000 * 0.99);
          expect(usd, `${output} from ${source}`).toBeLessThan(3_000);
          if (source !== 'uniswap-v2') continue;
          const path = best?.route.map((token) => (token === NATIVE ? at('WETH') : token)) as Address[];
          const router = chain.swaps?.uniswapV2?.router as Address;
          const said = { address: router, abi, functionName: 'getAmountsOut', args: [amount, path] } as const;
          expect((await client.readContract(said)).at(-1)).toBe(best?.amountOut);
        }
      }
    } finally {
      await stop();
    }
  });

  it('is as it was when it is started again', async () => {
    const before = seeded();
    const was = await before.client.getBlockNumber();
    await running.stop();
    running = await supervise(options, home);
    expect(running.result.fresh).toBe(false);
    const { row, solver, balance, client } = seeded();
    expect({ ...row, rpcUrl: '' }).toEqual({ ...before.row, rpcUrl: '' });
    expect(await balance(solver, 'WETH')).toBe(parseUnits('100000', 18));
    expect((await client.getBlockNumber()) - was).toBeLessThanOrEqual(5n);
  });

  it('has the prices of the configuration that npm start runs', () => {
    const config = readFileSync(new URL('../../../../config/local.yaml', import.meta.url), 'utf8');
    const price = (group: string) => Number(new RegExp(`^ {8}${group}: (.*)$`, 'm').exec(config)?.[1]);
    expect({ WETH: price('ether'), GOV: price('gov') }).toEqual(LOCAL_PRICES);
    for (const group of ['usd-coin', 'tether', 'dai']) expect(price(group)).toBe(1);
  });
});
