import { describe, expect, it } from 'vitest';
import type { ChainEntry } from '../../src/host/demo/client.js';
import { inPoolsAlone } from '../../src/host/demo/in-pools-alone.js';
import { scenarios } from '../../src/host/demo/scenarios.js';
import { accountsOf, type DevnetFile } from '../../src/host/dev/devnet-file.js';

type Chain = DevnetFile['chains'][number];

function chain(id: number, vmType: string, coin: string, symbols: readonly string[]): Chain {
  const currencies = [...symbols, coin].map((symbol) => ({ symbol, address: `${symbol}@${id}`, decimals: 6 }));
  return { ...{ id, vmType, name: `chain-${id}`, rpcUrl: '' }, currencies, contracts: {} };
}

const a = chain(1, 'one', 'AAA', ['USD']);
const b = chain(2, 'one', 'AAA', ['USD']);
const c = chain(3, 'two', 'CCC', ['OWN', 'USD']);
const d = chain(4, 'three', 'DDD', []);
const coins: Readonly<Record<number, string>> = { 1: 'AAA', 2: 'AAA', 3: 'CCC', 4: 'DDD' };

function drawn(...chains: readonly Chain[]) {
  return drawnWith({}, ...chains);
}

function scenariosOf({ pooled, untaken }: { pooled?: string; untaken?: string }, chains: readonly Chain[]) {
  const known: readonly ChainEntry[] = chains.map(({ id, currencies }) => ({
    id,
    currency: { symbol: coins[id] ?? '' },
    erc20Currencies: currencies.map(({ address }) => ({ address, supportsBridging: address !== untaken })),
  }));
  const all = scenarios({ chains } as unknown as DevnetFile, known, pooled);
  for (const { from, to, input, output } of all) {
    expect(from.currencies).toContain(input);
    expect(to.currencies).toContain(output);
  }
  return all;
}

/**
 * Without those by deposit addresses, which follow.
 *
 * @param asked.untaken address of what payers swap into deposits.
 */
function drawnWith(asked: { pooled?: string; untaken?: string }, ...chains: readonly Chain[]) {
  const all = scenariosOf(asked, chains).filter(({ toAddress }) => toAddress === undefined);
  return all.map(({ from, to, input, output, expected, byCall, bySolver, lastStep }) => {
    const own = bySolver ? ' solver' : lastStep === 'deposit' ? '' : ` ${lastStep}`;
    const how = expected === 'refund' ? ' refund' : byCall === undefined ? own : ' call';
    return `${from.id} ${input.symbol} > ${to.id} ${output.symbol}${how}`;
  });
}

const WITHIN = [
  '1 AAA > 2 AAA',
  '1 AAA > 2 AAA call',
  '1 USD > 2 USD',
  '1 AAA > 2 USD',
  '1 USD > 1 AAA',
  '1 AAA > 1 AAA',
  '2 AAA > 1 AAA',
  '1 AAA > 2 AAA refund',
];

describe('what the demo performs', () => {
  it('is one transfer of each kind where there is one family', () => {
    expect(drawn(a, b)).toEqual(WITHIN);
  });

  it('wraps and unwraps native coin where the first chain reports what does', () => {
    const wrapping = chain(1, 'one', 'AAA', ['USD', 'WAAA']);
    const reported = { ...wrapping, contracts: { wrappedNative: 'WAAA@1' } };
    const [before, after] = [WITHIN.slice(0, 5), WITHIN.slice(5)];
    expect(drawn(reported, b)).toEqual([...before, '1 AAA > 1 WAAA', '1 WAAA > 1 AAA', ...after]);
    expect(drawn(wrapping, b)).toEqual(WITHIN);
  });

  it('has what stays within a chain executed by its payer where that can be, and once by the solver', () => {
    const wrapping = chain(1, 'one', 'AAA', ['USD', 'WAAA']);
    const own = { ...wrapping, contracts: { wrappedNative: 'WAAA@1', swapEntry: 'entry' } };
    expect(drawn(own, b).slice(4, 9)).toEqual([
      ...['1 USD > 1 AAA swap', '1 USD > 1 AAA solver'],
      ...['1 AAA > 1 WAAA swap', '1 WAAA > 1 AAA swap', '1 AAA > 1 AAA send'],
    ]);
  });

  it('asks for what the pools of the other chain alone have', async () => {
    const pools = chain(2, 'one', 'AAA', ['USD', 'POOL']);
    expect(drawnWith({ pooled: 'POOL' }, a, pools)).toEqual([
      ...WITHIN.slice(0, 5),
      '1 USD > 2 POOL',
      ...WITHIN.slice(5),
    ]);
    const from = chain(1, 'one', 'AAA', ['USD', 'POOL']);
    const client = (sources: readonly string[]) => ({
      swapSources: async (id: number) => (id === 2 ? sources : []),
      inventory: async (_: number, to: number, address: string) => (to === 2 && address === 'POOL@1' ? 0n : 7n),
    });
    expect(await inPoolsAlone(client(['pools']), { chains: [from, pools] })).toBe('POOL');
    expect(await inPoolsAlone(client([]), { chains: [from, pools] })).toBeUndefined();
    expect(await inPoolsAlone(client(['pools']), { chains: [a, pools] })).toBeUndefined();
  });

  it('pays with what the solver takes none of, where the first chain has such a thing', () => {
    const has = (id: number) => chain(id, 'one', 'AAA', ['USD', 'OWN']);
    const paid = [...WITHIN.slice(0, 5), '1 OWN > 2 USD', ...WITHIN.slice(5)];
    expect(drawnWith({ untaken: 'OWN@1' }, has(1), has(2))).toEqual(paid);
    expect(drawnWith({ untaken: 'OWN@2' }, has(1), has(2))).toEqual(drawn(has(1), has(2)));
  });

  it('goes there and back between any two families, in coins and in a token that both have', () => {
    expect(drawn(a, b, c)).toEqual([...WITHIN, '1 AAA > 3 CCC', '3 USD > 1 USD', '3 CCC > 1 AAA refund']);
    expect(drawn(a, b, c, d).slice(11)).toEqual([
      ...['1 AAA > 4 DDD', '4 DDD > 1 AAA', '4 DDD > 1 AAA refund'],
      ...['3 CCC > 4 DDD', '4 DDD > 3 CCC', '4 DDD > 3 CCC refund'],
    ]);
  });

  it('ends with a deposit address on a chain of each family', () => {
    const byAddress = (...chains: readonly Chain[]) =>
      scenariosOf({}, chains)
        .slice(-chains.length)
        .map(({ from, to, input, toAddress }) => `${toAddress ? 'address ' : ''}${from.id} ${input.symbol} > ${to.id}`);
    expect(byAddress(a, c, d)).toEqual(['address 1 AAA > 3', 'address 3 CCC > 1', 'address 4 DDD > 1']);
    expect(byAddress(a, b).at(-1)).toBe('address 1 AAA > 2');
  });

  it('is paid by accounts of its own chain, where a family has more than one kind', () => {
    const account = (vmType: string, address: string, chainId?: number): DevnetFile['accounts'][number] => ({
      ...{ vmType, address, privateKey: '' },
      ...(chainId === undefined ? {} : { chainId }),
    });
    const accounts = [account('one', 'both'), account('two', 'elsewhere', 9), account('two', 'here', 3)];
    const names = (of: Chain) => accountsOf({ accounts }, of).map(({ address }) => address);
    expect([a, b, c, d].map(names)).toEqual([['both'], ['both'], ['here'], []]);
  });

  it('needs two chains', () => {
    expect(() => drawn(a)).toThrow('fewer than two chains');
  });
});
