import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { TraceSpan } from '@causeway/core';
import { registerAlone } from '@causeway/core/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { plugin } from '../src/index.js';

interface Sent {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly status: { readonly code: number };
  readonly attributes: readonly { readonly key: string; readonly value: object }[];
}

interface Post {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: readonly object[] };
    readonly scopeSpans: readonly { readonly spans: readonly Sent[] }[];
  }[];
}

const posts: Post[] = [];
let headers: IncomingHttpHeaders = {};
/** A receiver of OTLP/HTTP in JSON. */
const receiver = createServer(async (request, response) => {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  headers = request.headers;
  posts.push(JSON.parse(Buffer.concat(chunks).toString('utf8')) as Post);
  response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
});
let url: string;

beforeAll(async () => {
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/v1/traces`;
});
afterAll(() => new Promise((resolve) => receiver.close(resolve)));

const TRACE = '0123456789abcdef0123456789abcdef';
const span = (change: Partial<TraceSpan>): TraceSpan => ({
  ...{
    name: 'fill',
    traceId: TRACE,
    spanId: '1111111111111111',
    startedAt: 1_700_000_000_123,
    endedAt: 1_700_000_002_000,
  },
  ...{ failed: false, attributes: { 'causeway.request_id': '0x1', 'causeway.chain_id': 8453 }, ...change },
});

const register = (options: object) => {
  const added = registerAlone(plugin, { url, ...options }, { 'env:OTEL_KEY': 'secret-of-the-test' });
  const [tracer] = added.tracers;
  if (tracer === undefined) throw new Error('the plugin adds no tracer');
  return { added, tracer };
};

describe('the tracer', () => {
  it('sends spans under the ids that they were given, with times, status and attributes', async () => {
    const { added, tracer } = register({ headers: { 'x-api-key': 'env:OTEL_KEY' }, serviceName: 'solver' });
    await added.start();
    tracer.record([
      span({ name: 'request', spanId: '2222222222222222', failed: true }),
      span({ parentId: '2222222222222222' }),
    ]);
    await added.stop();
    expect(headers['x-api-key']).toBe('secret-of-the-test');
    const [sent] = posts.flatMap(({ resourceSpans }) => resourceSpans);
    expect(sent?.resource.attributes).toContainEqual({ key: 'service.name', value: { stringValue: 'solver' } });
    const [root, fill] = sent?.scopeSpans.flatMap(({ spans }) => spans) ?? [];
    expect(root).toMatchObject({ traceId: TRACE, spanId: '2222222222222222', name: 'request', status: { code: 2 } });
    expect(root?.parentSpanId).toBeUndefined();
    expect(fill).toMatchObject({ traceId: TRACE, spanId: '1111111111111111', parentSpanId: '2222222222222222' });
    expect([fill?.startTimeUnixNano, fill?.endTimeUnixNano]).toEqual(['1700000000123000000', '1700000002000000000']);
    expect(fill?.attributes).toContainEqual({ key: 'causeway.request_id', value: { stringValue: '0x1' } });
    expect(fill?.attributes).toContainEqual({ key: 'causeway.chain_id', value: { intValue: 8453 } });
  });

  it('samples by the id of the trace, the same ones in every process', async () => {
    const ids = Array.from({ length: 400 }, (_, n) =>
      (n * 0x9e3779b1).toString(16).padStart(8, '0').slice(-8).repeat(4),
    );
    const [one, other] = [register({ samplePercent: 25 }), register({ samplePercent: 25 })];
    const chosen = ids.filter((id) => one.tracer.samples(id));
    expect(chosen).toEqual(ids.filter((id) => other.tracer.samples(id)));
    expect(chosen.length).toBeGreaterThan(0);
    expect(chosen.length).toBeLessThan(ids.length);
    const none = register({ samplePercent: 0 }).tracer;
    expect(ids.some((id) => none.samples(id))).toBe(false);
  });

  it('neither waits nor throws where the collector is gone, keeps a bound, and stops', async () => {
    const { added, tracer } = register({ url: 'http://127.0.0.1:9/v1/traces', timeoutMs: 300 });
    await added.start();
    const begin = performance.now();
    for (let n = 0; n < 10_000; n += 1) tracer.record([span({ spanId: n.toString(16).padStart(16, '0') })]);
    expect(performance.now() - begin).toBeLessThan(2_000);
    await added.stop();
    expect(added.logged()).not.toContain('secret-of-the-test');
  }, 30_000);
});
