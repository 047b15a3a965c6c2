import { randomBytes } from 'node:crypto';
import { beginCell, type Cell, comment } from '@ton/core';
import { describe, expect, it } from 'vitest';
import { isPlain, nameComment, nameOf, orderNamed } from '../src/comments.js';

const NAME = `0x${'ab'.repeat(32)}` as const;
/** Possible as a body, though no wallet makes it. */
const LIBRARY = beginCell().storeUint(2, 8).storeBuffer(randomBytes(32)).endCell({ exotic: true });
const op = (number: number): Cell => beginCell().storeUint(number, 32).storeUint(0, 64).endCell();

describe('the words of a message', () => {
  it.each([
    ['none', beginCell().endCell(), true, undefined],
    ['a text', comment('thanks'), true, undefined],
    ['the name of an order', nameComment(NAME), true, NAME],
    ['a text that only its reader can read', op(0x2167da4b), true, undefined],
    ['change that comes back', op(0xd53276db), false, undefined],
    ['a notice of a jetton wallet', op(0x7362d09c), false, undefined],
    ['less than words', beginCell().storeUint(1, 8).endCell(), false, undefined],
    ['a cell of another kind', LIBRARY, false, undefined],
  ])('are read as a transfer or as none: %s', (_what, body, plain, name) => {
    expect(isPlain(body)).toBe(plain);
    expect(nameOf(body)).toBe(name);
  });
});

it('names an order also with its payer after it, and none with two of them', () => {
  const named = `${NAME}|depositor=EQpayer|`;
  expect(orderNamed(comment(named))).toBe(NAME);
  expect(orderNamed(comment(`${named}\n`))).toBe(NAME);
  for (const text of [`${named}${NAME}`, `${NAME}|depositor=EQpayer`, '|depositor=EQpayer|'])
    expect(orderNamed(comment(text))).toBeUndefined();
});
