import { beforeEach, describe, expect, it } from 'vitest';
import type { AttemptRow, LegRow } from '../../src/contract/store-rows.js';
import { fakeChain } from '../../src/testing/fake-chain/fake-chain.js';
import { SeededRandom } from '../../src/testing/seeded-random.js';
import { SimClock } from '../../src/testing/sim-clock.js';
import { ChainWatch } from '../../src/testing/simulation/oracle/chain-watch.js';
import { ClaimJudge } from '../../src/testing/simulation/oracle/claim-judge.js';
import { Ledger } from '../../src/testing/simulation/oracle/ledger.js';
import { Findings } from '../../src/testing/simulation/oracle/violation.js';

const CHAIN = 901;
const PAYOUT = `0x${'0a'.repeat(32)}` as const;

const claim = (number: number, state: LegRow['state'], change: Partial<LegRow> = {}): LegRow =>
  ({ id: `claim:${number}`, version: 1, kind: 'claim', chainId: CHAIN, orderId: PAYOUT, state, ...change }) as LegRow;

let findings: Findings;
let ledger: Ledger;
let restored: boolean;
let judge: ClaimJudge;

beforeEach(() => {
  findings = new Findings(() => 0);
  ledger = new Ledger(findings, () => undefined);
  restored = false;
  const random = new SeededRandom('claims');
  const chain = fakeChain({ id: CHAIN, profile: 'nonce', clock: new SimClock(random), random });
  const watch = new ChainWatch(chain, findings, () => PAYOUT);
  const paid = { orderId: PAYOUT, filler: 'lane', currency: 'FAKE', recipient: 'till', amount: 7n, deadline: 1 };
  watch.fills.set(PAYOUT, { ...paid, hash: '0xpaid', block: { height: 3, id: 'b3', timestamp: 30 } });
  const world = {
    ...{ findings, ledger, foreign: new Map(), promises: new Map(), watches: new Map([[CHAIN, watch]]) },
    ...{ payerSwapJudge: { isExecuted: () => false } },
    get restored() {
      return restored;
    },
  };
  judge = new ClaimJudge(world, []);
});

function has(...legs: readonly LegRow[]): void {
  ledger.take({ name: 'test', changes: legs.map((row) => ({ op: 'insert', table: 'legs', row })) });
}

function isRestored(): void {
  restored = true;
  judge.restored(ledger);
}

function found(): readonly string[] {
  judge.judgeAll();
  return findings.list.map(({ rule, message }) => `${rule} ${message.split(' ')[0]}`);
}

describe('what the oracle says of claims that were given up though their id was paid', () => {
  it.each(['void', 'closed'] as const)('finds a %s one that is paid nevertheless', (state) => {
    has(claim(0, state));
    expect(found()).toEqual(['claim-paid claim:0']);
  });

  it('accepts that the next claim was paid under the same id', () => {
    has(claim(0, 'void'), claim(1, 'done'));
    expect(found()).toEqual([]);
  });

  it('accepts that a claim which a restore lost was paid, whatever the result of the one counted in its place', () => {
    has(claim(0, 'void'));
    isRestored();
    expect(found()).toEqual([]);
    has(claim(1, 'held', { reason: 'maybePaid' }));
    expect(found()).toEqual([]);
  });

  it('finds one that is given up after the restore that lost its payment', () => {
    has(claim(0, 'void'));
    isRestored();
    has(claim(1, 'void'));
    expect(found()).toEqual(['claim-paid claim:1']);
  });

  it('finds one that a transaction in the restored ledger paid', () => {
    const attempt = { id: 'key#0', version: 1, hash: '0xpaid', state: 'replaced' } as AttemptRow;
    has(claim(0, 'closed'));
    ledger.take({ name: 'test', changes: [{ op: 'insert', table: 'attempts', row: attempt }] });
    isRestored();
    expect(found()).toEqual(['claim-paid claim:0']);
  });
});
