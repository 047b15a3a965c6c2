import { describe, expect, it } from 'vitest';
import type { HoldRow, LegRow } from '../../src/contract/store-rows.js';
import { Ledger } from '../../src/testing/simulation/oracle/ledger.js';
import { holdsOf } from '../../src/testing/simulation/oracle/outcomes.js';
import { Findings } from '../../src/testing/simulation/oracle/violation.js';

const FUNDING = '901:0xab:0';

function ledgerWith(kind: 'refund' | 'excess', state: HoldRow['state']): Ledger {
  const ledger = new Ledger(new Findings(() => 0), () => undefined);
  const leg = { id: `${kind}:${FUNDING}`, version: 3, kind, fundingKey: FUNDING } as LegRow;
  const hold = { id: `hold:${leg.id}:2`, version: 1, fundingKey: FUNDING, state } as HoldRow;
  ledger.take({
    name: 'test',
    changes: [
      { op: 'insert', table: 'legs', row: leg },
      { op: 'insert', table: 'holds', row: hold },
    ],
  });
  return ledger;
}

describe('what the oracle counts as held', () => {
  it('distinguishes the excess of a deposit from its main part, whatever version of the leg was held', () => {
    const { whole, excess } = holdsOf(ledgerWith('excess', 'open'));
    expect([[...whole.keys()], [...excess.keys()]]).toEqual([[], [FUNDING]]);
    const main = holdsOf(ledgerWith('refund', 'open'));
    expect([[...main.whole.keys()], [...main.excess.keys()]]).toEqual([[FUNDING], []]);
  });

  it('counts no hold that was released', () => {
    const { whole, excess } = holdsOf(ledgerWith('refund', 'released'));
    expect([whole.size, excess.size]).toEqual([0, 0]);
  });
});
