import type { KnownChain } from '../../contract/starter.js';
import { nearest } from '../config/nearest.js';
import type { Choice } from './render.js';

/** What the flags say; absent ones are asked for, or have their usual value. */
export interface Flags {
  readonly chains?: string | undefined;
  /** `NAME=URL`. */
  readonly rpc: readonly string[];
  readonly currencies?: string | undefined;
  readonly prices?: string | undefined;
  readonly store?: string | undefined;
}

export interface Answers extends Pick<Choice, 'network' | 'rpc' | 'prices' | 'store' | 'tokens'> {
  readonly chosen: readonly KnownChain[];
}

/** Puts one question to a terminal. */
export type Ask = (question: string) => Promise<string>;

/** Says what is wrong and how to say it right. */
export class AnswerError extends Error {
  override readonly name = 'AnswerError';
}

const NO_CHAINS = 'which chains? say --chains NAME,NAME (causeway init --list)';

/**
 * Flags win; with a terminal and no `--chains`, the others are asked for, each until the answer is valid.
 *
 * @param ask undefined: no terminal.
 * @throws AnswerError for a wrong flag, or without chains.
 */
export async function answersOf(
  flags: Flags,
  known: readonly KnownChain[],
  { ask, say }: { readonly ask: Ask | undefined; readonly say: (text: string) => void },
): Promise<Answers> {
  const asked = flags.chains === undefined ? ask : undefined;
  const put = async <T>(question: string, given: string | undefined, read: (text: string) => T, usual: string) => {
    if (given !== undefined) return read(given);
    if (asked === undefined) return read(usual);
    for (;;) {
      const answer = (await asked(`${question}${usual === '' ? '' : ` [${usual}]`}: `)).trim();
      try {
        return read(answer === '' ? usual : answer);
      } catch (error) {
        if (!(error instanceof AnswerError)) throw error;
        say(error.message);
      }
    }
  };
  const names = known.map(({ name }) => name).join(', ');
  const chosen = await put(`which chains, of ${names}`, flags.chains, (text) => chainsIn(text, known), '');
  const rpc = rpcFlags(flags.rpc, chosen);
  for (const { name } of chosen.filter(() => asked !== undefined)) {
    const given = rpc.get(name);
    const question = `URL of an RPC provider of ${name} (nothing: later, in .env)`;
    const url = await put(question, given, (text) => (text === '' ? undefined : urlIn(name, text)), '');
    if (url !== undefined) rpc.set(name, url);
  }
  const one = <T extends string>(
    question: string,
    name: 'currencies' | 'prices' | 'store',
    all: readonly [T, ...T[]],
  ) => put(question, flags[name], (text) => oneOf(name, text, all), all[0]);
  const currencies = await one('native coins and main stablecoins, or native coins alone', 'currencies', [
    'all',
    'native',
  ]);
  const prices = await one('prices from public feeds, or written into the config', 'prices', ['http', 'static']);
  const store = await one('store: a file for one process, or postgres', 'store', ['sqlite', 'postgres']);
  const network = chosen[0]?.network ?? 'mainnet';
  return { chosen, network, rpc, prices, store, tokens: currencies === 'all' };
}

function chainsIn(text: string, known: readonly KnownChain[]): readonly KnownChain[] {
  const names = text
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');
  const chosen = [...new Set(names)].map((name) => {
    const chain = known.find((one) => one.name === name);
    if (chain !== undefined) return chain;
    const guess = nearest(
      name,
      known.map((one) => one.name),
    );
    const hint = guess ? `; did you mean ${guess}?` : '';
    throw new AnswerError(`chain ${name} is not known${hint} (causeway init --list)`);
  });
  if (chosen.length === 0) throw new AnswerError(NO_CHAINS);
  if (new Set(chosen.map(({ network }) => network)).size > 1)
    throw new AnswerError('one service serves mainnets or testnets, not both');
  return chosen;
}

function rpcFlags(given: readonly string[], chosen: readonly KnownChain[]): Map<string, string> {
  return new Map(
    given.map((text) => {
      const [, name = '', url = ''] = /^([^=]+)=(.+)$/.exec(text) ?? [];
      if (!chosen.some((chain) => chain.name === name))
        throw new AnswerError(`--rpc ${name || text}: no chain of --chains; say NAME=URL`);
      return [name, urlIn(name, url)] as const;
    }),
  );
}

function urlIn(name: string, url: string): string {
  if (/^https?:\/\/[^\s"\\]+$/.test(url) && URL.canParse(url)) return url;
  throw new AnswerError(`--rpc ${name}: takes an http or https URL`);
}

function oneOf<T extends string>(name: string, text: string, all: readonly T[]): T {
  const found = all.find((one) => one === text);
  if (found !== undefined) return found;
  throw new AnswerError(`--${name} is one of ${all.join(', ')}`);
}
