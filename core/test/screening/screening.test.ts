import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Party, Screener, Verdict } from '../../src/contract/index.js';
import { SCREENING_TIMEOUT_MS, Screening } from '../../src/screening/screening.js';

const party = (address: string, chainId = 1): Party => ({ chainId, address, role: 'recipient' });
const [GOOD, BAD, ODD] = [party('good'), party('bad'), party('odd')];

let alerts: Set<string>;
let counts: string[];
let lines: object[];
let now: number;
/** Ends the waits. */
let late: (() => void)[];

beforeEach(() => {
  [alerts, counts, lines, now, late] = [new Set(), [], [], 0, []];
});
afterEach(() => {
  for (const end of late) end();
});

function screening(...screeners: readonly Screener[]): Screening {
  const note = (fields: object) => void lines.push(fields);
  const log = { debug: note, info: note, warn: note, error: note, child: () => log };
  return new Screening(screeners, {
    clock: {
      now: () => now,
      monotonic: () => now,
      sleep: (ms, signal) => {
        expect(ms).toBe(SCREENING_TIMEOUT_MS);
        return new Promise((resolve) => {
          late.push(resolve);
          signal?.addEventListener('abort', () => resolve());
        });
      },
      every: () => () => undefined,
    },
    log,
    metrics: {
      count: (_name, _help, labels = {}) => void counts.push(Object.values(labels).join(' ')),
      gauge: () => undefined,
      observe: () => undefined,
    },
    alerts: { raise: (id) => alerts.add(id), clear: (id) => alerts.delete(id), list: () => [] },
  });
}

/** Blocks `bad`, fails on `odd`. */
const list = (id = 'list'): Screener & { readonly asked: (readonly Party[])[] } => {
  const asked: (readonly Party[])[] = [];
  return {
    id,
    asked,
    screen: async (parties) => {
      asked.push(parties);
      if (parties.some(({ address }) => address === 'odd')) throw new Error('odd');
      return parties.map(
        ({ address }): Verdict => (address === 'bad' ? { blocked: true, reason: 'secret' } : { blocked: false }),
      );
    },
  };
};
const says = (id: string, answer: unknown): Screener => ({ id, screen: async () => answer as Verdict[] });
const states = async (of: Screening, ...groups: readonly (readonly Party[])[]) =>
  (await of.screen('payments', groups)).map(({ state }) => state);

describe('several screeners', () => {
  it('clear what all of them clear, and block what one of them blocks', async () => {
    const clear = says('clear', [{ blocked: false }]);
    expect(await states(screening(clear, list()), [GOOD])).toEqual(['clear']);
    expect(await states(screening(clear, list()), [BAD])).toEqual(['blocked']);
    expect(await states(screening(list(), clear), [BAD])).toEqual(['blocked']);
  });

  it('are off where there is none', async () => {
    expect(screening().isOff).toBe(true);
    expect(await states(screening(), [BAD])).toEqual(['clear']);
  });

  it('know nothing of what one of them does not answer, unless another one blocks it', async () => {
    const down: Screener = { id: 'down', screen: async () => Promise.reject(new Error('down')) };
    expect(await states(screening(list(), down), [GOOD], [BAD])).toEqual(['unknown', 'blocked']);
  });
});

describe('one screener', () => {
  it('is asked once about everyone, each of them once, and answers for each group', async () => {
    const one = list();
    expect(await states(screening(one), [GOOD, party('other')], [GOOD, BAD], [])).toEqual([
      'clear',
      'blocked',
      'clear',
    ]);
    expect(one.asked).toEqual([[GOOD, party('other'), BAD]]);
    expect(await states(screening(one), [])).toEqual(['clear']);
    expect(one.asked).toHaveLength(1);
  });

  it('is asked about each group by itself where one of them makes it fail', async () => {
    expect(await states(screening(list()), [GOOD], [ODD], [BAD])).toEqual(['clear', 'unknown', 'blocked']);
    expect(alerts).toEqual(new Set(['screener:list']));
  });

  it.each([
    [undefined],
    [[]],
    [[{ blocked: false }, { blocked: false }]],
    [[{}]],
    [[null]],
    [['clear']],
    [[{ blocked: 0 }]],
  ])('that answers %j says nothing', async (answer) => {
    expect(await states(screening(says('odd', answer)), [GOOD])).toEqual(['unknown']);
  });

  it('that throws at once says nothing either', async () => {
    const thrower: Screener = {
      id: 'thrower',
      screen: () => {
        throw new Error('at once');
      },
    };
    expect(await states(screening(thrower), [GOOD])).toEqual(['unknown']);
  });

  it('that takes too long is not waited for, and is informed of it', async () => {
    let ended = false;
    const hangs: Screener = {
      id: 'hangs',
      screen: (_, signal) => {
        signal.addEventListener('abort', () => {
          ended = true;
        });
        return new Promise(() => undefined);
      },
    };
    const asked = states(screening(hangs), [GOOD], [BAD]);
    await Promise.resolve();
    expect(ended).toBe(false);
    for (const end of late) end();
    expect(await asked).toEqual(['unknown', 'unknown']);
    expect(ended).toBe(true);
    expect(counts).toEqual(['hangs payments late']);
  });

  it('that hangs is not asked any more after its timeout, and quotes leave payments their turns', async () => {
    let calls = 0;
    const hangs: Screener = {
      id: 'hangs',
      screen: () => {
        calls += 1;
        return new Promise(() => undefined);
      },
    };
    const of = screening(hangs);
    const asked = Array.from({ length: 500 }, () => of.screen('quotes', [[GOOD]]));
    await Promise.resolve();
    const open = calls;
    expect(open).toBeLessThan(200);
    for (const end of late) end();
    await Promise.all(asked);
    await of.screen('quotes', [[GOOD]]);
    expect(calls).toBe(open);
    const payment = of.screen('payments', [[GOOD]]);
    for (const end of late) end();
    await payment;
    expect(calls).toBe(open + 1);
  });

  it('is alerted about while it does not answer, and for some time after', async () => {
    let isDown = true;
    const one: Screener = {
      id: 'one',
      screen: async (parties) => {
        if (isDown) throw new Error('down');
        return parties.map(() => ({ blocked: false }));
      },
    };
    const of = screening(one);
    await states(of, [GOOD]);
    expect(alerts.has('screener:one')).toBe(true);
    isDown = false;
    now = 29_999;
    await states(of, [GOOD]);
    expect(alerts.has('screener:one')).toBe(true);
    now = 30_000;
    await states(of, [GOOD]);
    expect(alerts.size).toBe(0);
  });

  it('notifies operators why, and counts what it says', async () => {
    await states(screening(list()), [GOOD]);
    await states(screening(list()), [GOOD, BAD]);
    expect(counts).toEqual(['list payments clear', 'list payments blocked']);
    expect(lines).toEqual([{ ...BAD, screener: 'list', reason: 'secret' }]);
  });
});
