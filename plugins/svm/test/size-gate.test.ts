import { isDeepStrictEqual } from 'node:util';
import type { DepositStepsInput, Hex } from '@causeway/core';
import { SeededRandom } from '@causeway/core/testing';
import { AddressLookupTableAccount, PublicKey, TransactionMessage, VersionedTransaction } from '@solana/web3.js';
import { describe, expect, it } from 'vitest';
import { NATIVE } from '../src/addresses.js';
import { type DepositData, type DepositTarget, depositSteps, type InstructionData } from '../src/deposits.js';
import { depositSize, instructionOf, oversize, WIRE_LIMIT } from '../src/message.js';
import { PROGRAMS } from '../src/programs.js';
import { associatedAccount } from '../src/token-accounts.js';
import { type NativeKeys, nativeKeys } from './support/native-keys.js';

const DEPOSITS = process.env['CAUSEWAY_NIGHTLY'] === '1' ? 10_000 : 5_000;
const random = new SeededRandom('size gate');

const bytes = (dice: SeededRandom, count: number) => Uint8Array.from({ length: count }, () => dice.between(0, 255));
const keyPair = (dice: SeededRandom) => nativeKeys(bytes(dice, 32));
const address = (dice: SeededRandom) => new PublicKey(bytes(dice, 32)).toBase58();

// Key pairs are slow to make and do not change any size.
const some = <T>(name: string, count: number, make: (dice: SeededRandom) => T): readonly T[] =>
  Array.from({ length: count }, (_, n) => make(random.fork(`${name} ${n}`)));
const payers = some('payer', 20, keyPair);
const sponsors = some('sponsor', 10, keyPair);
const strangers = some('stranger', 1_000, address);

interface Chain {
  readonly target: DepositTarget;
  readonly currencies: readonly string[];
  readonly tables: readonly AddressLookupTableAccount[];
  readonly held: readonly string[];
}

function chain(dice: SeededRandom): Chain {
  const programs = new Map(
    Array.from({ length: 4 }, (_, n) => [address(dice), n % 2 === 0 ? PROGRAMS.token : PROGRAMS.token2022] as const),
  );
  const vault = keyPair(dice).publicKey.toBase58();
  const accounts = [...programs].map(([mint, program]) => associatedAccount(mint, vault, program));
  const wide = [vault, ...programs.keys(), ...accounts, ...Object.values(PROGRAMS)];
  const contents = dice.pick([[], [wide], [wide.slice(0, 5), Array.from({ length: 40 }, () => address(dice))]]);
  const tables = contents.map((addresses) => table(address(dice), addresses));
  const tokenOf = (currency: string) => {
    const program = programs.get(currency);
    return program === undefined ? undefined : { program, decimals: 6, symbol: 'T' };
  };
  const lookupTables = tables.map(({ key }) => key.toBase58());
  return {
    target: { chainId: 792703809, vault, lookupTables, tokenOf, arriving: (_: string, sent: bigint) => sent },
    currencies: [NATIVE, ...programs.keys()],
    tables,
    held: contents.flat(),
  };
}

function table(key: string, addresses: readonly string[]): AddressLookupTableAccount {
  return new AddressLookupTableAccount({
    key: new PublicKey(key),
    state: {
      ...{ deactivationSlot: 2n ** 64n - 1n, lastExtendedSlot: 0, lastExtendedSlotStartIndex: 0 },
      addresses: addresses.map((one) => new PublicKey(one)),
    },
  });
}

type Signers = readonly [NativeKeys, ...NativeKeys[]];

interface Case extends Chain {
  readonly input: DepositStepsInput;
  readonly data: DepositData;
  readonly signers: Signers;
}

function draw(dice: SeededRandom, at: Chain): Case {
  const payer = dice.pick(payers);
  const other = dice.chance(0.3) ? dice.pick(sponsors) : undefined;
  const input: DepositStepsInput = {
    payer: payer.publicKey.toBase58(),
    currency: dice.pick(at.currencies),
    amount: BigInt(dice.next()) ** 2n / BigInt(dice.pick([1, 10 ** 9, 10 ** 18])) + 1n,
    orderId: `0x${Buffer.from(bytes(dice, 32)).toString('hex')}` as Hex,
    limitsWork: dice.chance(0.5),
    ...(other === undefined ? {} : { feePayer: other.publicKey.toBase58() }),
  };
  const data = depositSteps(at.target, input)[0]?.items[0]?.data as DepositData;
  return { ...at, input, data, signers: other === undefined ? [payer] : [other, payer] };
}

function padded(dice: SeededRandom, one: Case): Case {
  const keys = Array.from({ length: dice.between(0, 25) }, () => ({
    pubkey: one.held.length > 0 && dice.chance(0.4) ? dice.pick(one.held) : dice.pick(strangers),
    ...{ isSigner: false, isWritable: dice.chance(0.5) },
  }));
  const bare: InstructionData = { keys, programId: dice.pick(strangers), data: '' };
  const having = (extra: InstructionData) => ({ ...one.data, instructions: [...one.data.instructions, extra] });
  const room = WIRE_LIMIT - depositSize(having(bare), one.tables);
  const count = Math.max(0, room + dice.between(-80, 80));
  return { ...one, data: having({ ...bare, data: Buffer.from(bytes(dice, count)).toString('hex') }) };
}

function written({ data, signers, tables }: Case): number | undefined {
  try {
    const message = new TransactionMessage({
      payerKey: signers[0].publicKey,
      recentBlockhash: NATIVE,
      instructions: data.instructions.map(instructionOf),
    });
    const transaction = new VersionedTransaction(message.compileToV0Message([...tables]));
    const bytesToSign = transaction.message.serialize();
    for (const { publicKey, sign } of signers) transaction.addSignature(publicKey, sign(bytesToSign));
    return transaction.serialize().length;
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

const stepsOf = (data: DepositData) => [{ id: 'deposit' as const, action: '', description: '', items: [{ data }] }];

describe('the size of a deposit, by its gate', () => {
  it(`is the size of what is signed, for ${DEPOSITS} deposits; larger ones are reported with their overage`, () => {
    const chains = Array.from({ length: 30 }, (_, n) => chain(random.fork(`chain ${n}`)));
    const wrong: unknown[] = [];
    const seen = { plain: 0, largest: 0, within: 0, beyond: 0, near: 0 };
    for (let n = 0; n < DEPOSITS; n += 1) {
      const dice = random.fork(`deposit ${n}`);
      const drawn = draw(dice, dice.pick(chains));
      const wide = dice.chance(0.5);
      const one = wide ? padded(dice, drawn) : drawn;
      const size = depositSize(one.data, one.tables);
      const real = written(one);
      const found = oversize(stepsOf(one.data), one.tables);
      const isRight = real === undefined ? size > WIRE_LIMIT : size === real;
      const isReported = isDeepStrictEqual(found, size > WIRE_LIMIT ? { bytes: size, limit: WIRE_LIMIT } : undefined);
      if (!isRight || !isReported) wrong.push({ n, size, real, found });
      if (wide) seen[size > WIRE_LIMIT ? 'beyond' : 'within'] += 1;
      else {
        seen.plain += 1;
        seen.largest = Math.max(seen.largest, size);
      }
      if (real !== undefined && Math.abs(real - WIRE_LIMIT) <= 2) seen.near += 1;
    }
    expect(wrong).toEqual([]);
    expect(seen.largest).toBeLessThan(700);
    for (const count of [seen.plain, seen.within, seen.beyond]) expect(count).toBeGreaterThan(1_000);
    expect(seen.near).toBeGreaterThan(20);
  }, 120_000);

  it('takes the last byte, and no more', () => {
    const dice = random.fork('edge');
    const one = draw(dice, chain(dice));
    const of = (count: number): Case => {
      const extra = { keys: [], programId: PROGRAMS.memo, data: '00'.repeat(count) };
      return { ...one, data: { ...one.data, instructions: [...one.data.instructions, extra] } };
    };
    let count = 0;
    while (depositSize(of(count).data, one.tables) < WIRE_LIMIT) count += 1;
    expect(written(of(count))).toBe(WIRE_LIMIT);
    expect(oversize(stepsOf(of(count).data), one.tables)).toBeUndefined();
    expect(written(of(count + 1))).toBe(WIRE_LIMIT + 1);
    expect(oversize(stepsOf(of(count + 1).data), one.tables)).toEqual({ bytes: WIRE_LIMIT + 1, limit: WIRE_LIMIT });
  });
});
