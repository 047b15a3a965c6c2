import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type HttpServer, listen } from '../../core/src/host/http-server.js';
import { chainDouble, NATIVE, OTHER_TOKEN, TOKEN } from '../../core/test/api/support/chain-double.js';
import { ADMIN_KEY, API_KEY, ask, type RunningApi, runningApi, USER } from '../../core/test/api/support/running-api.js';
import { fuzz, type Plan, type Report, type Target } from './lane.js';
import type { Memory } from './memory.js';
import { findingText } from './report.js';

type Change = Parameters<typeof runningApi>[0];

const PLAN: Plan = { seed: 5, from: 0, requests: 4_000, connections: 8, withinMs: 2_000 };

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

async function memory(): Promise<Memory> {
  collect();
  await new Promise((resolve) => setTimeout(resolve, 20));
  collect();
  const { heapUsed, external, rss } = process.memoryUsage();
  return { heap: heapUsed, external, rss };
}

const servers: HttpServer[] = [];

async function targetOf(api: RunningApi): Promise<Target> {
  const server = await listen('127.0.0.1', 0, api.api, { maxHeaderBytes: 16_384, requestWithinMs: 30_000 });
  servers.push(server);
  const { body: quote } = await api.call('POST', '/quote/v2', { body: ask() });
  const { body: document } = await api.call('GET', '/openapi.json');
  const { hostname: host, port } = new URL(server.url);
  return {
    ...{ host, port: Number(port), document },
    words: {
      ...{
        chain: ['1', '2'],
        token: [TOKEN, OTHER_TOKEN],
        tokenB: [TOKEN, OTHER_TOKEN],
        native: [NATIVE],
        user: [USER],
      },
      ...{ request: [quote.steps[0].requestId], hash: [`0x${'1'.repeat(64)}`], symbol: ['USDC'], scope: ['all'] },
      ...{ key: [API_KEY], adminKey: [ADMIN_KEY], unknown: ['nobody-was-given-this'], mistyped: ['cw_local_x'] },
    },
  };
}

const STRANGE = /[^ -~]/;

/** Faults that hardly any request meets. */
function broken(): Change {
  const [a, b] = [chainDouble(1, 'alpha'), chainDouble(2, 'beta')];
  const { parseAddress } = a.adapter;
  const adapter = {
    ...a.adapter,
    parseAddress: (text: string) => {
      if (STRANGE.test(text)) throw new TypeError('unexpected value');
      return parseAddress(text);
    },
  };
  return {
    chains: new Map([
      [1, adapter],
      [2, b.adapter],
    ]),
    alerts: { list: () => [{ id: 'gas', message: 'low', since: 1, more: 'not described' }] },
    metricsText: () => new Promise(() => {}),
  };
}

let fine: RunningApi;
let wrong: RunningApi;
let report: Report;
let target: Target;

beforeAll(async () => {
  fine = await runningApi();
  wrong = await runningApi(broken());
  target = await targetOf(wrong);
  report = await fuzz(target, PLAN);
}, 120_000);
afterAll(async () => {
  for (const server of servers) await server.close();
  await fine?.close();
  await wrong?.close();
});

const found = (rule: string, operation?: string) =>
  report.findings.find((one) => one.rule === rule && (operation === undefined || one.request.operation === operation));

describe('the fuzz lane', () => {
  it('finds nothing wrong with what is right', { timeout: 60_000 }, async () => {
    const { findings, requests } = await fuzz(await targetOf(fine), PLAN);
    expect(findings.map(findingText)).toEqual([]);
    expect(requests).toBe(PLAN.requests);
  });

  it('finds a handler that throws, and the least that makes it throw', () => {
    const { least, message } = found('blame') ?? {};
    expect(message).toContain('500');
    const { path = '', query = [], headers = [], body } = least ?? {};
    expect(decodeURIComponent([path, ...query, body ?? ''].join('&'))).toMatch(STRANGE);
    expect(query.length).toBeLessThanOrEqual(3);
    expect(headers.length).toBeLessThanOrEqual(2);
    expect(
      Object.keys(JSON.parse((body ?? '{}').replaceAll(/~chain\.\d~/g, '1')) as object).length,
    ).toBeLessThanOrEqual(7);
  });

  it('finds the same again by its seed and number', async () => {
    const first = found('blame');
    const { findings } = await fuzz(target, { ...PLAN, from: first?.at ?? -1, requests: 1 });
    expect(findings.map(({ rule, request }) => [rule, request])).toEqual([['blame', first?.request]]);
  });

  it('finds an answer with a field that no one described', () => {
    expect(found('shape', 'adminAlerts')?.message).toContain('additional properties');
  });

  it('finds a handler that never answers', () => {
    expect(found('silent', 'metrics')).toBeDefined();
  });

  it('finds nothing else', () => {
    const rules = new Set(report.findings.map(({ rule }) => rule));
    expect([...rules].sort()).toEqual(['blame', 'shape', 'silent']);
  });

  it('sends beyond a number only what asks for something that was not done by then', { timeout: 60_000 }, async () => {
    const right = await targetOf(fine);
    const of = async (...operations: string[]) =>
      fuzz(right, { ...PLAN, seek: { after: 100, operations: new Set(operations) } });
    expect((await of()).requests).toBe(100);
    const { answers, requests } = await of('price', 'executeSwap');
    const asked = [...(answers.get('executeSwap')?.values() ?? [])].reduce((sum, times) => sum + times, 0);
    expect(answers.get('price')?.has(200)).toBe(true);
    expect(asked).toBeGreaterThan(20);
    expect(requests).toBeLessThan(PLAN.requests / 4);
  });

  it('finds a key that opens what it should not', { timeout: 60_000 }, async () => {
    const right = await targetOf(fine);
    const lied = { ...right, words: { ...right.words, expired: [API_KEY] } };
    const { findings } = await fuzz(lied, { ...PLAN, requests: 500, shrinks: false });
    expect(new Set(findings.map(({ rule }) => rule))).toEqual(new Set(['let in']));
  });

  it('finds memory that is never given back', { timeout: 60_000 }, async () => {
    const kept: unknown[] = [];
    const leaky = await runningApi({
      alerts: {
        list: () => {
          kept.push(new Array(2 ** 17).fill(kept.length));
          return [];
        },
      },
    });
    const { memory: measured } = await fuzz({ ...(await targetOf(leaky)), memory }, PLAN);
    await leaky.close();
    expect(kept.length).toBeGreaterThan(20);
    expect(measured?.grown).toContain('heap');
  });
});
