import { parseEther } from 'viem';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { OtlpReceiver, type SentSpan } from '../support/otlp-receiver.js';
import { until } from '../support/until.js';
import { pay } from '../support/wallet.js';
import { World } from '../support/world.js';

const receiver = new OtlpReceiver();
let world: World;

beforeAll(async () => {
  const url = await receiver.start();
  world = await World.start({ withPlugins: [{ use: '@causeway/plugin-otel', options: { url } }] });
});

afterAll(async () => {
  await world?.close();
  await receiver.close();
});

const attribute = ({ attributes }: SentSpan, key: string) => attributes.find((one) => one.key === key)?.value;

it('a request is one trace from its quote to its fill, also after a restart', async () => {
  const order = await world.order({ from: world.a, amount: parseEther('1') });
  const requestId = order.quote.steps[0]?.requestId ?? '';
  await until('the quote is traced', () => receiver.spans.some(({ name }) => name === 'quote'), { ms: 20_000 });
  await world.service.stop();
  await world.boot();
  await pay(order.from, order.user, order.quote);
  await world.becomes(order, 'success');
  await until('the end is traced', () => receiver.spans.some(({ name }) => name === 'request'), { ms: 20_000 });

  const { spans } = receiver;
  expect(spans.map(({ name }) => name).sort()).toEqual(
    ['quote', 'request', 'wait for the deposit', 'deposit', 'fill', 'transaction'].sort(),
  );
  expect(new Set(spans.map(({ traceId }) => traceId))).toEqual(new Set([requestId.slice(-32)]));
  expect(new Set(spans.map((span) => attribute(span, 'causeway.request_id')?.['stringValue']))).toEqual(
    new Set([requestId]),
  );
  const named = new Map(spans.map((span) => [span.name, span]));
  const [root, fill, sent] = ['request', 'fill', 'transaction'].map((name) => named.get(name));
  for (const name of ['quote', 'wait for the deposit', 'deposit', 'fill'])
    expect(named.get(name)?.parentSpanId, name).toBe(root?.spanId);
  expect(sent?.parentSpanId).toBe(fill?.spanId);
  expect(root && attribute(root, 'causeway.status')).toEqual({ stringValue: 'success' });
  for (const { startTimeUnixNano, endTimeUnixNano } of spans)
    expect(BigInt(endTimeUnixNano)).toBeGreaterThanOrEqual(BigInt(startTimeUnixNano));
  const text = JSON.stringify(spans).toLowerCase();
  expect(text).not.toContain(order.user.address.toLowerCase().slice(2));
  expect(await world.verdict()).toEqual([]);
}, 90_000);
