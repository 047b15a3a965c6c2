import { describe, expect, it } from 'vitest';
import type { KnownChain } from '../../src/contract/starter.js';
import { answersOf, type Flags } from '../../src/host/init/questions.js';

const chain = (id: number, name: string, network: KnownChain['network'] = 'mainnet'): KnownChain => ({
  ...{ id, name, network, groups: ['ether'] },
});
const KNOWN = [chain(1, 'one'), chain(2, 'two'), chain(3, 'three-test', 'testnet')];

/** Answers in order; asked for more, the terminal was closed. */
async function asked(answers: readonly string[], flags: Partial<Flags> = {}) {
  const questions: string[] = [];
  const said: string[] = [];
  const left = [...answers];
  const ask = async (question: string) => {
    questions.push(question);
    const answer = left.shift();
    if (answer === undefined) throw new Error('closed');
    return answer;
  };
  const got = await answersOf({ rpc: [], ...flags }, KNOWN, { ask, say: (text) => void said.push(text) });
  return { ...got, names: got.chosen.map(({ name }) => name), questions, said, left };
}

describe('the questions of causeway init', () => {
  it('are as many as there are choices, and an empty answer takes the usual one', async () => {
    const got = await asked(['one, two', 'https://rpc.example.org/1', '', '', '', '']);
    expect(got).toMatchObject({
      names: ['one', 'two'],
      network: 'mainnet',
      tokens: true,
      prices: 'http',
      store: 'sqlite',
    });
    expect([...got.rpc]).toEqual([['one', 'https://rpc.example.org/1']]);
    expect(got.questions).toHaveLength(6);
    expect(got.left).toEqual([]);
    const other = await asked(['three-test', '', 'native', 'static', 'postgres']);
    expect(other).toMatchObject({ network: 'testnet', tokens: false, prices: 'static', store: 'postgres' });
  });

  it('are repeated until the answer is valid', async () => {
    const got = await asked(['', 'tow', 'one,three-test', 'two', 'ftp://x', '', '', 'dynamic', '', '']);
    expect(got.names).toEqual(['two']);
    expect(got.said).toEqual([
      'which chains? say --chains NAME,NAME (causeway init --list)',
      'chain tow is not known; did you mean two? (causeway init --list)',
      'one service serves mainnets or testnets, not both',
      '--rpc two: takes an http or https URL',
      '--prices is one of http, static',
    ]);
  });

  it('end with the terminal', async () => {
    await expect(asked(['one'])).rejects.toThrow('closed');
  });

  it('are not put where flags name the chains, and flags are not asked for', async () => {
    const flags = { chains: 'two', rpc: ['two=https://rpc.example.org'] };
    const got = await asked([], flags);
    expect(got).toMatchObject({ names: ['two'], prices: 'http', questions: [] });
    expect(got.rpc.get('two')).toBe('https://rpc.example.org');
    expect((await asked(['one', '', '', ''], { prices: 'static' })).prices).toBe('static');
    await expect(asked([], { chains: 'two', rpc: ['one=https://rpc.example.org'] })).rejects.toThrow(
      '--rpc one: no chain of --chains; say NAME=URL',
    );
    await expect(answersOf({ rpc: [] }, KNOWN, { ask: undefined, say: () => {} })).rejects.toThrow('which chains?');
  });
});
