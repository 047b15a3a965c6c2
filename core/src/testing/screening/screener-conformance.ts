import assert from 'node:assert/strict';
import type { Party, PartyRole, Verdict } from '../../contract/screening.js';
import { SCREENING_TIMEOUT_MS } from '../../screening/screening.js';
import type { ConformanceKit } from '../report.js';
import type { ConformanceCase } from '../report-types.js';
import type { ScreenerHarness } from './screener-harness.js';

const ROLES: readonly PartyRole[] = ['user', 'feePayer', 'depositor', 'recipient', 'refundTo', 'callee', 'appFee'];
/** The service's largest batch of parties. */
const PARTIES = 300;
const MAX_REASON_CHARACTERS = 200;

function need<T>(method: T | undefined): T {
  if (method === undefined) throw new Error('the harness says neither how it is done nor that it cannot be');
  return method;
}

async function ask({ screener }: ScreenerHarness, parties: readonly Party[]): Promise<readonly Verdict[]> {
  const over = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer within ${SCREENING_TIMEOUT_MS} ms`)), SCREENING_TIMEOUT_MS);
  });
  try {
    const verdicts = await Promise.race([screener.screen(parties, over.signal), late]);
    assert.equal(verdicts.length, parties.length, 'one verdict for each party');
    return verdicts;
  } finally {
    clearTimeout(timer);
    over.abort();
  }
}

const flags = (verdicts: readonly Verdict[]): readonly boolean[] => verdicts.map(({ blocked }) => blocked);

/** Parties in rotation, each with its expected verdict. */
function mixed({ blocked, clear }: ScreenerHarness, count: number): readonly (readonly [Party, boolean])[] {
  const all = [...blocked.map((one) => [one, true] as const), ...clear.map((one) => [one, false] as const)];
  const roled = ROLES.flatMap((role) => all.map(([party, is]) => [{ ...party, role }, is] as const));
  return Array.from({ length: count }, (_, n) => roled[(n * 7) % roled.length]).filter((one) => one !== undefined);
}

const cases: readonly Omit<ConformanceCase<ScreenerHarness>, 'subject' | 'guarantees'>[] = [
  {
    name: 'has what its harness does not say it lacks',
    async run(harness) {
      const { block, unblock, away, lacks, screener, blocked, clear } = harness;
      assert.equal(block !== undefined && unblock !== undefined, lacks.changes === undefined);
      assert.equal(away !== undefined, lacks.upstream === undefined);
      assert.ok(screener.id !== '', 'a screener has an id');
      assert.ok(blocked.length >= 2 && clear.length >= 1, 'the harness names parties to ask about');
    },
  },
  {
    name: 'blocks the listed parties, for a short reason, and no one else',
    async run(harness) {
      for (const party of harness.blocked) {
        const [verdict] = await ask(harness, [party]);
        assert.ok(verdict?.blocked, `${party.address} is blocked`);
        assert.ok(typeof verdict.reason === 'string' && verdict.reason !== '', 'operators learn why');
        assert.ok(
          verdict.reason.length <= MAX_REASON_CHARACTERS,
          `a reason has at most ${MAX_REASON_CHARACTERS} characters`,
        );
      }
      for (const party of harness.clear)
        assert.deepEqual(await ask(harness, [party]), [{ blocked: false }], `${party.address} is not blocked`);
    },
  },
  {
    name: 'answers about many parties at once, each in its place',
    async run(harness) {
      const asked = mixed(harness, PARTIES);
      const verdicts = await ask(
        harness,
        asked.map(([party]) => party),
      );
      assert.deepEqual(
        flags(verdicts),
        asked.map(([, is]) => is),
      );
      assert.deepEqual(await ask(harness, []), [], 'no party asked about');
    },
  },
  {
    name: 'blocks an address whatever it is to a payment',
    async run(harness) {
      const [party] = harness.blocked;
      assert.ok(party !== undefined);
      for (const role of ROLES) assert.deepEqual(flags(await ask(harness, [{ ...party, role }])), [true], role);
    },
  },
  {
    name: 'says the same however many ask at once',
    async run(harness) {
      const asked = mixed(harness, 20);
      await Promise.all(
        Array.from({ length: 20 }, async (_, n) => {
          const turned = [...asked.slice(n), ...asked.slice(0, n)];
          const verdicts = await ask(
            harness,
            turned.map(([party]) => party),
          );
          assert.deepEqual(
            flags(verdicts),
            turned.map(([, is]) => is),
          );
        }),
      );
    },
  },
  {
    name: 'blocks someone from the next question on, though it cleared them before',
    needs: ['changes'],
    async run(harness) {
      const party = harness.fresh();
      for (let round = 0; round < 3; round += 1) {
        assert.deepEqual(flags(await ask(harness, [party])), [false], 'before');
        await need(harness.block).call(harness, party);
        assert.deepEqual(flags(await ask(harness, [party])), [true], 'blocked since');
        await need(harness.unblock).call(harness, party);
      }
    },
  },
  {
    name: 'clears no one while it cannot know, and throws in time',
    needs: ['upstream'],
    async run(harness) {
      const [known] = harness.blocked;
      assert.ok(known !== undefined);
      await need(harness.away).call(harness, true);
      await assert.rejects(ask(harness, [harness.fresh()]), refusal, 'a party that it does not know');
      const again = await ask(harness, [known]).catch(refused);
      assert.ok(again === undefined || again[0]?.blocked === true, 'a party that was blocked');
      await need(harness.away).call(harness, false);
      assert.deepEqual(flags(await ask(harness, [known, harness.fresh()])), [true, false], 'afterwards');
    },
  },
];

/** A late answer and a wrong one are failures. */
function refusal(error: unknown): boolean {
  return !(error instanceof assert.AssertionError) && !/no answer within/.test(String(error));
}

function refused(error: unknown): undefined {
  if (!refusal(error)) throw error;
}

const ABILITIES: Readonly<Record<keyof ScreenerHarness['lacks'], true>> = { changes: true, upstream: true };

/** Rules for every screener. See docs/conformance.md. */
export const screenerConformance: ConformanceKit<ScreenerHarness> = {
  title: 'screener',
  abilities: Object.keys(ABILITIES),
  cases: cases.map((one) => ({ subject: 'screening', guarantees: ['G2', 'G3'], ...one })),
};
