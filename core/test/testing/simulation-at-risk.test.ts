import { describe, expect, it } from 'vitest';
import type { ChangeSet } from '../../src/contract/store.js';
import type { DepositRow, LegRow } from '../../src/contract/store-rows.js';
import { fakeChain } from '../../src/testing/fake-chain/fake-chain.js';
import type { FakeDeposit } from '../../src/testing/fake-chain/fake-chain-types.js';
import { SeededRandom } from '../../src/testing/seeded-random.js';
import { SimClock } from '../../src/testing/sim-clock.js';
import { AtRisk } from '../../src/testing/simulation/oracle/at-risk.js';
import { Ledger } from '../../src/testing/simulation/oracle/ledger.js';
import { Findings } from '../../src/testing/simulation/oracle/violation.js';

const ORDER = `0x${'0d'.repeat(32)}` as const;
const CHAIN = 901;

/** A deposit in one provider's private block. */
function scene(terms: { depth?: number; quorum?: number; most?: bigint } = {}) {
  const random = new SeededRandom('at risk');
  const chain = fakeChain({ id: CHAIN, profile: 'async', clock: new SimClock(random), random });
  const time = { now: 0 };
  const atRisk = new AtRisk(new Map([[CHAIN, chain]]), {
    worth: (_, __, amount) => amount,
    acceptDepth: () => terms.depth ?? 0,
    quorum: () => terms.quorum ?? 1,
    most: terms.most ?? null,
    monotonic: () => time.now,
  });
  chain.mine(3);
  chain.deposit({ from: `0x${'01'.repeat(20)}`, currency: 'USDF', amount: 50n, orderId: ORDER });
  chain.mine(2);
  chain.providers[0]?.diverge(0);
  atRisk.look();
  const [deposit] = chain.providers[0]?.apart() ?? [];
  if (!deposit) throw new Error('nothing arrived on the branch');
  const ledger = new Ledger(new Findings(() => 0), () => undefined);
  const commit = (...changes: ChangeSet['changes']): void => {
    const set = { name: 'test', changes };
    ledger.take(set);
    atRisk.committed(set, ledger);
  };
  return { chain, deposit, atRisk, time, commit };
}

function decided(
  { fundingKey, orderId, currency, amount, block }: FakeDeposit,
  blockId = block.id,
): ChangeSet['changes'] {
  const place = { chainId: CHAIN, state: 'included', height: block.height, blockId } as const;
  const row = { fundingKey, orderId, currency, amount, ...place, version: 1, decision: 'fill' } as DepositRow;
  const leg = { id: 'fill', version: 1, kind: 'fill', state: 'owed', orderId, fundingKey } as LegRow;
  return [
    { op: 'insert', table: 'deposits', row },
    { op: 'insert', table: 'legs', row: leg },
  ];
}

const signed: ChangeSet['changes'][number] = {
  op: 'update',
  table: 'legs',
  key: { id: 'fill' },
  version: 1,
  set: { state: 'bound' },
};

describe('what the oracle counts as a configured risk', () => {
  it('is a deposit of one provider alone, once the fill for it was signed', () => {
    const { deposit, atRisk, commit } = scene();
    commit(...decided(deposit));
    expect(atRisk.riskTakenWith(ORDER)).toBeUndefined();
    commit(signed);
    expect(atRisk.riskTakenWith(ORDER)).toBe(deposit);
  });

  it('is none that is less deep than its value asks for, until it is', () => {
    const shallow = scene({ depth: 1 });
    shallow.commit(...decided(shallow.deposit), signed);
    expect(shallow.atRisk.riskTakenWith(ORDER)).toBeUndefined();
    const deep = scene({ depth: 1 });
    deep.chain.mine();
    deep.atRisk.look();
    deep.commit(...decided(deep.deposit), signed);
    expect(deep.atRisk.riskTakenWith(ORDER)?.fundingKey).toBe(deep.deposit.fundingKey);
  });

  it('is none where more than one provider must report it', () => {
    const { deposit, atRisk, commit } = scene({ quorum: 2 });
    commit(...decided(deposit), signed);
    expect(atRisk.riskTakenWith(ORDER)).toBeUndefined();
  });

  it('is none that was decided in a block which that provider did not have it in', () => {
    const { chain, deposit, atRisk, commit } = scene();
    commit(...decided(deposit, chain.history().head.id), signed);
    expect(atRisk.riskTakenWith(ORDER)).toBeUndefined();
  });

  it('is none that no one ever had', () => {
    const { deposit, atRisk, commit } = scene();
    commit(...decided({ ...deposit, fundingKey: 'invented' }), signed);
    expect(atRisk.riskTakenWith(ORDER)).toBeUndefined();
  });

  it('is none that the ledger knew to be gone when the fill was signed', () => {
    const { deposit, atRisk, commit } = scene();
    const { fundingKey } = deposit;
    commit(...decided(deposit));
    commit({ op: 'update', table: 'deposits', key: { fundingKey }, version: 1, set: { state: 'vanished' } });
    commit(signed);
    expect(atRisk.riskTakenWith(ORDER)).toBeUndefined();
  });

  it('is none that was decided long after the provider came back', () => {
    const { chain, deposit, atRisk, time, commit } = scene();
    chain.providers[0]?.rejoin();
    time.now = 30_001;
    atRisk.look();
    commit(...decided(deposit), signed);
    expect(atRisk.riskTakenWith(ORDER)).toBeUndefined();
  });

  it('ends at the value that may be out before deposits are final', () => {
    const { deposit, atRisk } = scene({ most: 99n });
    expect([atRisk.affords(CHAIN, [deposit]), atRisk.affords(CHAIN, [deposit, deposit])]).toEqual([true, false]);
  });
});
