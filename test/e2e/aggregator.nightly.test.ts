import { type Address, encodeFunctionData, erc20Abi, type Hex, parseEther } from 'viem';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { artifacts } from '../../plugins/evm/src/devnet/index.js';
import {
  AGGREGATOR_SHAPE,
  type Aggregator,
  type Answer,
  type Behaviour,
  type Question,
  type Swindle,
  startAggregator,
  swindle,
  throughPairs,
} from '../support/aggregator.js';
import type { TestChain } from '../support/chain.js';
import { ADMIN_KEY } from '../support/config.js';
import { deploy } from '../support/contracts.js';
import { requestIdOf } from '../support/rest.js';
import { until } from '../support/until.js';
import { fund, newAddress, pay } from '../support/wallet.js';
import { type Ask, type Order, World } from '../support/world.js';

const ID = 'aggregator';
const ANSWER_MS = 500;
const FAILURES = 3;
/** Not all invalid responses fail the request. */
const MAX_QUOTES = 10;
const OPEN_MS = 1_500;
const THIEF = newAddress();

type Answering = (asked: Question, honest: Answer, chain: TestChain) => Answer | Promise<Answer>;

let world: World;
let aggregator: Aggregator;
let answering: Answering | undefined;
let swindlers: ReadonlyMap<number, Address>;
let asked = 0;

beforeAll(async () => {
  world = await World.prepare({ venues: true, payerSwaps: true });
  const deployed = await Promise.all(
    world.chains.map(async (chain) => {
      const swindler = await deploy(chain, artifacts.testSwindler);
      await fund(chain, swindler, { GOV: parseEther('100000') });
      return [chain.id, swindler] as const;
    }),
  );
  swindlers = new Map(deployed);
  aggregator = await startAggregator(async (question) => {
    asked += 1;
    const chain = world.chains.find(({ id }) => id === question.chainId);
    if (chain?.venues === undefined) return undefined;
    const honest = await throughPairs(chain.client, chain.venues.pairRouter, chain.venues.wrapped)(question);
    return honest && answering ? answering(question, honest, chain) : honest;
  });
  world.configure({
    ...{ venues: true, payerSwaps: true },
    withPlugins: [
      {
        ...{ use: '@causeway/plugin-swaps-http', as: ID },
        options: {
          ...{ shape: 'json', url: aggregator.url, json: AGGREGATOR_SHAPE, keepMs: 0 },
          timeouts: { connectMs: 400, answerMs: ANSWER_MS, totalMs: 2 * ANSWER_MS },
          breaker: { failures: FAILURES, openMs: OPEN_MS, maxOpenMs: OPEN_MS },
          room: { atOnce: 16, waiting: 100, perSecond: 1_000, burst: 1_000 },
          chains: world.chains.map(({ id, venues }) => ({ id, targets: [venues?.pairRouter, swindlers.get(id)] })),
        },
      },
    ],
    edit: (document) => {
      const service = document['service'] as Record<string, unknown>;
      const fills = { ...(service['fills'] as object), giveUpShortAfter: '1s' };
      return { ...document, service: { ...service, fills } };
    },
  });
  await world.boot();
});

afterAll(async () => {
  await aggregator?.stop();
  await world?.close();
});

beforeEach(() => {
  answering = undefined;
  aggregator.behave('well');
});

const got = (order: Order) => order.to.balance(order.recipient, order.output);
const routerOf = ({ quote }: Order) => quote.details.route.destination.router;
/** GOV is only in pools: coin reaches it through one pair and through several pools. */
const govOrder = (body: Ask['body'] = {}) => world.order({ output: 'GOV', amount: parseEther('0.2'), body });
const ALONE = { includedSwapSources: [ID] };
/** More than an offer may exceed the pools by. */
const TOLERANT = { slippageTolerance: '500' };

/** Two per cent more than the pools, at a contract with the given fault. It does not accept coin. */
const better = (how: Swindle, question: Question, honest: Answer): Answer => {
  const swindler = swindlers.get(question.chainId) as Address;
  if (/^0xe{40}$/i.test(question.sell) || question.side === 'buy') throw new Error('no way');
  return swindle(swindler, question, [honest.in, (honest.out * 102n) / 100n], { other: THIEF, ...how });
};
const honestly: Answering = (question, honest) => better({ mode: 'Honest' }, question, honest);

async function metric(name: string): Promise<string | undefined> {
  const reported = await fetch(`${world.rest.baseUrl}/metrics`, { headers: { 'x-admin-key': ADMIN_KEY } });
  return new RegExp(`^causeway_${ID}_${name}(?:{[^}]*})? (\\S+)$`, 'm').exec(await reported.text())?.[1];
}

describe('an aggregator that is asked over HTTP', () => {
  it('is a source of swaps by the id of its entry', async () => {
    for (const path of ['/swap-sources', `/swap-sources?chainId=${world.b.id}`]) {
      const { body } = await world.rest.call<{ sources: string[] }>('GET', path);
      expect(body.sources).toContain(ID);
    }
  });

  it('is what the fill exchanges at where a client names it, to the unit', async () => {
    const order = await govOrder(ALONE);
    expect(routerOf(order)).toBe(ID);
    const before = asked;
    await pay(order.from, order.user, order.quote);
    await world.becomes(order, 'success');
    expect(asked).toBeGreaterThan(before);
    expect(await got(order)).toBe(order.amountOut);
    const record = await world.rest.request(order.requestId);
    expect(record).toMatchObject({ requestType: 'Crosschain Swap', status: 'success' });
    expect(record.data).toMatchObject({ usesExternalLiquidity: true, failReason: null });
    expect(record.data.route.includedDestinationSwapSources).toEqual([ID]);
    expect(record.data.route.actual?.destination).toMatchObject({
      router: ID,
      outputCurrency: { amount: order.amountOut.toString(), currency: { symbol: 'GOV' } },
    });
  });

  it('delivers at least what was asked for', async () => {
    const amount = parseEther('40');
    const order = await world.order({ output: 'GOV', tradeType: 'EXACT_OUTPUT', amount, body: ALONE });
    expect(routerOf(order)).toBe(ID);
    await pay(order.from, order.user, order.quote);
    await world.becomes(order, 'success');
    expect(await got(order)).toBeGreaterThanOrEqual(amount);
  });

  it('is not asked where a client leaves it out, or has calls that nothing would measure', async () => {
    const before = asked;
    const order = await govOrder({ excludedSwapSources: [ID] });
    expect(routerOf(order)).toMatch(/^uniswap-v[23]$/);
    const to = world.b.currency('GOV');
    const data = encodeFunctionData({ abi: erc20Abi, functionName: 'approve', args: [THIEF, 0n] });
    const withCalls = await govOrder({ txs: [{ to, value: '0', data }] });
    expect(routerOf(withCalls)).toMatch(/^uniswap-v[23]$/);
    expect(asked).toBe(before);
  });

  it('wins quotes by what it delivers', async () => {
    answering = honestly;
    const order = await govOrder();
    expect(routerOf(order)).toBe(ID);
    await pay(order.from, order.user, order.quote);
    await world.becomes(order, 'success');
    expect(await got(order)).toBe(order.amountOut);
  });
});

const theft = (chain: TestChain): Pick<Answer, 'to' | 'data'> => ({
  to: chain.currency('WETH'),
  data: encodeFunctionData({
    ...{ abi: erc20Abi, functionName: 'transferFrom' },
    args: [world.keys.fill.address, THIEF, parseEther('1')],
  }),
});
const lying =
  (how: Swindle, over: (chain: TestChain) => Partial<Answer> = () => ({})): Answering =>
  (question, honest, chain) => ({ ...better(how, question, honest), ...over(chain) });

const LIES: readonly (readonly [string, Answering])[] = [
  ['comes to less than its quote', (_, honest) => ({ ...honest, out: (honest.out * 9n) / 10n })],
  ['takes, and gives nothing', lying({ mode: 'Nothing' })],
  ['gives it to another account', lying({ mode: 'Elsewhere' })],
  ['gives to everybody but to the one who fills', (...of) => unlessByFiller(...of)],
  ['refuses', lying({ mode: 'Refuses' })],
  ['says more than its call gives', (asked, honest) => ({ ...less(asked, honest), out: honest.out * 2n })],
  ['calls the token, to move the inventory', lying({ mode: 'Honest' }, theft)],
  ['calls the router of the service', lying({ mode: 'Honest' }, ({ router }) => ({ to: router }))],
  ['calls the depository', lying({ mode: 'Honest' }, ({ depository }) => ({ to: depository }))],
  ['requires an approval for another account', lying({ mode: 'Honest' }, () => ({ spender: THIEF }))],
  ['takes coin in addition to the token', lying({ mode: 'Honest' }, () => ({ value: parseEther('1') }))],
];
const less = (question: Question, honest: Answer): Answer =>
  better({ mode: 'Honest' }, question, { ...honest, out: (honest.out * 9n) / 10n });
const unlessByFiller: Answering = (...of) => lying({ mode: 'UnlessSignedBy', other: world.keys.fill.address })(...of);

describe('an aggregator that lies when the fill is due', () => {
  let thief: readonly bigint[];
  const loot = () =>
    Promise.all(world.chains.flatMap((chain) => ['ETH', 'WETH', 'GOV'].map((symbol) => chain.balance(THIEF, symbol))));
  const inSwindler = (symbol: string) => world.b.balance(swindlers.get(world.b.id) as Address, symbol);

  beforeEach(async () => {
    answering = honestly;
    thief = await loot();
  });

  it.each(LIES)('%s: another source serves the order', async (_, lie) => {
    const order = await govOrder(TOLERANT);
    expect(routerOf(order)).toBe(ID);
    const before = await inSwindler('WETH');
    answering = lie;
    await pay(order.from, order.user, order.quote);
    await world.becomes(order, 'success', { mining: true });
    const delivered = await got(order);
    expect(delivered).toBeGreaterThanOrEqual(order.minimumOut);
    expect(delivered).toBeLessThan(order.amountOut);
    expect(await inSwindler('WETH')).toBe(before);
    expect(await loot()).toEqual(thief);
  });

  it.each(LIES)('%s: the deposit is refunded where there is no other source', async (_, lie) => {
    const order = await govOrder({ ...TOLERANT, ...ALONE });
    const before = await inSwindler('WETH');
    answering = lie;
    await pay(order.from, order.user, order.quote);
    await world.becomes(order, 'refund', { mining: true });
    expect(await got(order)).toBe(0n);
    expect(await order.from.balance(order.refundTo, 'ETH')).toBeGreaterThan(parseEther('0.19'));
    expect(await inSwindler('WETH')).toBe(before);
    expect(await loot()).toEqual(thief);
  });

  it('pays while it is tried and not in the block: only gas is gone, out of what is refunded', async () => {
    const { b } = world;
    const order = await govOrder({ ...TOLERANT, ...ALONE });
    const before = await inSwindler('WETH');
    const head = await b.client.getBlockNumber({ cacheTime: 0 });
    answering = lying({ mode: 'Until', when: head + 1n });
    await b.manual();
    await pay(order.from, order.user, order.quote);
    const hash = await until('the fill waits', async () => {
      const { pending } = await b.client.getTxpoolContent();
      const mine = Object.entries(pending).find(([who]) => who.toLowerCase() === world.keys.fill.address.toLowerCase());
      return mine && Object.values(mine[1])[0]?.hash;
    });
    const bytes = await b.client.request<{ Method: string; Parameters: [Hex]; ReturnType: Hex }>({
      method: 'eth_getRawTransactionByHash',
      params: [hash],
    });
    await b.client.dropTransaction({ hash });
    await b.mine(1);
    await b.client.sendRawTransaction({ serializedTransaction: bytes }).catch(() => undefined);
    await b.automatic();
    expect((await b.receipt(hash)).status).toBe('reverted');
    await world.becomes(order, 'refund', { mining: true });
    expect(await got(order)).toBe(0n);
    expect(await inSwindler('WETH')).toBe(before);
    expect(await order.from.balance(order.refundTo, 'ETH')).toBeGreaterThan(parseEther('0.19'));
    expect((await world.rest.request(order.requestId)).data.failedTxHash).toBe(hash);
  });
});

describe('an aggregator that lies when it is asked for a quote', () => {
  it.each(LIES)('%s: the quote names another source', async (_, lie) => {
    answering = (question, ...rest) => (question.receiver ? lie(question, ...rest) : honestly(question, ...rest));
    const order = await govOrder(TOLERANT);
    expect(routerOf(order)).toMatch(/^uniswap-v[23]$/);
  });
});

describe('an aggregator that does not work', () => {
  it.each<Behaviour>(['hanging', 'fails', 'nonsense', 'unreachable'])(
    '%s: others are quoted in time, it is left alone, and it is back once it works',
    async (how) => {
      const paid = await govOrder(TOLERANT);
      aggregator.behave(how);
      const began = performance.now();
      expect(routerOf(await govOrder())).toMatch(/^uniswap-v[23]$/);
      expect(performance.now() - began).toBeLessThan(2_500);
      for (let n = 0; (await metric('circuit_open')) !== '1'; n += 1) {
        expect(n).toBeLessThan(MAX_QUOTES);
        await govOrder();
      }
      const alone = performance.now();
      expect(routerOf(await govOrder())).toMatch(/^uniswap-v[23]$/);
      expect(performance.now() - alone).toBeLessThan(ANSWER_MS);
      await pay(paid.from, paid.user, paid.quote);
      await world.becomes(paid, 'success');
      expect(await got(paid)).toBeGreaterThanOrEqual(paid.minimumOut);
      aggregator.behave('well');
      await until('it is asked again', async () => routerOf(await govOrder(ALONE).catch(() => paid)) === ID, {
        every: 200,
      });
      expect(await metric('circuit_open')).toBe('0');
    },
  );
});

describe('a swap within one chain, by its payer', () => {
  async function own(body: object = {}, amount = parseEther('0.1')) {
    const { a: chain } = world;
    const [user, recipient] = [await world.user({ WETH: amount * 2n }), newAddress()];
    const quote = await world.rest.quote({
      ...{ user: user.address, recipient, originChainId: chain.id, destinationChainId: chain.id },
      ...{ originCurrency: chain.currency('WETH'), destinationCurrency: chain.currency('GOV') },
      ...{ tradeType: 'EXACT_INPUT', amount: amount.toString(), ...body },
    });
    return { chain, user, recipient, quote, requestId: requestIdOf(quote) };
  }

  it('goes through the aggregator, and brings what was promised', async () => {
    answering = honestly;
    const { chain, user, recipient, quote, requestId } = await own();
    expect(quote.steps.map(({ id }) => id)).toEqual(['approve', 'swap']);
    expect(quote.details.route.origin.router).toBe(ID);
    const hash = await pay(chain, user, quote);
    await world.becomes({ requestId }, 'success');
    world.toppedUp(chain, 'WETH', BigInt(quote.fees.relayerService.amount));
    expect(await chain.balance(recipient, 'GOV')).toBe(BigInt(quote.details.currencyOut.amount));
    const record = await world.rest.request(requestId);
    expect(record).toMatchObject({ requestType: 'Same-chain Swap', status: 'success' });
    expect(record.data).toMatchObject({ usesExternalLiquidity: true, inTxs: [{ txHash: hash }] });
    expect(record.data.route.actual?.origin).toMatchObject({ router: ID });
  });

  it('takes nothing from a payer whom it gives less', async () => {
    answering = lying({ mode: 'Nothing' });
    const { chain, user, recipient, quote, requestId } = await own(ALONE);
    const swap = quote.steps.at(-1)?.items[0];
    const withGas = { ...swap, data: { ...swap?.data, gas: '900000' } };
    const steps = [quote.steps[0], { ...quote.steps.at(-1), items: [withGas] }];
    const hash = await pay(chain, user, { ...quote, steps } as typeof quote);
    expect((await chain.receipt(hash)).status).toBe('reverted');
    expect(await chain.balance(user.address, 'WETH')).toBe(parseEther('0.2'));
    expect(await chain.balance(recipient, 'GOV')).toBe(0n);
    expect(await chain.balance(THIEF, 'WETH')).toBe(0n);
    const tx = JSON.stringify({ ...swap?.data, txHash: hash });
    const body = { requestId, chainId: `${chain.id}`, tx };
    expect((await world.rest.call('POST', '/transactions/single', { body })).status).toBe(200);
    await world.becomes({ requestId }, 'failure', { mining: true });
  });

  it.each(LIES.slice(-5))('%s: the quote names another source', async (_, lie) => {
    answering = (question, ...rest) => (question.receiver ? lie(question, ...rest) : honestly(question, ...rest));
    const { quote } = await own();
    expect(quote.details.route.origin.router).toMatch(/^uniswap-v[23]$/);
  });
});

it('leaves all books right', async () => {
  expect(await world.verdict()).toEqual([]);
});
