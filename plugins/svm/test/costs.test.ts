import type { LegInstruction } from '@causeway/core';
import type { Keypair } from '@solana/web3.js';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { NATIVE } from '../src/addresses.js';
import type { DepositData } from '../src/deposits.js';
import type { SvmAdapter } from '../src/svm-adapter.js';
import { fundedSolver, type TestSolver } from './support/adapter.js';
import { anyAddress, fillLeg, refundLeg, signed } from './support/legs.js';
import { type LocalNode, startNode } from './support/node.js';
import { feeToken, plainToken, type TestToken } from './support/tokens.js';

let node: LocalNode;
let minter: Keypair;
let tokens: readonly TestToken[];
let solver: TestSolver;
let adapter: SvmAdapter;

beforeAll(async () => {
  node = await startNode();
  minter = await node.account(1_000);
  tokens = [await plainToken(node, minter), await feeToken(node, minter, 100)];
  solver = await fundedSolver(node, tokens);
  for (const token of tokens) await token.give(solver.vault.publicKey, 10n ** 9n);
  adapter = await solver.start({ fees: { minPriorityFee: '50000' } });
});
afterAll(async () => {
  await adapter?.stop();
  await node?.stop();
});

it('reports the most that a transaction for a leg may cost: what is prepared asks for no more, rent included', async () => {
  const rent = BigInt(await node.connection.getMinimumBalanceForRentExemption(165));
  const owner = minter.publicKey;
  for (const token of tokens) await token.give(owner, 0n);
  const mints = tokens.map(({ mint }) => mint.toBase58());
  const legs: LegInstruction[] = [
    fillLeg(NATIVE, 3_000_000n),
    refundLeg(NATIVE, 3_000_000n),
    ...mints.flatMap((mint) => [fillLeg(mint, 99n), refundLeg(mint, 100n)]),
    ...mints.map((mint) => fillLeg(mint, 99n, owner.toBase58())),
  ];
  for (const leg of legs) {
    const cost = adapter.legCost(leg.kind, leg.currency, leg.recipient);
    const { prepared } = await signed(adapter, leg);
    expect(cost?.most).toBeGreaterThanOrEqual(prepared.maxFee);
    // Current fees, with all units that a transaction may have.
    expect(cost?.most).toBeLessThan(2n * 5_000n + 70_000n + 2n * rent);
    expect(cost?.most).toBeGreaterThanOrEqual(cost?.native ?? 0n);
  }
  const opening = adapter.legCost('fill', mints[0] as string, anyAddress());
  expect(opening?.most).toBeGreaterThan(opening?.rent ?? 0n);
  expect(opening?.rent).toBe(rent);
  expect(adapter.legCost('fill', NATIVE)?.most).toBe(5_000n + 70_000n);
});

it('charges for the look at the account of any client that is paid a token, and not for our own', async () => {
  const mint = tokens[0]?.mint.toBase58() as string;
  const [fill, refund, collect] = (['fill', 'refund', 'collect'] as const).map(
    (kind) => adapter.legCost(kind, mint)?.native ?? 0n,
  ) as [bigint, bigint, bigint];
  expect(fill + 6_000n).toBe(refund);
  expect(collect).toBeLessThan(refund);
});

it('takes the amount itself from a payer, and says what makes an amount arrive, whatever the mint keeps', async () => {
  const [plain, costly] = tokens.map(({ mint }) => mint.toBase58()) as [string, string];
  const payer = minter.publicKey.toBase58();
  const sentOf = (currency: string, amount: bigint): bigint => {
    const steps = adapter.depositSteps({ payer, currency, amount, orderId: `0x${'1'.repeat(64)}` });
    const [instructions = []] = steps.flatMap(({ items }) =>
      items.map(({ data }) => (data as DepositData).instructions),
    );
    // `transferChecked`: kind, amount as 8 bytes little-endian, decimals.
    return Buffer.from(instructions[0]?.data ?? '', 'hex').readBigUInt64LE(1);
  };
  for (const amount of [1n, 99n, 100n, 10_001n, 1_000_000n, 123_456_789n]) {
    expect([sentOf(plain, amount), sentOf(costly, amount)]).toEqual([amount, amount]);
    const sent = adapter.transferFee(costly)?.sentFor(amount) ?? 0n;
    const arrives = (one: bigint) => one - (one + 99n) / 100n;
    expect(arrives(sent)).toBeGreaterThanOrEqual(amount);
    expect(arrives(sent - 1n)).toBeLessThan(amount);
    expect(adapter.transferFee(costly)?.arriving(sent)).toBe(arrives(sent));
  }
});
