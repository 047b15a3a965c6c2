import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, expect, it } from 'vitest';
import { answerTo, json, PARTIES, serveJson, written } from './support/aggregator-server.js';
import { endAll, kept, quoted, started, wish } from './support/asking.js';

afterEach(endAll);

async function paid(plugin: ReturnType<typeof started>, asked = wish()) {
  const signal = AbortSignal.timeout(2_000);
  const answer = await plugin.source.quote(asked, signal, true);
  const [quote] = answer.ok ? answer.quotes : [];
  if (quote === undefined) return answer;
  return (await plugin.source.build?.(asked, quote, PARTIES, signal, true)) ?? answer;
}

it.each([
  ['all of its time', { atOnce: 4, waiting: 8, perSecond: 8, burst: 1 }],
  ['all of its burst', { atOnce: 4, waiting: 8, perSecond: 8, burst: 8 }],
  ['its places', { atOnce: 1, waiting: 8, perSecond: 1_000, burst: 1_000 }],
])('paid orders are served while quotes take %s', async (_, room) => {
  const server = kept(await serveJson());
  const plugin = started(server, { room });
  server.instead = (request, response) => {
    const url = new URL(request.url ?? '', 'http://here');
    setTimeout(() => json(response, written(answerTo({ url }))), 20);
  };
  let [amount, isOver] = [1n, false];
  const strangers = Array.from({ length: 20 }, async () => {
    while (!isOver) {
      amount += 1n;
      await quoted(plugin, wish({ amount }));
      await delay(5);
    }
  });
  await delay(200);
  for (let n = 1n; n <= 3n; n += 1n)
    expect(await paid(plugin, wish({ amount: n * 10_000n }))).toMatchObject({ ok: true });
  isOver = true;
  await Promise.all(strangers);
});

it('paid orders are served where quotes of third parties made it fail', async () => {
  const server = kept(await serveJson());
  const plugin = started(server);
  server.instead = (_, response) => json(response, '{}', 500);
  for (let n = 1; n <= 3; n += 1) await quoted(plugin, wish({ amount: BigInt(n) }));
  server.instead = undefined;
  expect(await quoted(plugin)).toMatchObject({ ok: false, why: 'unavailable' });
  expect(await paid(plugin)).toMatchObject({ ok: true });
});
