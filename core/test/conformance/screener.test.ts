import { describe, expect, it } from 'vitest';
import type { Party, Screener, Verdict } from '../../src/contract/index.js';
import { runConformance } from '../../src/testing/report.js';
import { screenerConformance } from '../../src/testing/screening/screener-conformance.js';
import type { ScreenerHarness } from '../../src/testing/screening/screener-harness.js';

const party = (address: string, chainId = 1): Party => ({ chainId, address, role: 'user' });
const nameOf = ({ chainId, address }: Party): string => `${chainId}:${address}`;
const verdict = (isBlocked: boolean): Verdict => (isBlocked ? { blocked: true, reason: 'listed' } : { blocked: false });

class List {
  readonly names = new Set([nameOf(party('a')), nameOf(party('b')), nameOf(party('c', 7))]);
  isAway = false;

  of(parties: readonly Party[]): readonly Verdict[] {
    if (this.isAway) throw new Error('away');
    return parties.map((one) => verdict(this.names.has(nameOf(one))));
  }
}

type Screen = (list: List) => Screener['screen'];

const harnessOf =
  (make: Screen, id = 'list') =>
  async (): Promise<ScreenerHarness> => {
    const list = new List();
    let asked = 0;
    return {
      lacks: {},
      screener: { id, screen: make(list) },
      blocked: [party('a'), party('b'), party('c', 7)],
      clear: [party('d'), party('a', 7), party('c')],
      fresh: () => {
        asked += 1;
        return party(`fresh-${asked}`);
      },
      block: async (one) => void list.names.add(nameOf(one)),
      unblock: async (one) => void list.names.delete(nameOf(one)),
      away: async (on) => {
        list.isAway = on;
      },
      dispose: async () => undefined,
    };
  };

const sound: Screen = (list) => async (parties) => list.of(parties);

/** One mistake each. */
const DEFECTS: Readonly<Record<string, Screen>> = {
  'clears everybody': () => async (parties) => parties.map(() => verdict(false)),
  'blocks everybody': () => async (parties) => parties.map(() => verdict(true)),
  'forgets the chain': (list) => {
    const of = (one: Party) => [1, 7].some((chainId) => list.names.has(nameOf({ ...one, chainId })));
    return async (parties) => [...list.of([]), ...parties.map((one) => verdict(of(one)))];
  },
  'tells only of those who are blocked': (list) => async (parties) => list.of(parties).filter(({ blocked }) => blocked),
  'sorts its answer': (list) => async (parties) =>
    list.of([...parties].sort((a, b) => a.address.localeCompare(b.address))),
  'answers about the first hundred': (list) => async (parties) =>
    list.of(parties).map((one, n) => (n < 100 ? one : verdict(false))),
  'looks at payers alone': (list) => async (parties) =>
    list.of(parties).map((one, n) => (parties[n]?.role === 'recipient' ? verdict(false) : one)),
  'gives no reason': (list) => async (parties) =>
    list.of(parties).map((one) => (one.blocked ? { blocked: true, reason: '' } : one)),
  'writes a novel': (list) => async (parties) =>
    list.of(parties).map((one) => (one.blocked ? { blocked: true, reason: 'x'.repeat(201) } : one)),
  'mixes up those who ask at once': (list) => {
    let parties: readonly Party[] = [];
    return async (asked) => {
      parties = asked;
      await Promise.resolve();
      return list.of(parties.slice(0, asked.length));
    };
  },
  'keeps what it cleared': (list) => {
    const cleared = new Set<string>();
    return async (parties) => {
      const verdicts = list.of(parties);
      verdicts.forEach(({ blocked }, n) => {
        if (!blocked) cleared.add(nameOf(parties[n] as Party));
      });
      return verdicts.map((one, n) => (cleared.has(nameOf(parties[n] as Party)) ? verdict(false) : one));
    };
  },
  'never unblocks': (list) => {
    const seen = new Set<string>();
    return async (parties) => {
      const verdicts = list.of(parties);
      verdicts.forEach(({ blocked }, n) => {
        if (blocked) seen.add(nameOf(parties[n] as Party));
      });
      return verdicts.map((_, n) => verdict(seen.has(nameOf(parties[n] as Party))));
    };
  },
  'clears everybody while it cannot know': (list) => async (parties) =>
    list.isAway ? parties.map(() => verdict(false)) : list.of(parties),
  'blocks everybody while it cannot know': (list) => async (parties) =>
    list.isAway ? parties.map(() => verdict(true)) : list.of(parties),
  'hangs while it cannot know': (list) => async (parties) =>
    list.isAway ? new Promise(() => undefined) : list.of(parties),
  'stays away': (list) => {
    let wasAway = false;
    return async (parties) => {
      wasAway ||= list.isAway;
      if (wasAway) throw new Error('away');
      return list.of(parties);
    };
  },
};

it('a sound screener keeps its kit', async () => {
  const report = await runConformance(screenerConformance, harnessOf(sound), { on: 'a list in memory' });
  expect(report.text).toMatch(/\n7 passed, 0 failed/);
});

describe('the kit detects a screener that', () => {
  it.each(Object.keys(DEFECTS))('%s', async (name) => {
    const make = DEFECTS[name] as Screen;
    const report = await runConformance(screenerConformance, harnessOf(make), { on: name, caseTimeoutMs: 4_000 });
    expect(report.cases.filter(({ outcome }) => outcome === 'failed').length).toBeGreaterThan(0);
  });

  it('has no id', async () => {
    expect((await runConformance(screenerConformance, harnessOf(sound, ''), { on: 'nameless' })).ok).toBe(false);
  });

  it('lacks what its harness does not say it lacks', async () => {
    const { away: _, ...less } = await harnessOf(sound)();
    const report = await runConformance(screenerConformance, async () => less, { on: 'less' });
    expect(report.ok).toBe(false);
  });
});
