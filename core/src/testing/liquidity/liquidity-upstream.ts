import assert from 'node:assert/strict';
import type { SwapWish } from '../../contract/liquidity.js';
import type { LiquidityCase } from './liquidity-conformance.js';
import type { LiquidityHarness, UpstreamBehaviour } from './liquidity-harness.js';
import { ask, built, isOver, limitOf, partiesOf, quoted } from './liquidity-steps.js';

const FAILING: readonly UpstreamBehaviour[] = ['fails', 'hanging', 'unreachable', 'nonsense'];

function behave(harness: LiquidityHarness, how: UpstreamBehaviour): void {
  if (harness.behave === undefined)
    throw new Error('the harness says neither how others behave nor that none are asked');
  harness.behave(how);
}

/** A new amount each time, so that no cached answer fits. */
function wishOf({ wishes }: LiquidityHarness, n: number): SwapWish {
  const [wish] = wishes;
  assert.ok(wish !== undefined);
  return { ...wish, amount: wish.amount - BigInt(n) };
}

async function isLetGo(harness: LiquidityHarness): Promise<void> {
  for (let waited = 0; waited < 40 && harness.pending?.() !== 0; waited += 1) await harness.pass(25);
  assert.equal(harness.pending?.(), 0, 'questions that are over');
}

/** Asks until there is a quote again; a source may pause before it asks a failed upstream again. */
async function comesBack(harness: LiquidityHarness): Promise<void> {
  behave(harness, 'well');
  for (let n = 0; n < 400; n += 1) {
    if ((await ask(harness, wishOf(harness, n % 50))).ok) return;
    await harness.pass(Math.max(10, harness.timeoutMs / 20));
  }
  assert.fail('it does not come back');
}

export const upstreamCases: readonly LiquidityCase[] = [
  {
    name: 'says that it does not know while no upstream answers well, never throws, and comes back',
    needs: ['upstream'],
    async run(harness) {
      for (const how of FAILING) {
        behave(harness, how);
        for (let n = 1; n <= 3; n += 1) {
          const answer = await ask(harness, wishOf(harness, n));
          assert.ok(!answer.ok && answer.why === 'unavailable', `${how}: ${answer.ok ? 'a quote' : answer.why}`);
        }
        await comesBack(harness);
      }
    },
  },
  {
    name: 'refuses to build while no upstream answers well, and never throws',
    needs: ['upstream'],
    async run(harness) {
      if (harness.source.build === undefined) return;
      for (const how of FAILING) {
        const wish = wishOf(harness, 0);
        const quote = await quoted(harness, wish);
        behave(harness, how);
        const made = await built(harness, wish, quote, partiesOf(harness, limitOf(wish, quote)));
        assert.ok(!made.ok && made.why === 'unavailable', how);
        assert.notEqual(made.message.trim(), '');
        await comesBack(harness);
      }
    },
  },
  {
    name: 'abandons in time and lets go',
    needs: ['upstream'],
    async run(harness) {
      behave(harness, 'hanging');
      const asked = [1, 2, 3].map((n) => ask(harness, wishOf(harness, n)));
      assert.ok(
        await isOver(harness, Promise.all(asked), harness.timeoutMs * 2),
        `not over after ${harness.timeoutMs} ms`,
      );
      await isLetGo(harness);
      behave(harness, 'well');
    },
  },
  {
    name: 'ends what is not wanted any more, at once and with a value',
    needs: ['upstream'],
    async run(harness) {
      const wish = wishOf(harness, 0);
      const quote = await quoted(harness, wish);
      behave(harness, 'hanging');
      const leaving = new AbortController();
      const parties = partiesOf(harness, limitOf(wish, quote));
      const asked = [
        ask(harness, wishOf(harness, 1), leaving.signal).then(({ ok }) => ok),
        ...(harness.source.build ? [built(harness, wish, quote, parties, leaving.signal).then(({ ok }) => ok)] : []),
      ];
      await harness.pass(Math.floor(harness.timeoutMs / 10));
      leaving.abort();
      assert.ok(await isOver(harness, Promise.all(asked), harness.timeoutMs / 2), 'not over though no longer wanted');
      for (const ok of await Promise.all(asked)) assert.equal(ok, false);
      await isLetGo(harness);
      behave(harness, 'well');
      assert.equal((await ask(harness, wishOf(harness, 2), AbortSignal.abort())).ok, false);
      await quoted(harness, wishOf(harness, 3));
    },
  },
  {
    name: 'reveals no secret, in messages or in logs',
    needs: ['upstream'],
    guarantees: [],
    async run(harness) {
      const said: string[] = [];
      for (const how of FAILING) {
        behave(harness, how);
        const answer = await ask(harness, wishOf(harness, 1));
        if (!answer.ok) said.push(answer.message);
      }
      behave(harness, 'well');
      const all = [...said, harness.logged()].join('\n');
      for (const secret of harness.secrets) assert.ok(!all.includes(secret), 'a secret was revealed');
    },
  },
];
