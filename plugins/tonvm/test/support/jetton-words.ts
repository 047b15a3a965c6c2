import type { Hex } from '@causeway/core';
import { type Address, beginCell, type Cell, toNano } from '@ton/core';
import { nameComment } from '../../src/comments.js';

export interface Words {
  readonly amount: bigint;
  readonly from: Address | null;
  readonly name: Hex;
}

export const ATTACH = toNano('0.1');

export const notice = ({ amount, from, name }: Words): Cell =>
  beginCell()
    .storeUint(0x7362d09c, 32)
    .storeUint(0, 64)
    .storeCoins(amount)
    .storeAddress(from)
    .storeMaybeRef(nameComment(name))
    .endCell();

export const internalTransfer = ({ amount, from, name }: Words): Cell =>
  beginCell()
    .storeUint(0x178d4519, 32)
    .storeUint(0, 64)
    .storeCoins(amount)
    .storeAddress(from)
    .storeAddress(from)
    .storeCoins(1n)
    .storeMaybeRef(nameComment(name))
    .endCell();

/** Without the bounced flag, which only the network sets. */
export const bounceOf = (body: Cell): Cell =>
  beginCell().storeUint(0xffffffff, 32).storeSlice(body.beginParse()).endCell();

export const transfer = (owner: Address, to: Address, amount: bigint, note: Cell | null): Cell =>
  beginCell()
    .storeUint(0x0f8a7ea5, 32)
    .storeUint(0, 64)
    .storeCoins(amount)
    .storeAddress(to)
    .storeAddress(owner)
    .storeMaybeRef(null)
    .storeCoins(1n)
    .storeMaybeRef(note)
    .endCell();

export const transferFrom = (wallet: Address, owner: Address, to: Address, { amount, name }: Omit<Words, 'from'>) => ({
  ...{ to: wallet, value: ATTACH, bounce: true },
  body: transfer(owner, to, amount, nameComment(name)),
});
