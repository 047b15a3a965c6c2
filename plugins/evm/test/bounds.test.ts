import type { Provider } from '@causeway/core/rpc';
import { RpcError, TransportError } from '@causeway/core/rpc';
import { describe, expect, it } from 'vitest';
import { chainConfig } from '../src/chain-config.js';
import { costOfWork, legCost } from '../src/costs.js';
import { NO_DATA_FEE } from '../src/data-fees.js';
import { Eip1559Fees, type FeeSource, trialTerms } from '../src/fees.js';
import { byEvent, selects } from '../src/logs/log-filter.js';
import { Spans } from '../src/logs/spans.js';
import { isTooMuch } from '../src/logs/too-much.js';
import { NeededWork } from '../src/needed-work.js';
import { Recent } from '../src/recent.js';
import type { RpcLog } from '../src/rpc/types.js';
import type { Head } from '../src/watch/heads.js';
import { clock, recordingLogger } from './support/services.js';

const { gas } = chainConfig(
  {
    ...{ id: 1, name: 'test', displayName: 'Test', rpc: [{ http: 'http://127.0.0.1:1' }] },
    contracts: { depository: `0x${'1'.repeat(40)}`, router: `0x${'2'.repeat(40)}` },
  },
  'local',
  0,
);
const NATIVE = `0x${'0'.repeat(40)}`;

describe('what was learnt just before', () => {
  it('is forgotten by age, and what is used least recently by number', () => {
    let now = 0;
    const recent = new Recent<number>(3, 1_000, { monotonic: () => now });
    for (const n of [1, 2, 3]) recent.set(String(n), n);
    expect(recent.get('1')).toBe(1);
    recent.set('4', 4);
    expect(['1', '2', '3', '4'].map((key) => recent.get(key))).toEqual([1, undefined, 3, 4]);
    now = 500;
    recent.set('4', 5);
    now = 1_001;
    expect(['1', '3', '4'].map((key) => recent.get(key))).toEqual([undefined, undefined, 5]);
  });

  it('of a movement is its own for recipients, and for all where they have no say', () => {
    const needed = new NeededWork({ clock: { monotonic: () => 0 } });
    needed.found('refund', NATIVE, 'a', 300n);
    expect(needed.of('excess', NATIVE, 'a')).toBe(300n);
    expect([needed.of('fill', NATIVE, 'a'), needed.of('refund', NATIVE, 'b'), needed.of('refund', NATIVE)]).toEqual([
      ...[0n, 0n, 0n],
    ]);
    needed.foundOfAll('refund', NATIVE, 200n, 150n);
    expect([needed.of('refund', NATIVE, 'a'), needed.of('refund', NATIVE, 'b'), needed.of('refund', NATIVE)]).toEqual([
      ...[300n, 200n, 200n],
    ]);
    for (let n = 0; n < 20_000; n += 1) needed.found('refund', NATIVE, String(n), 1n);
    expect([needed.of('refund', NATIVE, 'a'), needed.of('refund', NATIVE, '19999')]).toEqual([200n, 200n]);
  });

  it('of all rises at most twofold at a time, and falls at once', () => {
    const needed = new NeededWork({ clock: { monotonic: () => 0 } });
    const found = [1_000_000n, 1_000_000n, 250n, 0n].map((work) => {
      needed.foundOfAll('fill', NATIVE, work, 100n);
      return needed.of('fill', NATIVE);
    });
    expect(found).toEqual([200n, 400n, 250n, 0n]);
  });
});

describe('fees of what is tried', () => {
  const fees = new Eip1559Fees({ ...gas, maxFeePerGas: 50n }, { clock, log: recordingLogger() });
  const head = (baseFee: bigint) => ({ baseFee, provider: { rpc: { request: async () => ({}) } } }) as unknown as Head;

  it('are those of a first attempt, and beyond the cap where it forbids one', () => {
    expect(trialTerms(fees)).toBeUndefined();
    fees.onHead(head(1_000_000n));
    expect(fees.terms()).toBe('feeCap');
    const priority = gas.minPriorityFeePerGas;
    expect(trialTerms(fees)).toEqual({ maxFeePerGas: 2_000_000n + priority, maxPriorityFeePerGas: priority });
  });
});

describe('the greatest fee', () => {
  const fees = (terms: ReturnType<FeeSource['terms']>): FeeSource => ({
    sample: () => ({ baseFee: 9n, priorityFee: 1n, at: 0 }),
    terms: () => terms,
    bumped: () => undefined,
    dataFee: () => NO_DATA_FEE,
    onHead: () => undefined,
  });
  const terms = { maxFeePerGas: 19n, maxPriorityFeePerGas: 1n };

  it('is that of all the work at the most that is offered for gas', () => {
    expect(costOfWork(fees(terms), gas, 100n, 0)).toEqual({ native: 1_000n, work: 100n, most: 1_900n, at: 0 });
    expect(costOfWork(fees('feeCap'), gas, 100n, 0)?.most).toBe(100n * gas.maxFeePerGas);
  });

  it('of a collect has the larger buffer on it, and no bound is charged for', () => {
    const cost = legCost(fees(terms), gas, 'collect', NATIVE);
    expect(cost).toEqual({ native: 1_140_000n, most: (95_000n * 19n * 13n) / 10n, at: 0 });
    const careful = legCost(fees(terms), { ...gas, costBuffer: 2_000n }, 'collect', NATIVE);
    expect(careful).toEqual({ native: 1_900_000n, most: 190_000n * 19n, at: 0 });
  });

  it('rises with what was found to be needed, and never falls below what is typical', () => {
    expect(legCost(fees(terms), gas, 'refund', NATIVE, 300_000n)).toMatchObject({ work: 300_000n, native: 3_000_000n });
    expect(legCost(fees(terms), gas, 'refund', NATIVE, 3n)).toMatchObject({ work: 120_000n, native: 1_200_000n });
  });
});

describe('refusals of log queries', () => {
  it.each([
    'query returned more than 10000 results',
    'Log response size exceeded. You can make eth_getLogs requests with up to a 2K block range',
    'eth_getLogs is limited to a 10,000 range',
    'block range is too wide',
    'exceed maximum block range: 50000',
    'query timeout exceeded',
    'ranges over 10000 blocks are not supported on freetier',
    'Maximum allowed number of requested blocks is 1000',
    'an unknown message',
  ])('%s: less may be answered', (message) => {
    expect(isTooMuch(new RpcError(message, -32000, undefined))).toBe(true);
  });

  it.each(['unknown block', 'header not found', 'block range extends beyond current head block', 'missing trie node'])(
    '%s: less would be refused as well',
    (message) => {
      expect(isTooMuch(new RpcError(message, -32000, undefined))).toBe(false);
    },
  );

  it('are distinguished from throttling and outages, whatever the code', () => {
    const failed = (failure: 'rate' | 'http' | 'network', message: string) => new TransportError(message, failure);
    expect(isTooMuch(failed('rate', 'provider 1 (a:80): query returned more than 10,000 results'))).toBe(true);
    expect(isTooMuch(failed('http', 'provider 1 (a:80): HTTP status 413'))).toBe(true);
    expect(isTooMuch(failed('network', 'provider 1 (a:80): answer too large'))).toBe(true);
    expect(isTooMuch(failed('rate', 'provider 1 (a:80): request limit exceeded'))).toBe(false);
    expect(isTooMuch(failed('http', 'provider 1 (a:80): HTTP status 503'))).toBe(false);
    expect(isTooMuch(failed('network', 'provider 1 (a:80): ECONNRESET'))).toBe(false);
    expect(isTooMuch(new Error('more than 10 results'))).toBe(false);
  });
});

describe('spans of log queries', () => {
  const provider = {} as Provider;
  const serve = (spans: Spans, times: number, logs = 0) => {
    for (let n = 0; n < times; n += 1) spans.served(provider, spans.of(provider), logs);
  };

  it('halve with each refusal down to one block, and double after a run of answers', () => {
    const spans = new Spans(2_000);
    expect(spans.of(provider)).toBe(2_000);
    spans.refused(provider, 2_000);
    spans.refused(provider, 1_000);
    expect(spans.of(provider)).toBe(500);
    serve(spans, 7);
    expect(spans.of(provider)).toBe(500);
    serve(spans, 1);
    expect(spans.of(provider)).toBe(1_000);
    serve(spans, 40);
    expect(spans.of(provider)).toBe(2_000);
    for (let n = 0; n < 20; n += 1) spans.refused(provider, spans.of(provider));
    expect(spans.of(provider)).toBe(1);
    expect(spans.of({} as Provider)).toBe(2_000);
  });

  it('halve with many logs too, and learn nothing from the short end of a range', () => {
    const spans = new Spans(2_000);
    serve(spans, 1, 5_000);
    expect(spans.of(provider)).toBe(1_000);
    for (let n = 0; n < 20; n += 1) spans.served(provider, 3, 0);
    expect(spans.of(provider)).toBe(1_000);
  });
});

describe('log filters', () => {
  const [one, two] = [`0x${'1'.repeat(64)}`, `0x${'2'.repeat(64)}`] as const;
  const contract = `0x${'ab'.repeat(20)}` as const;
  const log = (topics: readonly string[], address: string = contract) => ({ address, topics }) as unknown as RpcLog;

  it('select what a node would', () => {
    const filter = { address: contract, topics: [[one, two]] } as const;
    expect(selects(filter, log([two, one], `0x${'AB'.repeat(20)}`))).toBe(true);
    expect(selects(filter, log([one], `0x${'cd'.repeat(20)}`))).toBe(false);
    expect(selects(filter, log([]))).toBe(false);
    expect(selects({ address: [contract], topics: [one, two] }, log([one, two]))).toBe(true);
    expect(selects({ address: [contract], topics: [one, two] }, log([one, one]))).toBe(false);
  });

  it('part into their events', () => {
    expect(byEvent({ address: contract, topics: [[one, two], one] })).toEqual([
      { address: contract, topics: [one, one] },
      { address: contract, topics: [two, one] },
    ]);
    expect(byEvent({ address: contract, topics: [one] })).toHaveLength(1);
  });
});
