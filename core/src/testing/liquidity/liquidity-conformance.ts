import assert from 'node:assert/strict';
import type { SwapQuote, SwapWish } from '../../contract/liquidity.js';
import { MAX_UINT256 } from '../../domain/money.js';
import type { ConformanceKit } from '../report.js';
import type { ConformanceCase, Guarantee } from '../report-types.js';
import type { LiquidityAbility, LiquidityHarness } from './liquidity-harness.js';
import { amountOf, ask, callsFor, limitOf, partiesOf, quoted } from './liquidity-steps.js';
import { upstreamCases } from './liquidity-upstream.js';

export interface LiquidityCase extends Omit<ConformanceCase<LiquidityHarness>, 'subject' | 'guarantees' | 'needs'> {
  readonly needs?: readonly LiquidityAbility[];
  readonly guarantees?: readonly Guarantee[];
}

const SIDES = ['exactInput', 'exactOutput'] as const;
const ODD_AMOUNTS = [0n, 1n, 2n ** 128n, MAX_UINT256, MAX_UINT256 + 1n, -1n];

/** One wish per supported side, at its original amount. */
const wishesOf = ({ wishes }: LiquidityHarness, kind: SwapWish['kind']) => wishes.filter((wish) => wish.kind === kind);

const quotes: readonly LiquidityCase[] = [
  {
    name: 'has what its harness does not say it lacks',
    async run(harness) {
      const { lacks, source } = harness;
      assert.equal(harness.behave !== undefined && harness.pending !== undefined, lacks.upstream === undefined);
      for (const side of SIDES) assert.equal(wishesOf(harness, side).length > 0, lacks[side] === undefined, side);
      assert.ok(
        source.isMeasured !== true || lacks.ownLimit !== undefined,
        'what is measured holds no limit of its own',
      );
      assert.match(source.id, /^[a-z][a-z0-9-]*$/, 'an id that clients can name');
      assert.notEqual(harness.payer, harness.recipient);
    },
  },
  {
    name: 'serves the chains that it says, and no others',
    async run({ source, wishes, otherChainId }) {
      for (const { chainId } of wishes) assert.ok(source.supports(chainId));
      assert.ok(!source.supports(otherChainId));
    },
  },
  {
    name: 'keeps the side that a wish fixes, and states the amount of the other one',
    async run(harness) {
      for (const wish of harness.wishes) await quoted(harness, wish);
    },
  },
  {
    name: 'lists the best first, and nothing that is outdone in both amount and work',
    async run(harness) {
      for (const wish of harness.wishes) {
        const answer = await ask(harness, wish);
        assert.ok(answer.ok);
        const gain = (quote: SwapQuote) => (wish.kind === 'exactInput' ? 1n : -1n) * amountOf(wish, quote);
        for (const [n, quote] of answer.quotes.entries()) {
          const before = answer.quotes[n - 1];
          if (before === undefined) continue;
          assert.ok(gain(before) >= gain(quote), 'the best first');
          assert.ok(quote.work < before.work, 'what gives less takes less work');
        }
      }
    },
  },
  {
    name: 'knows no way where there is none, and of a side that it does not quote',
    async run(harness) {
      for (const kind of SIDES) assert.equal((await ask(harness, { ...harness.impossible, kind })).ok, false);
      for (const kind of SIDES.filter((side) => harness.lacks[side] !== undefined))
        for (const wish of harness.wishes) {
          const answer = await ask(harness, { ...wish, kind });
          assert.ok(!answer.ok && answer.why === 'noRoute', 'not now and not later');
        }
    },
  },
  {
    name: 'passes no more than it may',
    async run(harness) {
      for (const wish of harness.wishes)
        for (const maxHops of [0, 1, 2, 3, 16]) {
          const answer = await ask(harness, { ...wish, maxHops });
          // Wrapping a coin uses no pool.
          const most = Math.max(maxHops, 1);
          if (answer.ok) for (const { route } of answer.quotes) assert.ok(route.length - 1 <= most, route.join());
        }
    },
  },
  {
    name: 'gives no less for more, and takes no less for more',
    async run(harness) {
      for (const wish of harness.wishes) {
        let last = 0n;
        for (const amount of [wish.amount / 16n, wish.amount / 2n, wish.amount, wish.amount * 2n]) {
          const next = amountOf(wish, await quoted(harness, { ...wish, amount }));
          assert.ok(next >= last, `${wish.kind} of ${amount}: ${next} after ${last}`);
          last = next;
        }
      }
    },
  },
  {
    name: 'answers every amount with a value',
    async run(harness) {
      for (const wish of harness.wishes) for (const amount of ODD_AMOUNTS) await ask(harness, { ...wish, amount });
      const [wish] = harness.wishes;
      assert.ok(wish !== undefined);
      for (const amount of [0n, -1n, MAX_UINT256 + 1n])
        assert.equal((await ask(harness, { ...wish, amount })).ok, false, `${amount}`);
    },
  },
  {
    name: 'answers many at once, each with a value',
    async run(harness) {
      const many = harness.wishes.flatMap((wish) =>
        Array.from({ length: 40 }, (_, n) => ask(harness, { ...wish, amount: wish.amount - BigInt(n % 20) })),
      );
      const answers = await Promise.all(many);
      assert.ok(answers.some(({ ok }) => ok));
      for (const answer of answers) assert.ok(answer.ok || answer.why === 'unavailable', JSON.stringify(answer, plain));
    },
  },
];

const calls: readonly LiquidityCase[] = [
  {
    name: 'approves what goes in and no more, and sends no other coin',
    async run(harness) {
      for (const wish of harness.wishes) {
        const quote = await quoted(harness, wish);
        const limit = limitOf(wish, quote);
        const made = await callsFor(harness, wish, quote, partiesOf(harness, limit));
        const most = wish.kind === 'exactInput' ? wish.amount : limit;
        const grants = harness.grants(made);
        for (const { currency, amount } of grants) {
          assert.equal(currency, wish.input, 'approvals of any other currency are not allowed');
          assert.ok(amount <= most, `${amount} may be taken, and ${most} go in`);
        }
        const sent = made.reduce((sum, { value }) => sum + value, 0n);
        for (const { value } of made) assert.ok(value >= 0n);
        const both = most + (wish.kind === 'exactInput' ? limitOf(wish, quote) : wish.amount);
        assert.ok(sent <= both, `coin of ${sent} is sent`);
      }
    },
  },
  {
    name: 'makes calls that bring what they were quoted for, take no more, and leave nothing to be taken',
    async run(harness) {
      for (const wish of harness.wishes) {
        const quote = await quoted(harness, wish);
        const limit = limitOf(wish, quote);
        const parties = partiesOf(harness, limit);
        const made = await harness.make(wish, await callsFor(harness, wish, quote, parties), parties);
        assert.ok(made.done, `the calls of ${wish.kind} are made`);
        const [most, least] = wish.kind === 'exactInput' ? [wish.amount, limit] : [limit, wish.amount];
        assert.ok(made.taken <= most, `${made.taken} was taken of ${most}`);
        assert.ok(made.got >= least, `${made.got} came of ${least}`);
        assert.equal(made.left, 0n, 'an approval was left behind');
      }
    },
  },
  {
    name: 'does nothing at all where the limit is not met',
    needs: ['ownLimit'],
    async run(harness) {
      for (const wish of harness.wishes) {
        const quote = await quoted(harness, wish);
        const limit = amountOf(wish, quote) + (wish.kind === 'exactInput' ? 1n : -1n);
        const parties = partiesOf(harness, limit);
        const made = harness.source.calls(wish, quote, parties);
        assert.deepEqual(await harness.make(wish, made, parties), { done: false });
      }
    },
  },
  {
    name: 'gives no calls to other parties than those that they were built for',
    async run(harness) {
      const { source, wishes } = harness;
      const [wish] = wishes;
      assert.ok(wish !== undefined);
      const quote = await quoted(harness, wish);
      const parties = partiesOf(harness, limitOf(wish, quote));
      if (source.build === undefined) {
        assert.ok(source.calls(wish, quote, parties).length > 0);
        return;
      }
      assert.throws(() => source.calls(wish, quote, parties), 'before it was built');
      const made = await source.build(wish, quote, parties, new AbortController().signal);
      assert.ok(made.ok);
      const others = [{ payer: parties.recipient }, { recipient: parties.payer }, { limit: parties.limit - 1n }];
      for (const other of others) assert.throws(() => source.calls(wish, made.quote, { ...parties, ...other }));
    },
  },
];

function plain(_: string, value: unknown): unknown {
  return typeof value === 'bigint' ? String(value) : value;
}

const ABILITIES: Readonly<Record<LiquidityAbility, true>> = {
  ...{ exactInput: true, exactOutput: true, ownLimit: true, upstream: true },
};

const named = (subject: string, guarantees: readonly Guarantee[], cases: readonly LiquidityCase[]) =>
  cases.map((one): ConformanceCase<LiquidityHarness> => ({ subject, guarantees, ...one }));

/** Rules for every liquidity source. See docs/conformance.md. */
export const liquidityConformance: ConformanceKit<LiquidityHarness> = {
  title: 'liquidity source',
  abilities: Object.keys(ABILITIES),
  cases: [
    ...named('swaps', ['G12'], quotes),
    ...named('exchange', ['G12'], calls),
    ...named('upstream', ['G13'], upstreamCases),
  ],
};
