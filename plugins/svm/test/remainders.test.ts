import { describe, expect, it } from 'vitest';
import { NATIVE, parseAddress } from '../src/addresses.js';
import { readFunding } from '../src/deposit-addresses/funding.js';
import { PROGRAMS } from '../src/programs.js';
import {
  type RawTransaction,
  type ReadTransaction,
  readTransaction,
  type TokenChange,
} from '../src/transactions/read.js';
import { readDeposits, type Vault } from '../src/watch/read-deposits.js';
import { addressOf, fakeTransaction, idOf, signatureOf } from './support/fake-transactions.js';

const [VAULT, ATA, MINT, PAYER, FILL] = ['vault', 'vault-ata', 'mint', 'payer', 'fill'].map(addressOf) as [
  string,
  string,
  string,
  string,
  string,
];
const ORDER = idOf('order');
const SIGNATURE = signatureOf('s');
const BLOCK = { height: 5, id: 'b', timestamp: 0 };
const vault: Vault = {
  ...{ chainId: 7, address: VAULT, accounts: new Map([[ATA, MINT]]) },
  own: new Set([VAULT, FILL]),
};

type Step = Omit<ReadTransaction['instructions'][number], 'path'>;

function amountData(kind: number, amount: bigint): Buffer {
  const data = Buffer.alloc(9);
  data[0] = kind;
  data.writeBigUInt64LE(amount, 1);
  return data;
}

const memo = (id = ORDER): Step => ({ program: PROGRAMS.memo, accounts: [], data: Buffer.from(id) });
const mint = (amount: bigint, to = ATA): Step => ({
  ...{ program: PROGRAMS.token, accounts: [MINT, to, PAYER], data: amountData(7, amount) },
});
const transfer = (amount: bigint, to = ATA, from = addressOf('payer-ata')): Step => ({
  ...{ program: PROGRAMS.token, accounts: [from, to, PAYER], data: amountData(3, amount) },
});
const close = (to = VAULT): Step => ({
  ...{ program: PROGRAMS.token, accounts: [addressOf('closed'), to, PAYER], data: Buffer.from([9]) },
});
function coins(amount: bigint, from = PAYER): Step {
  const data = Buffer.alloc(12);
  data.writeUInt32LE(2, 0);
  data.writeBigUInt64LE(amount, 4);
  return { program: PROGRAMS.system, accounts: [from, VAULT], data };
}
const held = (before: bigint, after: bigint, owner = VAULT, more: Partial<TokenChange> = {}): TokenChange => ({
  ...{ mint: MINT, owner, isShownBefore: true, ownerBefore: owner, ownerAfter: owner, before, after },
  ...more,
});

interface Shown extends Partial<Pick<ReadTransaction, 'payer' | 'ok' | 'isListedWhole'>> {
  readonly signers?: readonly string[];
  /** Balances of the vault. */
  readonly lamports?: readonly [bigint, bigint];
  readonly tokens?: Readonly<Record<string, TokenChange>>;
}

function read(steps: readonly Step[], { lamports = [0n, 0n], tokens = {}, ...more }: Shown) {
  const [before, after] = lamports;
  const own = {
    mint: MINT,
    owner: PAYER,
    isShownBefore: true,
    ownerBefore: PAYER,
    ownerAfter: PAYER,
    before: 900n,
    after: 0n,
  };
  return readDeposits(
    vault,
    {
      ...{ signature: SIGNATURE, slot: 5, payer: PAYER, signers: [PAYER], ok: true, error: null, logs: [] },
      accounts: [PAYER, VAULT, ATA, MINT],
      isListedWhole: true,
      instructions: steps.map((step, n) => ({ ...step, path: `${n}` })),
      lamports: new Map([
        [VAULT, { before, after }],
        ...Object.keys(tokens).map((account) => [account, { before: 2n, after: 2n }] as const),
      ]),
      tokens: new Map([[addressOf('payer-ata'), own], ...Object.entries(tokens)]),
      ...more,
    },
    'final',
    BLOCK,
  );
}

describe('money that reaches the vault by no transfer', () => {
  it('is a deposit of the order that the memo names: minted tokens, a closed account, coins that a program moves', () => {
    const minted = read([mint(500n), memo()], { tokens: { [ATA]: held(10n, 510n) } });
    expect(minted).toMatchObject([{ currency: MINT, amount: 500n, orderId: ORDER, depositAddress: null }]);
    expect(minted[0]).not.toHaveProperty('stray');
    const closed = read([close(), memo()], { lamports: [10n, 70n] });
    expect(closed).toMatchObject([{ currency: NATIVE, amount: 60n, orderId: ORDER }]);
    const moved = read([{ program: addressOf('program'), accounts: [VAULT], data: Buffer.of(1) }, memo()], {
      lamports: [10n, 15n],
    });
    expect(moved).toMatchObject([{ currency: NATIVE, amount: 5n, orderId: ORDER }]);
  });

  it('has a key of its own and no depositor that could be paid', () => {
    const both = read([mint(500n), close()], { tokens: { [ATA]: held(0n, 500n) }, lamports: [10n, 70n] });
    const keys = both.map(({ fundingKey }) => fundingKey);
    expect(keys).toEqual([`7:${SIGNATURE}:rest:${VAULT}`, `7:${SIGNATURE}:rest:${ATA}`]);
    expect(keys.map(readFunding)).toEqual([undefined, undefined]);
    for (const { depositor } of both) {
      expect(depositor).toMatch(/^[\x21-\x7e]{1,128}$/);
      expect(parseAddress(depositor).ok).toBe(false);
    }
  });

  it('is a deposit of the named order per currency, and of none where the memos name two', () => {
    const both = read([mint(500n), close(), memo()], { tokens: { [ATA]: held(0n, 500n) }, lamports: [10n, 70n] });
    expect(both).toMatchObject([
      { currency: NATIVE, amount: 60n, orderId: ORDER },
      { currency: MINT, amount: 500n, orderId: ORDER },
    ]);
    const two = read([mint(500n), memo(), memo(idOf('other'))], { tokens: { [ATA]: held(0n, 500n) } });
    expect(two).toMatchObject([{ amount: 500n, orderId: null }]);
  });

  it('is a stray in another token account of the vault, and nothing in those of others', () => {
    const other = addressOf('other-ata');
    expect(read([mint(5n, other), memo()], { tokens: { [other]: held(0n, 5n) } })).toMatchObject([
      { currency: MINT, amount: 5n, orderId: null, stray: true, fundingKey: `7:${SIGNATURE}:rest:${other}` },
    ]);
    expect(read([mint(5n, other), memo()], { tokens: { [other]: held(0n, 5n, PAYER) } })).toEqual([]);
    const foreign = held(0n, 5n, VAULT, { mint: addressOf('foreign') });
    expect(read([mint(5n, other), memo()], { tokens: { [other]: foreign } })).toEqual([]);
  });
});

describe('money next to a transfer', () => {
  it('is credited once: the transfer with what it sent, and to its order, the rest apart', () => {
    const found = read([transfer(100n), mint(500n), memo()], { tokens: { [ATA]: held(10n, 610n) } });
    expect(found).toMatchObject([
      { amount: 100n, orderId: ORDER, depositor: PAYER, fundingKey: `7:${SIGNATURE}:0` },
      { amount: 500n, orderId: null, fundingKey: `7:${SIGNATURE}:rest:${ATA}` },
    ]);
    const paid = read([coins(100n), close(), memo()], { lamports: [10n, 170n] });
    expect(paid.map(({ amount, orderId }) => [amount, orderId])).toEqual([
      [100n, ORDER],
      [60n, null],
    ]);
  });

  it('is none where transfers explain all of it, or their fee is withheld', () => {
    expect(read([transfer(100n), memo()], { tokens: { [ATA]: held(10n, 110n) } })).toHaveLength(1);
    expect(read([transfer(100n), memo()], { tokens: { [ATA]: held(10n, 109n) } })).toMatchObject([{ amount: 99n }]);
    expect(read([coins(100n), coins(20n), memo()], { lamports: [10n, 130n] })).toMatchObject([{ amount: 120n }]);
    const withheld = read([transfer(100n), mint(50n), memo()], { tokens: { [ATA]: held(0n, 149n) } });
    expect(withheld.reduce((sum, { amount }) => sum + amount, 0n)).toBe(149n);
  });

  it('is none where the vault only lost something, or gained nothing', () => {
    expect(read([memo()], { lamports: [100n, 40n], tokens: { [ATA]: held(9n, 9n) } })).toEqual([]);
    expect(read([mint(5n), memo()], { tokens: { [ATA]: held(0n, 5n) }, ok: false })).toEqual([]);
  });
});

describe('no deposit', () => {
  it('is what a transaction does that a key of the solver signed, also where another account pays for it', () => {
    const gain = { tokens: { [ATA]: held(0n, 500n) }, lamports: [10n, 70n] } as const;
    expect(read([mint(500n), close(), memo()], { ...gain, payer: FILL, signers: [FILL] })).toEqual([]);
    expect(read([mint(500n), close(), memo()], { ...gain, signers: [PAYER, VAULT] })).toEqual([]);
    expect(read([mint(500n), close(), memo()], gain)).toHaveLength(2);
  });

  it('is the whole balance of an account whose balance before is not shown', () => {
    expect(read([memo()], { tokens: { [ATA]: held(0n, 500n, VAULT, { isShownBefore: false }) } })).toEqual([]);
    const unowned = { [ATA]: held(100n, 500n, VAULT, { ownerBefore: '' }) };
    expect(read([memo()], { tokens: unowned })).toMatchObject([{ amount: 400n }]);
  });

  it('is read where a provider hides transfers within programs: another one would show the same money as a transfer', () => {
    const hidden = { isListedWhole: false, tokens: { [ATA]: held(0n, 500n) } };
    expect(() => read([memo()], hidden)).toThrow('without its inner instructions');
    expect(read([transfer(500n), memo()], hidden)).toMatchObject([{ amount: 500n, orderId: ORDER }]);
    const [, { shown }] = fakeTransaction({ name: 'listed', slot: 5, touches: [VAULT] });
    const whole = { slot: 5, ...(shown as Omit<RawTransaction, 'slot'>) };
    const reads = (innerInstructions: [] | null) =>
      readTransaction({ ...whole, meta: { ...whole.meta, innerInstructions } as typeof whole.meta }).isListedWhole;
    expect([reads([]), reads(null)]).toEqual([true, false]);
  });

  it('is read from a transaction that lacks the balance of an account', () => {
    const [, { shown }] = fakeTransaction({ name: 'short', slot: 5, touches: [VAULT] });
    const whole = { slot: 5, ...(shown as Omit<RawTransaction, 'slot'>) };
    if (whole.meta === null) throw new Error('no outcome');
    const { preBalances, postBalances } = whole.meta;
    const lacking = (part: Partial<typeof whole.meta>) => () =>
      readTransaction({ ...whole, meta: { ...whole.meta, ...part } as typeof whole.meta });
    expect(lacking({ preBalances: preBalances.slice(0, 1) })).toThrow('lacks balances');
    expect(lacking({ postBalances: postBalances.slice(0, 1) })).toThrow('lacks balances');
    expect(lacking({})().lamports.get(VAULT)).toEqual({ before: 10n ** 9n, after: 10n ** 9n });
  });
});
