import assert from 'node:assert/strict';
import type { Currency } from '../../contract/currency.js';
import type { UsdPrice } from '../../contract/prices.js';
import type { ConformanceKit } from '../report.js';
import type { ConformanceCase } from '../report-types.js';
import type { PriceHarness } from './price-harness.js';

const EXACT = /^(0|[1-9]\d*)(\.\d+)?$/;

function fresh(harness: PriceHarness, currency: Currency): UsdPrice {
  const price = harness.source.price(currency);
  assert.ok(price !== undefined && price !== 'stale', `${currency.symbol} has a price: ${String(price)}`);
  return price;
}

/** Canonical decimal text: equal texts are equal numbers. */
function plain(usd: string): string {
  assert.match(usd, /^\d+(\.\d+)?$/, 'exact decimal text, no sign, no exponent');
  const [whole = '', part = ''] = usd.split('.');
  const [digits, decimals] = [whole.replace(/^0+(?=\d)/, ''), part.replace(/0+$/, '')];
  return decimals === '' ? digits : `${digits}.${decimals}`;
}

function need<T>(method: T | undefined): T {
  if (method === undefined) throw new Error('the harness says neither how prices change nor that they cannot');
  return method;
}

async function until(harness: PriceHarness, what: string, ms: number, good: () => boolean): Promise<void> {
  const step = Math.max(5, Math.floor(ms / 50));
  for (let waited = 0; waited <= ms * 4; waited += step) {
    if (good()) return;
    await harness.pass(step);
  }
  assert.fail(`timed out waiting for ${what}`);
}

const cases: readonly Omit<ConformanceCase<PriceHarness>, 'subject' | 'guarantees'>[] = [
  {
    name: 'has what its harness does not say it lacks',
    async run(harness) {
      const { publish, silence, garble } = harness;
      const has = [publish, silence, garble].every((method) => method !== undefined);
      assert.equal(has, harness.lacks.upstream === undefined);
      assert.ok(harness.source.id !== '', 'a source has an id');
      assert.ok(harness.known.length >= 2 && new Set(harness.known.map(({ usd }) => usd)).size >= 2);
      assert.ok(harness.unknown.length >= 1);
    },
  },
  {
    name: 'gives prices as exact decimal text above zero, with the time they are of',
    async run(harness) {
      for (const { currency, usd } of harness.known) {
        const asked = harness.now();
        const price = fresh(harness, currency);
        assert.equal(plain(price.usd), plain(usd));
        assert.match(price.usd, EXACT);
        assert.notEqual(plain(price.usd), '0');
        assert.ok(Number.isSafeInteger(price.at) && price.at <= harness.now(), 'a time that was');
        if (harness.lacks.upstream === undefined) assert.ok(asked - price.at <= harness.staleAfterMs);
      }
    },
  },
  {
    name: 'answers at once from memory, without a request',
    async run(harness) {
      const before = harness.requests();
      const rounds = 500;
      for (let round = 0; round < rounds; round += 1)
        for (const { currency } of harness.known) {
          const price: unknown = harness.source.price(currency);
          assert.ok(!(price instanceof Promise), 'a price is a value');
        }
      await harness.pass(20);
      assert.ok(harness.requests() - before < rounds / 10, 'calls to others for questions about prices');
    },
  },
  {
    name: 'knows nothing about a currency that it does not know',
    async run(harness) {
      for (const currency of harness.unknown) assert.equal(harness.source.price(currency), undefined, currency.symbol);
    },
  },
  {
    name: 'does not take a currency for another one of the same symbol',
    async run(harness) {
      for (const { currency } of harness.known) {
        const impostor: Currency = {
          ...currency,
          address: `${currency.address}-other`,
          group: `${currency.group}-other`,
          isNative: false,
          verified: false,
        };
        assert.equal(harness.source.price(impostor), undefined, `a stranger that calls itself ${currency.symbol}`);
      }
    },
  },
  {
    name: 'follows a price that changes, to the last digit',
    needs: ['upstream'],
    async run(harness) {
      const [one] = harness.known;
      assert.ok(one !== undefined);
      const before = fresh(harness, one.currency).at;
      for (const usd of ['3021.570000000000000001', '0.000000000000000123', '7']) {
        await need(harness.publish).call(harness, one.currency, usd);
        await until(harness, usd, harness.staleAfterMs, () => plain(fresh(harness, one.currency).usd) === usd);
      }
      assert.ok(fresh(harness, one.currency).at >= before);
    },
  },
  {
    name: 'shows the age of a price, and never an old one as fresh',
    needs: ['upstream'],
    async run(harness) {
      const [one] = harness.known;
      assert.ok(one !== undefined);
      need(harness.silence).call(harness, true);
      await harness.pass(Math.ceil(harness.staleAfterMs / 10));
      const kept = harness.source.price(one.currency);
      const from = harness.now();
      await until(harness, 'the price to be stale', harness.staleAfterMs, () => {
        const asked = harness.now();
        const price = harness.source.price(one.currency);
        assert.notEqual(price, undefined, 'an old price is stale, not unknown');
        if (price === 'stale' || price === undefined) return true;
        assert.ok(asked - price.at <= harness.staleAfterMs, `a price of ${asked - price.at} ms ago`);
        if (kept !== 'stale' && kept !== undefined) assert.ok(price.at <= from, 'silence does not make it younger');
        return false;
      });
      need(harness.silence).call(harness, false);
      const back = (): boolean => typeof harness.source.price(one.currency) === 'object';
      await until(harness, 'the price to come back', harness.staleAfterMs, back);
    },
  },
  {
    name: 'takes nonsense for silence',
    needs: ['upstream'],
    async run(harness) {
      need(harness.garble).call(harness, true);
      const prices = harness.known.map(({ currency, usd }) => ({ currency, usd: plain(usd) }));
      await until(harness, 'prices to be stale', harness.staleAfterMs, () =>
        prices.every(({ currency, usd }) => {
          const price = harness.source.price(currency);
          if (price === 'stale') return true;
          assert.ok(price !== undefined);
          assert.equal(plain(price.usd), usd, 'nonsense became a price');
          return false;
        }),
      );
      need(harness.garble).call(harness, false);
      for (const { currency } of prices)
        await until(
          harness,
          'the price to come back',
          harness.staleAfterMs,
          () => typeof harness.source.price(currency) === 'object',
        );
    },
  },
];

const ABILITIES: Readonly<Record<keyof PriceHarness['lacks'], true>> = { upstream: true };

/** Rules for every price source. See docs/conformance.md. */
export const priceConformance: ConformanceKit<PriceHarness> = {
  title: 'price source',
  abilities: Object.keys(ABILITIES),
  cases: cases.map((one) => ({ subject: 'prices', guarantees: ['G2', 'G12'], ...one })),
};
