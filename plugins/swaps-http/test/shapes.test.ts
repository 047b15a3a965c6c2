import type { SwapQuote, SwapWish } from '@causeway/core';
import { afterEach, describe, expect, it } from 'vitest';
import { settingsOf } from '../src/settings.js';
import { pathFor } from '../src/shapes/fill-in.js';
import { PRESETS, type PresetName } from '../src/shapes/presets.js';
import { toleranceOf } from '../src/values.js';
import {
  type AggregatorServer,
  json,
  NATIVE,
  OTHER,
  PARTIES,
  ROUTER,
  serve,
  TOKEN,
} from './support/aggregator-server.js';
import { filled, register } from './support/services.js';

const ends: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

const ALIAS = '0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE';
const CALL = `"to":"${ROUTER}","data":"0x12345678","value":"0"`;
const ANSWERS: Readonly<Record<PresetName, { readonly quote: string; readonly build: string }>> = {
  zeroEx: {
    quote: `{"blockNumber":"19999","buyAmount":"2000","liquidityAvailable":true,"sellAmount":"1000","gas":"190000","allowanceTarget":"${ROUTER}","issues":{"simulationIncomplete":false}}`,
    build: `{"blockNumber":"20000","buyAmount":"1999","minBuyAmount":"1900","liquidityAvailable":true,"sellAmount":"1000","allowanceTarget":"${ROUTER}","transaction":{${CALL},"gas":"200000","gasPrice":"1"}}`,
  },
  oneInch: {
    quote: '{"dstAmount":"2000","gas":190000}',
    build: `{"dstAmount":"1999","tx":{"from":"${PARTIES.payer}",${CALL},"gas":0,"gasPrice":"1"}}`,
  },
  paraSwap: {
    quote: `{"priceRoute":{"blockNumber":20000,"network":8453,"srcAmount":"1000","destAmount":"2000","gasCost":"190000","tokenTransferProxy":"${ROUTER}","contractMethod":"swapExactAmountIn","maxImpactReached":false,"hmac":"1.50"}}`,
    build: `{"from":"${PARTIES.payer}",${CALL},"gasPrice":"1","chainId":8453}`,
  },
  kyberSwap: {
    quote: `{"code":0,"message":"successfully","data":{"routeSummary":{"amountIn":"1000","amountOut":"2000","gas":"190000","extra":12345678901234567890.10},"routerAddress":"${ROUTER}"}}`,
    build: `{"code":0,"data":{"amountIn":"1000","amountOut":"1999","gas":"200000","data":"0x12345678","routerAddress":"${ROUTER}","transactionValue":"0"}}`,
  },
};

const CHAIN = { id: 8453, name: 'base', targets: [ROUTER], decimals: { [TOKEN]: 6, [OTHER]: 18 } };

async function asked(shape: PresetName, change: Partial<SwapWish> = {}, more: object = {}) {
  const server: AggregatorServer = await serve((_, response) =>
    json(response, server.asked.length === 1 ? ANSWERS[shape].quote : ANSWERS[shape].build),
  );
  const plugin = register({ shape, url: `${server.url}/base/`, chains: [CHAIN], ...more });
  ends.push(
    () => server.stop(),
    () => plugin.stop(),
  );
  const { signal } = new AbortController();
  const wish: SwapWish = { chainId: 8453, input: TOKEN, output: OTHER, kind: 'exactInput', amount: 1_000n, ...change };
  const parties = { ...PARTIES, limit: wish.kind === 'exactInput' ? 1_980n : 1_010n };
  const answer = await plugin.source.quote(wish, signal);
  if (!answer.ok) return { server, answer, calls: [] };
  const [quote] = answer.quotes as readonly [SwapQuote];
  const built = await plugin.source.build?.(wish, quote, parties, signal);
  if (!built?.ok) return { server, answer, quote, built, calls: [] };
  return { server, answer, quote, built, calls: plugin.source.calls(wish, built.quote, parties) };
}

const lines = (server: AggregatorServer) =>
  server.asked.map(({ method, url }) => `${method} ${url.pathname}${url.search}`);
const query = (server: AggregatorServer, n: number) => Object.fromEntries(server.asked[n]?.url.searchParams ?? []);

describe('the shape of', () => {
  it('0x asks for a price and then for a firm quote, and passes on what is paid to any client that calls', async () => {
    const { server, quote, calls } = await asked('zeroEx');
    expect(quote).toMatchObject({ amountIn: 1_000n, amountOut: 2_000n, work: 245_000n, height: 19_999 });
    expect(lines(server)[0]).toBe(
      `GET /base/swap/allowance-holder/price?chainId=8453&sellToken=${TOKEN}&buyToken=${OTHER}&sellAmount=1000`,
    );
    expect(query(server, 1)).toEqual({
      ...{ chainId: '8453', sellToken: TOKEN, buyToken: OTHER, sellAmount: '1000' },
      ...{ taker: PARTIES.payer, slippageBps: '100' },
    });
    expect(calls.map(({ to }) => to)).toEqual([TOKEN, ROUTER, TOKEN, OTHER]);
  });

  it('0x says that there is no liquidity, which is no route', async () => {
    const server = await serve((_, response) => json(response, '{"liquidityAvailable":false}'));
    const plugin = register({ shape: 'zeroEx', url: server.url, chains: [CHAIN] });
    ends.push(() => server.stop());
    const wish = { chainId: 8453, input: TOKEN, output: OTHER, kind: 'exactInput', amount: 1_000n } as const;
    expect(await plugin.source.quote(wish, AbortSignal.timeout(1_000))).toMatchObject({ ok: false, why: 'noRoute' });
  });

  it('1inch asks for a quote and then for a swap, and approves the one spender there is', async () => {
    const { server, calls } = await asked('oneInch', { output: NATIVE });
    expect(lines(server)[0]).toBe(`GET /base/8453/quote?src=${TOKEN}&dst=${ALIAS}&amount=1000&includeGas=true`);
    expect(query(server, 1)).toEqual({
      ...{ src: TOKEN, dst: ALIAS, amount: '1000', from: PARTIES.payer, origin: PARTIES.payer },
      ...{ receiver: PARTIES.recipient, slippage: '1.00', disableEstimate: 'true' },
    });
    expect(calls.map(({ to }) => to)).toEqual([TOKEN, ROUTER, TOKEN]);
  });

  it.each([
    ['exactInput', 'SELL', { srcAmount: '1000', destAmount: '1980' }],
    ['exactOutput', 'BUY', { srcAmount: '1010', destAmount: '2000' }],
  ] as const)('ParaSwap sends its route back as it was reported, with the limit: %s', async (kind, side, amounts) => {
    const { server, quote, calls } = await asked('paraSwap', { kind, amount: kind === 'exactInput' ? 1_000n : 2_000n });
    expect(quote).toMatchObject({ amountIn: 1_000n, amountOut: 2_000n, height: 20_000 });
    expect(query(server, 0)).toMatchObject({ side, network: '8453', srcDecimals: '6', destDecimals: '18' });
    expect(lines(server)[1]).toBe('POST /base/transactions/8453?ignoreChecks=true');
    const { priceRoute } = JSON.parse(ANSWERS.paraSwap.quote) as { priceRoute: object };
    expect(JSON.parse(server.asked[1]?.body ?? '')).toEqual({
      ...{ srcToken: TOKEN, srcDecimals: 6, destToken: OTHER, destDecimals: 18, ...amounts },
      ...{ userAddress: PARTIES.payer, receiver: PARTIES.recipient, priceRoute },
    });
    expect(server.asked[1]?.headers['content-type']).toBe('application/json');
    expect(calls).toHaveLength(3);
  });

  it('ParaSwap is not asked about tokens whose decimals no one configured', async () => {
    const { server, answer } = await asked('paraSwap', {}, { chains: [{ ...CHAIN, decimals: { [TOKEN]: 6 } }] });
    expect(answer).toMatchObject({ ok: false, why: 'noRoute' });
    expect(server.asked).toHaveLength(0);
  });

  it('KyberSwap names the chain, and sends its route back digit for digit', async () => {
    const { server, calls } = await asked('kyberSwap');
    expect(lines(server)).toEqual([
      `GET /base/base/api/v1/routes?tokenIn=${TOKEN}&tokenOut=${OTHER}&amountIn=1000`,
      'POST /base/base/api/v1/route/build',
    ]);
    expect(server.asked[1]?.body).toContain('"extra":12345678901234567890.10');
    expect(JSON.parse(server.asked[1]?.body ?? '')).toMatchObject({
      ...{ sender: PARTIES.payer, recipient: PARTIES.recipient, slippageTolerance: 100 },
    });
    expect(calls).toHaveLength(3);
  });

  it('each has a public URL that is none of this network', () => {
    for (const shape of Object.keys(PRESETS)) {
      const options = filled({ shape, chains: [CHAIN] });
      expect(settingsOf(options, { secret: () => '' }, false).url).toMatch(/^https:\/\//);
    }
  });
});

describe('what is filled in', () => {
  it('cannot change where a question goes', () => {
    const path = pathFor('/{chain}/quote?a={amount}&b={nothing}', { chain: '../x?y#', amount: '1&taker=0x' });
    expect(path).toBe('/..%2Fx%3Fy%23/quote?a=1%26taker%3D0x&b=');
  });

  it('tolerates no more than the limit does', () => {
    const quote = { amountIn: 1_000n, amountOut: 2_000n };
    expect(toleranceOf('exactInput', quote, 1_981n)).toBe(95n);
    expect(toleranceOf('exactInput', quote, 2_000n)).toBe(0n);
    expect(toleranceOf('exactInput', quote, 2_500n)).toBe(0n);
    expect(toleranceOf('exactInput', quote, 0n)).toBe(5_000n);
    expect(toleranceOf('exactOutput', quote, 1_015n)).toBe(150n);
    expect(toleranceOf('exactOutput', quote, 999n)).toBe(0n);
  });
});
