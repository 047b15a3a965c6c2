import { setTimeout as delay } from 'node:timers/promises';
import type { SwapWish } from '@causeway/core';
import { afterEach, describe, expect, it } from 'vitest';
import {
  type Answer,
  answerTo,
  JSON_SHAPE,
  json,
  NATIVE,
  OTHER,
  PARTIES,
  ROUTER,
  SPENDER,
  serve,
  serveJson,
  TOKEN,
  written,
} from './support/aggregator-server.js';
import {
  approval,
  build,
  CHAINS,
  callsOf,
  endAll,
  kept,
  quoted,
  quoteOf,
  started,
  wish,
  word,
} from './support/asking.js';

afterEach(endAll);

describe('a quote', () => {
  it('is what the aggregator says of both sides, and its work with the approvals', async () => {
    const server = kept(await serveJson());
    const plugin = started(server, {}, { id: 'best' });
    expect(plugin.source.id).toBe('best');
    expect([1, 2].map((id) => plugin.source.supports(id))).toEqual([true, false]);
    expect(await quoteOf(plugin)).toMatchObject({
      ...{ amountIn: 1_000n, amountOut: 2_000n, route: [TOKEN, OTHER], work: 255_000n, height: 77 },
    });
    expect(await quoteOf(plugin, wish({ kind: 'exactOutput', amount: 1_001n, input: NATIVE }))).toMatchObject({
      ...{ amountIn: 501n, amountOut: 1_001n, route: [NATIVE, OTHER], work: 200_000n },
    });
    expect(server.asked.map(({ url }) => [url.searchParams.get('sell'), url.searchParams.get('taker')])).toEqual([
      [TOKEN, '0x000000000000000000000000000000000000dEaD'],
      ['0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE', '0x000000000000000000000000000000000000dEaD'],
    ]);
  });

  it('is asked for with keys that stay out of sight', async () => {
    const server = kept(await serveJson());
    const secrets = { 'env:KEY': 'sesame-of-the-header', 'file:token': 'sesame of/the?query&' };
    const plugin = started(server, { headers: { 'x-key': 'env:KEY' }, query: { token: 'file:token' } }, { secrets });
    await quoteOf(plugin);
    expect(server.asked[0]?.headers['x-key']).toBe('sesame-of-the-header');
    expect(server.asked[0]?.url.searchParams.get('token')).toBe('sesame of/the?query&');
    server.instead = (_, response) => json(response, '{"error":"sesame-of-the-header"}', 500);
    const reported = JSON.stringify([await quoted(plugin), plugin.lines, [...plugin.alerts], [...plugin.counts]]);
    expect(reported).not.toContain('sesame');
  });

  it('is asked for once by all who need the same at the same time, or just after', async () => {
    const server = kept(await serveJson());
    const plugin = started(server, { keepMs: 80 });
    const all = await Promise.all(Array.from({ length: 20 }, () => quoteOf(plugin)));
    expect(new Set(all.map(({ amountOut }) => amountOut))).toEqual(new Set([2_000n]));
    await quoteOf(plugin);
    expect(server.asked).toHaveLength(1);
    await delay(100);
    await quoteOf(plugin);
    await quoteOf(plugin, wish({ amount: 7n }));
    expect(server.asked).toHaveLength(3);
  });

  it('keeps no failure for those who come later', async () => {
    const server = kept(await serveJson());
    const plugin = started(server, { keepMs: 5_000 });
    server.instead = (_, response) => json(response, '{}', 500);
    expect(await quoted(plugin)).toMatchObject({ ok: false, why: 'unavailable' });
    server.instead = undefined;
    expect(await quoted(plugin)).toMatchObject({ ok: true });
  });

  it.each<[string, Partial<SwapWish>]>([
    ['of what it cannot fix', { kind: 'exactOutput' }],
    ['of one for itself', { output: TOKEN }],
    ['of nothing', { amount: 0n }],
    ['of less than nothing', { amount: -1n }],
    ['of more than there can be', { amount: 2n ** 256n }],
    ['through fewer pools than it may pass', { maxHops: 3 }],
  ])('%s has no route, and no one is asked', async (_, change) => {
    const server = kept(await serveJson());
    const plugin = started(server, { json: { exactInput: JSON_SHAPE.exactInput } });
    expect(await quoted(plugin, wish(change))).toMatchObject({ ok: false, why: 'noRoute' });
    expect(server.asked).toHaveLength(0);
    expect(await quoted(plugin, wish({ maxHops: 4 }))).toMatchObject({ ok: true });
  });
});

const NO_AMOUNTS = [
  '-1',
  '"-1"',
  '"NaN"',
  'NaN',
  '1.5',
  '"1e3"',
  '1e3',
  '"0x"',
  '"0xg"',
  '""',
  '{}',
  '[]',
  'true',
  '"١"',
];

describe('an answer that is nonsense', () => {
  it.each([...NO_AMOUNTS, `"${2n ** 256n}"`, `"0x1${'0'.repeat(64)}"`, `${'9'.repeat(500)}`])(
    'is no quote: %s',
    async (out) => {
      const plugin = started(kept(await serveJson(() => ({ out }))));
      expect(await quoted(plugin)).toMatchObject({ ok: false, why: 'unavailable' });
    },
  );

  it.each([
    ['hex', '"0x7d0"', 2_000n],
    ['a number', '2000', 2_000n],
    ['the most there can be', `${2n ** 256n - 1n}`, 2n ** 256n - 1n],
  ])('is not one where an amount is written as %s', async (_, out, amountOut) => {
    const plugin = started(kept(await serveJson(() => ({ out }))));
    expect(await quoteOf(plugin)).toMatchObject({ amountOut });
  });

  it.each([
    ['nothing at all', ''],
    ['a page', '<html>'],
    ['another shape', '{"data":{}}'],
    ['a list', '[]'],
    ['null', 'null'],
    ['a flood of brackets', '['.repeat(100_000)],
  ])('is no quote: %s', async (_, body) => {
    const plugin = started(kept(await serve((_request, response) => json(response, body))));
    expect(await quoted(plugin)).toMatchObject({ ok: false, why: 'unavailable' });
  });

  it('of nothing for something is no route, and no failure of the aggregator', async () => {
    const plugin = started(kept(await serveJson(() => ({ out: '"0"' }))));
    for (let n = 0; n < 5; n += 1) expect(await quoted(plugin)).toMatchObject({ ok: false, why: 'noRoute' });
  });

  it('about another amount is no route', async () => {
    const plugin = started(kept(await serveJson(() => ({ in: '"999"' }))));
    expect(await quoted(plugin)).toMatchObject({ ok: false, why: 'noRoute' });
    expect(await quoted(plugin, wish({ kind: 'exactOutput' }))).toMatchObject({ ok: true });
    const short = started(kept(await serveJson(() => ({ out: '"999"' }))));
    expect(await quoted(short, wish({ kind: 'exactOutput' }))).toMatchObject({ ok: false, why: 'noRoute' });
  });

  it.each(['0', '"lots"', '-5', '1e99', '20999', '30000001'])('about gas alone is worked around: %s', async (gas) => {
    const plugin = started(kept(await serveJson(() => ({ gas }))));
    expect(await quoteOf(plugin)).toMatchObject({ work: 405_000n });
  });

  it('is no route where it says so itself, whatever the status', async () => {
    const server = kept(await serve((_, response) => json(response, '{"error":"no liquidity"}')));
    const plugin = started(server);
    expect(await quoted(plugin)).toMatchObject({ ok: false, why: 'noRoute' });
    for (const status of [400, 404, 422]) {
      server.instead = (_, response) => json(response, '{"reason":"x"}', status);
      expect(await quoted(plugin)).toMatchObject({ ok: false, why: 'noRoute' });
    }
    expect(plugin.gauges.get('circuit_open')).toBe(0);
  });
});

describe('calls', () => {
  it('approve the input, call, and approve nothing', async () => {
    const server = kept(await serveJson());
    const calls = await callsOf(started(server));
    expect(calls).toEqual([
      approval(TOKEN, SPENDER, 1_000n),
      { to: ROUTER, value: 0n, data: '0x12345678aa' },
      approval(TOKEN, SPENDER, 0n),
    ]);
    const [, asked] = server.asked;
    expect(asked?.url.searchParams.get('taker')).toBe(PARTIES.payer);
    expect(asked?.url.searchParams.get('to')).toBe(PARTIES.recipient);
  });

  it('send native coin along, and approve no one', async () => {
    const calls = await callsOf(started(kept(await serveJson())), wish({ input: NATIVE }));
    expect(calls).toEqual([{ to: ROUTER, value: 1_000n, data: '0x12345678aa' }]);
  });

  it('approve the most that an exact output may take', async () => {
    const exact = wish({ kind: 'exactOutput' });
    const calls = await callsOf(started(kept(await serveJson())), exact, { limit: 520n });
    expect(calls[0]).toEqual(approval(TOKEN, SPENDER, 520n));
    expect(calls.at(-1)).toEqual(approval(TOKEN, SPENDER, 0n));
  });

  it.each([
    ['a token', OTHER, { to: OTHER, value: 0n, data: `0xa9059cbb${word(PARTIES.recipient)}${word('7bc')}` }],
    ['native coin', NATIVE, { to: PARTIES.recipient, value: 1_980n, data: '0x' }],
  ])('pass on the least that is owed where the aggregator pays anyone who calls: %s', async (_, output, last) => {
    const server = kept(await serveJson());
    const plugin = started(server, { json: { ...JSON_SHAPE, pays: 'payer' } });
    const asked = wish({ output });
    expect((await callsOf(plugin, asked, { limit: 1_980n })).at(-1)).toEqual(last);
    expect(server.asked.at(-1)?.url.searchParams.get('to')).toBe(PARTIES.payer);
    expect(await callsOf(plugin, asked, { recipient: PARTIES.payer })).toHaveLength(3);
  });

  it('are built for their parties alone', async () => {
    const plugin = started(kept(await serveJson()));
    const quote = await quoteOf(plugin);
    expect(() => plugin.source.calls(wish(), quote, PARTIES)).toThrow('not built for these parties');
    const built = await build(plugin, wish(), quote);
    if (!built.ok) return expect.fail(built.message);
    for (const other of [{ payer: ROUTER }, { recipient: ROUTER }, { limit: 2n }])
      expect(() => plugin.source.calls(wish(), built.quote, { ...PARTIES, ...other })).toThrow('not built for');
    expect(plugin.source.calls(wish(), built.quote, PARTIES)).toHaveLength(3);
  });
});

describe('calls that are refused', () => {
  const other = '"0x3333333333333333333333333333333333333333"';
  it.each<[string, Partial<Answer>, object?]>([
    ['of another contract', { to: other }],
    ['of the token itself', { to: `"${TOKEN}"` }, { targets: [ROUTER, TOKEN] }],
    ['of what comes out', { to: `"${OTHER}"` }, { targets: [ROUTER, OTHER] }],
    ['of the payer', { to: `"${PARTIES.payer}"` }, { targets: [ROUTER, PARTIES.payer] }],
    ['of the recipient', { to: `"${PARTIES.recipient}"` }, { targets: [ROUTER, PARTIES.recipient] }],
    ['of no account', { to: 'null' }],
    ['with another spender', { spender: other }],
    ['with the target as spender, which is not listed as one', { spender: `"${ROUTER}"` }],
    ['with the payer as spender', { spender: `"${PARTIES.payer}"` }, { spenders: [PARTIES.payer] }],
    ['with no spender where there are several', { spender: 'null' }, { spenders: [SPENDER, ROUTER] }],
    ['that take native coin in addition to a token', { value: '"1"' }],
    ['without a function', { data: '"0x"' }],
    ['with half a function', { data: '"0x123456"' }],
    ['of another function', {}, { selectors: ['0x12345679'] }],
    ['with too much data', { data: `"0x${'ab'.repeat(65)}"` }],
  ])('%s', async (_, change, chain = {}) => {
    const server = kept(await serveJson(() => change));
    const plugin = started(server, { chains: [{ ...CHAINS[0], ...chain }], maxCallBytes: 64 });
    const quote = await quoteOf(plugin);
    expect(await build(plugin, wish(), quote)).toMatchObject({ ok: false, why: 'unavailable' });
    expect(plugin.alerts.get('strange-answer')).toMatch(/is refused/);
    expect(plugin.gauges.get('circuit_open')).toBe(0);
    server.instead = (request, response) =>
      json(response, written(answerTo({ url: new URL(request.url ?? '', 'http://here') })));
    if (Object.keys(chain).length > 0) return;
    expect(await build(plugin, wish(), quote)).toMatchObject({ ok: true });
    expect(plugin.alerts.size).toBe(0);
  });

  it.each<[string, Partial<Answer>]>([
    ['an address that is none', { to: '"0x12"' }],
    ['data that are none', { data: '"0x123"' }],
    ['data that are no text', { data: '7' }],
    ['a spender that is none', { spender: '"vitalik.eth"' }],
    ['coin that is none', { value: '"-1"' }],
  ])('with %s', async (_, change) => {
    let lies = false;
    const plugin = started(kept(await serveJson(() => (lies ? change : {}))));
    const quote = await quoteOf(plugin);
    lies = true;
    expect(await build(plugin, wish(), quote)).toMatchObject({ ok: false, why: 'unavailable' });
  });

  it.each<[string, Partial<Answer>]>([
    ['more native coin than goes in', { value: '"1001"' }],
    ['less native coin than goes in', { value: '"999"' }],
    ['all the native coin there is', { value: `"${2n ** 256n - 1n}"` }],
  ])('that take %s', async (_, change) => {
    const plugin = started(kept(await serveJson(() => change)));
    const native = wish({ input: NATIVE });
    expect(await build(plugin, native, await quoteOf(plugin, native))).toMatchObject({ ok: false, why: 'unavailable' });
  });

  it('are reported as a moved price where they give less than the limit, or take more', async () => {
    const plugin = started(kept(await serveJson()));
    expect(await build(plugin, wish(), await quoteOf(plugin), { limit: 2_001n })).toMatchObject({ why: 'moved' });
    const exact = wish({ kind: 'exactOutput' });
    expect(await build(plugin, exact, await quoteOf(plugin, exact), { limit: 499n })).toMatchObject({ why: 'moved' });
    expect(await build(plugin, exact, await quoteOf(plugin, exact), { limit: 500n })).toMatchObject({ ok: true });
    expect(plugin.alerts.size).toBe(0);
  });
});
