import { describe, expect, it } from 'vitest';
import { type JumpRules, type JumpState, judgeJump } from '../../src/prices/jump-guard.js';

const RULES: JumpRules = { jumpBps: 1000n, jumpQuorum: 3, jumpHoldMs: 60_000 };

/** Judges (price, voices, second) in order. */
function after(words: readonly (readonly [bigint, number, number])[], rules = RULES): JumpState {
  return words.reduce<JumpState>(
    (state, [price, voices, second]) => judgeJump(state, { price, voices, heard: second * 1000 }, rules),
    {},
  );
}

describe('a jump', () => {
  it('is none at the first price, nor within the band', () => {
    expect(after([[1000n, 1, 0]])).toEqual({ accepted: 1000n });
    expect(
      after([
        [1000n, 1, 0],
        [1100n, 1, 1],
      ]),
    ).toEqual({ accepted: 1100n });
    expect(
      after([
        [1000n, 1, 0],
        [900n, 1, 1],
      ]),
    ).toEqual({ accepted: 900n });
  });

  it('waits while too few confirm it', () => {
    expect(
      after([
        [1000n, 1, 0],
        [1101n, 2, 1],
      ]),
    ).toEqual({ accepted: 1000n, held: { price: 1101n, since: 1000 } });
    expect(
      after([
        [1000n, 1, 0],
        [899n, 2, 1],
      ]).accepted,
    ).toBe(1000n);
  });

  it('is believed when enough confirm it', () => {
    expect(
      after([
        [1000n, 1, 0],
        [5000n, 3, 1],
      ]),
    ).toEqual({ accepted: 5000n });
  });

  it('is believed when it lasted, reported again', () => {
    const words = [
      [1000n, 1, 0],
      [2000n, 1, 10],
      [2050n, 1, 40],
    ] as const;
    expect(after([...words, [2010n, 1, 69]]).accepted).toBe(1000n);
    expect(after([...words, [2010n, 1, 70]])).toEqual({ accepted: 2010n });
  });

  it('does not ripen by being looked at', () => {
    const words = [[1000n, 1, 0], ...Array.from({ length: 50 }, () => [2000n, 1, 10] as const)] as const;
    expect(after(words).accepted).toBe(1000n);
  });

  it('begins again when it went elsewhere, and is over when the price came back', () => {
    const elsewhere = after([
      [1000n, 1, 0],
      [2000n, 1, 10],
      [4000n, 1, 60],
      [4000n, 1, 80],
    ]);
    expect(elsewhere).toEqual({ accepted: 1000n, held: { price: 4000n, since: 60_000 } });
    const back = after([
      [1000n, 1, 0],
      [2000n, 1, 10],
      [1001n, 1, 20],
      [2000n, 1, 75],
    ]);
    expect(back).toEqual({ accepted: 1001n, held: { price: 2000n, since: 75_000 } });
  });

  it('waits for ever where lasting is no proof', () => {
    const rules = { ...RULES, jumpHoldMs: 0 };
    expect(
      after(
        [
          [1000n, 1, 0],
          [2000n, 1, 10],
          [2000n, 1, 9_999],
        ],
        rules,
      ).accepted,
    ).toBe(1000n);
  });
});
