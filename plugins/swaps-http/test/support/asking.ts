import type { DestinationCall, SwapAnswer, SwapBuilt, SwapQuote, SwapWish } from '@causeway/core';
import { expect } from 'vitest';
import { type AggregatorServer, JSON_SHAPE, OTHER, PARTIES, ROUTER, SPENDER, TOKEN } from './aggregator-server.js';
import { type Registered, register } from './services.js';

const ends: (() => Promise<void>)[] = [];
export async function endAll(): Promise<void> {
  for (const end of ends.splice(0).reverse()) await end();
}

export const CHAINS = [{ id: 1, targets: [ROUTER], spenders: [SPENDER] }];
export const QUICK = { connectMs: 200, answerMs: 250, totalMs: 300 };
export const FAST = {
  breaker: { failures: 3, openMs: 150, maxOpenMs: 300 },
  room: { atOnce: 4, waiting: 8, perSecond: 1_000, burst: 1_000 },
  keepMs: 0,
};

export function kept(server: AggregatorServer): AggregatorServer {
  ends.push(() => server.stop());
  return server;
}

export function started(server: Pick<AggregatorServer, 'url'>, more: object = {}, host = {}): Registered {
  const plugin = register({ shape: 'json', url: server.url, json: JSON_SHAPE, chains: CHAINS, ...FAST, ...more }, host);
  ends.push(() => plugin.stop());
  return plugin;
}

export const wish = (change: Partial<SwapWish> = {}): SwapWish => ({
  ...{ chainId: 1, input: TOKEN, output: OTHER, kind: 'exactInput', amount: 1_000n },
  ...change,
});
export const never = (): AbortSignal => new AbortController().signal;
export const quoted = ({ source }: Registered, asked = wish(), signal = never()): Promise<SwapAnswer> =>
  Promise.resolve(source.quote(asked, signal));

export async function quoteOf(plugin: Registered, asked = wish()): Promise<SwapQuote> {
  const answer = await quoted(plugin, asked);
  if (!answer.ok || !answer.quotes[0]) throw new Error(answer.ok ? 'no quote' : answer.message);
  return answer.quotes[0];
}

export const build = (plugin: Registered, asked: SwapWish, quote: SwapQuote, parties = {}): Promise<SwapBuilt> => {
  const whom = { ...PARTIES, ...parties };
  return plugin.source.build?.(asked, quote, whom, never()) ?? expect.fail('it does not build');
};

export async function callsOf(plugin: Registered, asked = wish(), parties = {}): Promise<readonly DestinationCall[]> {
  const built = await build(plugin, asked, await quoteOf(plugin, asked), parties);
  if (!built.ok) throw new Error(`${built.why}: ${built.message}`);
  return plugin.source.calls(asked, built.quote, { ...PARTIES, ...parties });
}

export const word = (value: string) => value.replace(/^0x/, '').padStart(64, '0');
export const approval = (token: string, spender: string, units: bigint): DestinationCall => ({
  ...{ to: token, value: 0n, data: `0x095ea7b3${word(spender)}${word(units.toString(16))}` },
});
