import { createHash } from 'node:crypto';
import type { Hex } from '@causeway/core';
import bs58 from 'bs58';
import { PROGRAMS } from '../../src/programs.js';
import type { FakeTransaction } from './fake-ledger.js';

const bytesOf = (name: string, count: number) =>
  Buffer.concat([
    createHash('sha512').update(name).digest(),
    createHash('sha512').update(`${name}!`).digest(),
  ]).subarray(0, count);

export const addressOf = (name: string): string => bs58.encode(bytesOf(name, 32));
export const signatureOf = (name: string): string => bs58.encode(bytesOf(name, 64));
export const idOf = (name: string): Hex => `0x${bytesOf(name, 32).toString('hex')}`;

export interface Wish {
  readonly name: string;
  readonly slot: number;
  readonly payer?: string;
  readonly touches: readonly string[];
  /** Lamports for the first of them; none: it only touches them. */
  readonly lamports?: bigint;
  readonly memo?: string;
  readonly shown?: FakeTransaction['shown'];
}

export function fakeTransaction(wish: Wish): readonly [string, FakeTransaction] {
  const { name, slot, payer = addressOf('payer'), touches, lamports = 0n, memo } = wish;
  const signature = signatureOf(name);
  const accountKeys = [payer, ...touches, PROGRAMS.system, PROGRAMS.memo];
  const pays = Buffer.alloc(12);
  pays.writeUInt32LE(2, 0);
  pays.writeBigUInt64LE(lamports, 4);
  const transfer = { programIdIndex: accountKeys.indexOf(PROGRAMS.system), accounts: [0, 1], data: bs58.encode(pays) };
  const says = {
    ...{ programIdIndex: accountKeys.indexOf(PROGRAMS.memo), accounts: [] },
    data: bs58.encode(Buffer.from(memo ?? '', 'utf8')),
  };
  const instructions = [...(lamports > 0n ? [transfer] : []), ...(memo === undefined ? [] : [says])];
  const preBalances = accountKeys.map(() => 1_000_000_000);
  const moved = Number(lamports);
  const postBalances = preBalances.map((held, n) => held - (n === 0 ? moved + 5_000 : 0) + (n === 1 ? moved : 0));
  const whole = {
    transaction: { signatures: [signature], message: { accountKeys, instructions } },
    meta: { err: null, fee: 5_000, preBalances, postBalances, preTokenBalances: [], postTokenBalances: [] },
  };
  const { shown = whole } = wish;
  const listedMemo = memo === undefined ? null : `[${Buffer.byteLength(memo)}] ${memo}`;
  return [signature, { slot, memo: listedMemo, touches, shown, inBlock: whole }];
}
