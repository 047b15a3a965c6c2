import type { LegInstruction } from '@causeway/core';
import type { Keypair } from '@solana/web3.js';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { NATIVE } from '../src/addresses.js';
import type { SvmAdapter } from '../src/svm-adapter.js';
import { fundedSolver, type TestSolver } from './support/adapter.js';
import { anybody, fillLeg, refundLeg, signed } from './support/legs.js';
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

it('tells the most that a transaction for a leg may cost: what is prepared asks for no more, rent included', async () => {
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
    // It is told of what the fees are now, of all units that a transaction may have.
    expect(cost?.most).toBeLessThan(2n * 5_000n + 70_000n + 2n * rent);
    expect(cost?.most).toBeGreaterThanOrEqual(cost?.native ?? 0n);
  }
  const opening = adapter.legCost('fill', mints[0] as string, anybody());
  expect(opening?.most).toBeGreaterThan(opening?.rent ?? 0n);
  expect(opening?.rent).toBe(rent);
  // Without a recipient nothing is opened.
  expect(adapter.legCost('fill', NATIVE)?.most).toBe(5_000n + 70_000n);
});

it('charges for the look at the account of whoever is paid a token, and not for our own', async () => {
  const mint = tokens[0]?.mint.toBase58() as string;
  const [fill, refund, collect] = (['fill', 'refund', 'collect'] as const).map(
    (kind) => adapter.legCost(kind, mint)?.native ?? 0n,
  ) as [bigint, bigint, bigint];
  // One signature less.
  expect(fill + 6_000n).toBe(refund);
  expect(collect).toBeLessThan(refund);
});
