import type { Hex } from '@causeway/core';
import { encodeFunctionData, parseAbi } from 'viem';
import { describe, expect, it } from 'vitest';
import { NATIVE } from '../src/addresses.js';
import type { RpcLog } from '../src/rpc/types.js';
import { CarriedIdReader, carriedId, mayCarry, sentBy, transferWithId } from '../src/watch/carried-ids.js';
import { type PlainReading, TRANSFER_TOPIC, topicOf } from '../src/watch/plain-transfers.js';
import { uintWord } from '../src/words.js';

const abi = parseAbi([
  'function transfer(address to, uint256 amount) returns (bool)',
  'function transferFrom(address from, address to, uint256 amount) returns (bool)',
]);
const account = (digit: string): Hex => `0x${digit.repeat(40)}`;
const [TOKEN, OTHER, DEPOSITORY, PAYER, OWN] = ['a', 'b', 'd', '1', '9'].map(account) as [Hex, Hex, Hex, Hex, Hex];
const ID: Hex = `0x${'5f'.repeat(32)}`;
const AMOUNT = 1_000n;

const reading: PlainReading = {
  chainId: 1,
  depository: DEPOSITORY,
  currencies: new Map([NATIVE, TOKEN, OTHER].map((address) => [address, {}])) as never,
  own: new Set([OWN]),
  keeps: (currency) => currency === OTHER,
};

let index = 0;
function log(token: Hex, from: Hex, amount = AMOUNT, transaction = '1'): RpcLog {
  index += 1;
  const hash = (digit: string): Hex => `0x${digit.repeat(64)}`;
  return {
    ...{ address: token, topics: [TRANSFER_TOPIC, topicOf(from), topicOf(DEPOSITORY)] },
    ...{ data: `0x${uintWord(amount)}`, blockNumber: '0x1', blockHash: hash('e') },
    ...{ transactionHash: hash(transaction), transactionIndex: '0x0', logIndex: `0x${index.toString(16)}` },
  };
}

const found = { token: TOKEN, amount: AMOUNT, log: log(TOKEN, PAYER) };
const transfer = transferWithId(DEPOSITORY, AMOUNT, ID);
const of = (input: Hex, to: Hex | null = TOKEN) => carriedId(DEPOSITORY, found, { to, input });

describe('the order id behind the calldata of a transfer', () => {
  it('is read of a transfer and of a transfer for the payer, to the letter', () => {
    const plain = encodeFunctionData({ abi, functionName: 'transfer', args: [DEPOSITORY, AMOUNT] });
    expect(transfer).toBe(`${plain}${ID.slice(2)}`);
    expect(of(transfer)).toBe(ID);
    expect(of(transfer.toUpperCase().replace('0X', '0x') as Hex, TOKEN.toUpperCase() as Hex)).toBe(ID);
    const from = (payer: Hex) =>
      encodeFunctionData({ abi, functionName: 'transferFrom', args: [payer, DEPOSITORY, AMOUNT] });
    expect(of(`${from(PAYER)}${ID.slice(2)}`)).toBe(ID);
    expect(of(`${from(OTHER)}${ID.slice(2)}`)).toBeUndefined();
    for (const other of [plain, `${transfer}00`, transfer.slice(0, -2), `${transfer}${'00'.repeat(32)}`] as Hex[])
      expect(of(other), other).toBeUndefined();
  });

  it('is none where the transaction calls something else, or moves something else', () => {
    expect(of(transfer, OTHER)).toBeUndefined();
    expect(of(transfer, null)).toBeUndefined();
    expect(of(transferWithId(DEPOSITORY, AMOUNT + 1n, ID))).toBeUndefined();
    expect(of(transferWithId(PAYER, AMOUNT, ID))).toBeUndefined();
  });

  it('is none where it looks like a number', () => {
    expect(of(transferWithId(DEPOSITORY, AMOUNT, `0x${'00'.repeat(16)}${'5f'.repeat(16)}`))).toBeUndefined();
    const small: Hex = `0x${'00'.repeat(15)}${'5f'.repeat(17)}`;
    expect(of(transferWithId(DEPOSITORY, AMOUNT, small))).toBe(small);
  });

  it('is asked for only of the one transfer of a transaction, past the service’s own, and of no token that charges a fee on transfer', () => {
    const carrying = (...logs: readonly RpcLog[]) => mayCarry(reading, logs).map((one) => one.log.transactionHash);
    const [one, own] = [log(TOKEN, PAYER), log(TOKEN, OWN)];
    expect(carrying(one, own)).toEqual([one.transactionHash]);
    expect(carrying(one, log(TOKEN, PAYER))).toEqual([]);
    expect(carrying(one, log(OTHER, PAYER, 5n))).toEqual([]);
    expect(carrying(one, log(TOKEN, PAYER, AMOUNT, '2'))).toHaveLength(2);
    expect(carrying(log(OTHER, PAYER, 5n, '3'))).toEqual([]);
  });
});

describe('the sender of a transfer that names no order', () => {
  const sent = (from: Hex, nonce: Hex = '0x10', type?: Hex) =>
    sentBy(found, { from, nonce, ...(type === undefined ? {} : { type }) });

  it('is the account whose tokens moved, with its nonce', () => {
    expect(sent(PAYER)).toEqual({ account: PAYER, nonce: '16' });
    expect(sent(PAYER.toUpperCase().replace('0X', '0x') as Hex, '0x0', '0x4')).toEqual({ account: PAYER, nonce: '0' });
  });

  it('is none where another account sent it, or a rollup for it', () => {
    expect(sent(OTHER)).toBeUndefined();
    for (const type of ['0x64', '0x7e'] as const) expect(sent(PAYER, '0x10', type)).toBeUndefined();
  });

  it('is not read where the transfer names an order', async () => {
    const [named, plain] = [log(TOKEN, PAYER, AMOUNT, '4'), log(TOKEN, PAYER, AMOUNT, '5')];
    const request = async (_: string, [, index]: readonly string[]) => {
      const { transactionHash: hash } = index === '0x4' ? named : plain;
      return { hash, to: TOKEN, from: PAYER, nonce: '0x10', input: index === '0x4' ? transfer : '0x' };
    };
    const logs = [
      { ...named, transactionIndex: '0x4' as Hex },
      { ...plain, transactionIndex: '0x5' as Hex },
    ];
    const read = await new CarriedIdReader(reading).read({ rpc: { request } } as never, logs);
    expect([...read.values()]).toEqual([{ orderId: ID }, { sentBy: { account: PAYER, nonce: '16' } }]);
  });
});
