import type { Address, Hex } from 'viem';
import { describe, expect, it } from 'vitest';
import type { ChainHistory, Deposited, Filled, SolverTransaction, Stray, Withdrawn } from '../support/history.js';
import { type Evidence, judge, type Promised } from '../support/oracle.js';

// A clean history passes, and each way to break it is noticed.

const address = (digit: string): Address => `0x${digit.repeat(40)}`;
const word = (digit: string): Hex => `0x${digit.repeat(64)}`;
const TOKEN = address('7');
const SOLVER = address('5');
const USER = address('1');
const RECIPIENT = address('2');
const REFUND_TO = address('3');
const ORDER = word('a');

const promise: Promised = {
  orderId: ORDER,
  originChainId: 1,
  currencyIn: TOKEN,
  amountIn: 100n,
  destinationChainId: 2,
  currencyOut: TOKEN,
  expectedOut: 95n,
  minimumOut: 94n,
  recipient: RECIPIENT,
  refundTo: REFUND_TO,
};

const deposit: Deposited = { chainId: 1, hash: word('1'), from: USER, token: TOKEN, amount: 100n, id: ORDER };
const duplicate: Deposited = { ...deposit, hash: word('8') };
const fill: Filled = {
  chainId: 2,
  hash: word('2'),
  orderId: ORDER,
  token: TOKEN,
  to: RECIPIENT,
  amount: 95n,
  filler: SOLVER,
};
const refund: Withdrawn = { chainId: 1, hash: word('3'), key: word('4'), token: TOKEN, to: REFUND_TO, amount: 98n };
const sent = (nonce: number): SolverTransaction => ({
  chainId: 2,
  hash: word('6'),
  nonce,
  ok: true,
  fee: 1n,
});

interface Story {
  readonly deposits?: readonly Deposited[];
  readonly withdrawals?: readonly Withdrawn[];
  readonly fills?: readonly Filled[];
  readonly sent?: readonly SolverTransaction[];
  readonly promises?: readonly Promised[];
  readonly strays?: readonly Stray[];
  readonly potToken?: string;
  readonly pot?: bigint;
  readonly inventory?: bigint;
  readonly waiting?: number;
  readonly credited?: readonly string[];
}

/** Chain 1 has a depository account, which holds only the coin that it pays with. */
const COIN = '11111111111111111111111111111111';
const coins: Deposited = { ...deposit, token: COIN };
const coinRefund: Withdrawn = { ...refund, token: COIN };
const inCoins: Promised = { ...promise, currencyIn: COIN };
const byDepository = (nonce: number): SolverTransaction => ({ ...sent(nonce), chainId: 1, by: 'depository' });

const total = (rows: readonly { readonly amount: bigint }[]) => rows.reduce((sum, row) => sum + row.amount, 0n);

/** Balances default to the sum of the events, so that each test breaks one thing. */
function verdict(story: Story): readonly string[] {
  const { deposits = [], withdrawals = [], fills = [] } = story;
  const history = (id: number): ChainHistory => ({
    chain: { id },
    deposits: deposits.filter((row) => row.chainId === id),
    withdrawals: withdrawals.filter((row) => row.chainId === id),
    fills: fills.filter((row) => row.chainId === id),
    sent: (story.sent ?? []).filter((row) => row.chainId === id),
    strays: (story.strays ?? []).filter((row) => row.chainId === id),
  });
  const evidence: Evidence = {
    solvers: [SOLVER],
    histories: [history(1), history(2)],
    promises: story.promises ?? [promise],
    inventory: [{ chainId: 2, token: TOKEN, before: 1_000n, now: story.inventory ?? 1_000n - total(fills) }],
    pots: [{ chainId: 1, token: story.potToken ?? TOKEN, now: story.pot ?? total(deposits) - total(withdrawals) }],
    waiting: story.waiting ?? 0,
    credited: story.credited ?? [],
  };
  return judge(evidence);
}

describe('the oracle is content with', () => {
  const stories: Record<string, Story> = {
    'nothing at all': {},
    'a deposit and its fill': { deposits: [deposit], fills: [fill] },
    'a deposit and its refund': { deposits: [deposit], withdrawals: [refund] },
    'an excess paid back': {
      deposits: [{ ...deposit, amount: 150n }],
      fills: [fill],
      withdrawals: [{ ...refund, amount: 49n }],
    },
    'a duplicate paid back': { deposits: [deposit, duplicate], fills: [fill], withdrawals: [refund] },
    'an orphan paid back to its depositor': {
      deposits: [{ ...deposit, id: word('e') }],
      withdrawals: [{ ...refund, to: USER }],
    },
    'a deposit for an app balance': { deposits: [{ ...deposit, id: word('b') }], credited: [word('b')] },
    'a deposit of a linked payer': { deposits: [{ ...deposit, id: word('e') }], credited: [USER] },
    'a lane that counts nothing': { sent: [sent(1), { ...sent(1), nonce: null }, sent(5)] },
    'a collect': { deposits: [deposit], fills: [fill], withdrawals: [{ ...refund, to: SOLVER, amount: 100n }] },
    'a depository that pays for what it sends, in the order of its own nonces': {
      ...{ promises: [inCoins], deposits: [coins], withdrawals: [coinRefund], sent: [byDepository(7)] },
      ...{ potToken: COIN, pot: 1n },
    },
    'two lanes with nonces of their own': { sent: [sent(1), { ...sent(7), by: 'depository' }, sent(2)] },
    'coins that were never deposited': {
      ...{ promises: [inCoins], deposits: [coins], withdrawals: [coinRefund], potToken: COIN, pot: 3n },
      strays: [{ chainId: 1, token: COIN, to: 'depository', amount: 1n }],
    },
    'tokens that came into the inventory': {
      ...{ deposits: [deposit], fills: [fill], inventory: 906n },
      strays: [{ chainId: 2, token: TOKEN, to: 'inventory', amount: 1n }],
    },
    'a fill whose deposit was taken away on purpose': {
      fills: [fill],
      promises: [{ ...promise, depositTakenAway: true }],
    },
  };
  it.each(Object.entries(stories))('%s', (_name, story) => {
    expect(verdict(story)).toEqual([]);
  });
});

describe('the oracle notices', () => {
  const stories: Record<string, Story> = {
    'a fill made twice': { deposits: [deposit], fills: [fill, fill] },
    'a fill and a refund of the same value': { deposits: [deposit], fills: [fill], withdrawals: [refund] },
    'a refund made twice': { deposits: [deposit], withdrawals: [refund, { ...refund, key: word('5') }] },
    'a withdrawal key used twice': { deposits: [deposit, duplicate], withdrawals: [refund, refund] },
    'a deposit that was not dealt with': { deposits: [deposit] },
    'a duplicate that was kept': { deposits: [deposit, duplicate], fills: [fill] },
    'a refund to another account': { deposits: [deposit], withdrawals: [{ ...refund, to: address('9') }] },
    'a refund of more than was paid': { deposits: [deposit], withdrawals: [{ ...refund, amount: 101n }] },
    'an excess of more than was left': {
      deposits: [{ ...deposit, amount: 150n }],
      fills: [fill],
      withdrawals: [{ ...refund, amount: 51n }],
    },
    'a deposit that was credited and paid back': {
      ...{ deposits: [{ ...deposit, id: word('b') }], credited: [word('b')] },
      withdrawals: [{ ...refund, to: USER }],
    },
    'a deposit of another payer than the linked one': {
      ...{ deposits: [{ ...deposit, id: word('e') }], credited: [address('9')] },
    },
    'a fill that no one paid for': { fills: [fill] },
    'a fill that nobody was promised': { deposits: [deposit], fills: [fill], promises: [] },
    'a fill to somebody else': { deposits: [deposit], fills: [{ ...fill, to: USER }] },
    'a fill of less than the minimum': { deposits: [deposit], fills: [{ ...fill, amount: 93n }] },
    'a fill of more than was promised': { deposits: [deposit], fills: [{ ...fill, amount: 96n }] },
    'value missing from the depository': { deposits: [deposit], fills: [fill], pot: 99n },
    'value missing from inventory': { deposits: [deposit], fills: [fill], inventory: 904n },
    'value missing from a depository that pays for what it sends': {
      ...{ promises: [inCoins], deposits: [coins], withdrawals: [coinRefund], sent: [byDepository(7)] },
      ...{ potToken: COIN, pot: 0n },
    },
    'a fee of the fill signer that the depository paid': {
      ...{ promises: [inCoins], deposits: [coins], withdrawals: [coinRefund], sent: [{ ...sent(7), chainId: 1 }] },
      ...{ potToken: COIN, pot: 1n },
    },
    'a gap in the nonces of a depository': { sent: [byDepository(1), byDepository(3)] },
    'a stray that came to the other one': {
      ...{ deposits: [deposit], fills: [fill], inventory: 906n },
      strays: [{ chainId: 2, token: TOKEN, to: 'depository', amount: 1n }],
    },
    'a gap in the nonces': { sent: [sent(1), sent(3)] },
    'a transaction that still waits': { waiting: 1 },
  };
  it.each(Object.entries(stories))('%s', (_name, story) => {
    expect(verdict(story)).not.toEqual([]);
  });
});
