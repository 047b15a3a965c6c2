import { Address, beginCell, comment } from '@ton/core';
import { describe, expect, it } from 'vitest';
import { isPlain, nameComment, nameOf, orderNamed } from '../src/comments.js';
import { readInternalTransfer, readNotification, readTransfer, transferBody } from '../src/jettons.js';

const NAME = `0x${'5c'.repeat(32)}` as const;
const [someone, other] = ['ab', 'cd'].map((digits) => `0:${digits.repeat(32)}`);

describe('a name in a comment', () => {
  it('is read back in lower case', () => {
    expect(nameOf(nameComment(NAME))).toBe(NAME);
    expect(nameOf(comment(NAME.toUpperCase().replace('0X', '0x')))).toBe(NAME);
  });

  it('is the whole of it, and no more', () => {
    for (const text of [NAME.slice(0, -1), `${NAME}0`, `${NAME} `, ` ${NAME}`, NAME.slice(2), `0X${NAME.slice(2)}`, ''])
      expect(nameOf(comment(text)), text).toBeUndefined();
  });

  it('is an order that a payer names in each way that people write it', () => {
    const digits = NAME.slice(2);
    for (const text of [`${NAME} `, `\n${NAME}\n`, digits, `0X${digits.toUpperCase()}`])
      expect(orderNamed(comment(text)), text).toBe(NAME);
    for (const text of [NAME.slice(0, -1), `${NAME}0`, `${NAME} ${NAME}`, `order ${NAME}`, ''])
      expect(orderNamed(comment(text)), text).toBeUndefined();
  });

  it('is in words, and in no other form', () => {
    const bytes = beginCell().storeUint(0, 32).storeBuffer(Buffer.alloc(32, 0x5c)).endCell();
    const odd = beginCell().storeUint(0, 32).storeUint(1, 3).endCell();
    const op = beginCell().storeUint(1, 32).storeStringTail(NAME).endCell();
    const loop = beginCell().storeUint(0, 32).storeStringTail('x'.repeat(5_000)).endCell();
    for (const body of [bytes, odd, op, loop, beginCell().endCell()]) expect(nameOf(body)).toBeUndefined();
  });

  it('is of a transfer that a person may have made', () => {
    for (const body of [
      comment('hi'),
      nameComment(NAME),
      beginCell().endCell(),
      beginCell().storeUint(0x2167da4b, 32).endCell(),
    ])
      expect(isPlain(body)).toBe(true);
    for (const op of [0x7362d09c, 0xd53276db, 0xffffffff])
      expect(isPlain(beginCell().storeUint(op, 32).endCell())).toBe(false);
  });
});

describe('a message about jettons', () => {
  it('is read back as it was written', () => {
    const body = transferBody({ amount: 12n, recipient: someone ?? '', responseTo: other ?? '', name: NAME });
    expect(readTransfer(body)).toMatchObject({ amount: 12n, recipient: someone, name: NAME });
    expect(readInternalTransfer(body)).toBeUndefined();
    expect(readNotification(body)).toBeUndefined();
  });

  it('names its order in place or in a cell of its own, and otherwise none', () => {
    const start = () =>
      beginCell()
        .storeUint(0x178d4519, 32)
        .storeUint(0, 64)
        .storeCoins(5)
        .storeAddress(Address.parse(someone ?? ''))
        .storeAddress(null)
        .storeCoins(1);
    const named = nameComment(NAME);
    expect(readInternalTransfer(start().storeMaybeRef(named).endCell())?.name).toBe(NAME);
    const short = beginCell().storeUint(0, 32).storeStringTail('short').endCell();
    expect(readInternalTransfer(start().storeBit(false).storeSlice(short.beginParse()).endCell())).toMatchObject({
      ...{ amount: 5n, initiator: someone, name: undefined },
    });
    expect(readInternalTransfer(start().endCell())?.name).toBeUndefined();
    expect(readInternalTransfer(beginCell().storeUint(0x178d4519, 32).storeUint(0, 64).endCell())).toBeUndefined();
  });
});
