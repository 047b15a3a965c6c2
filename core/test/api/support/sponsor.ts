import { balanceChanges } from '../../../src/capabilities/sponsorship/credit.js';
import type { CallRevert } from '../../../src/contract/call-revert.js';
import type { RawCalls, RawCallTrial } from '../../../src/contract/raw-calls.js';
import { EXECUTOR } from './chain-double.js';
import type { RunningApi } from './running-api.js';

const INTEGRATOR = 'integrator-1';

/** The integrator of the tests' key gets an app balance of a dollar, and the first chain a lane for calls. */
export async function addSponsor({ store, a }: RunningApi, linked = true): Promise<void> {
  const chainId = a.adapter.facts.id;
  const fundingAddress = linked ? `0x${'ab'.repeat(20)}` : null;
  const integrator = { id: INTEGRATOR, version: 1, name: 'tests', fundingAddress, createdAt: 1 };
  const lane = { id: `${chainId}:${EXECUTOR}`, version: 1, chainId, signer: EXECUTOR, position: '0', halted: null };
  const credit = {
    id: 'credit',
    integratorId: INTEGRATOR,
    kind: 'credit',
    amount: 1_000_000n,
    reason: 'test',
  } as const;
  const none = { requestId: null, chainId: null, currency: null, transactionHash: null, createdAt: 1 } as const;
  const outcome = await store.apply({
    name: 'test.sponsor',
    changes: [
      { op: 'insert', table: 'integrators', row: integrator },
      { op: 'insert', table: 'lanes', row: lane },
      ...balanceChanges({ ...credit, ...none }),
    ],
  });
  if (!outcome.ok) throw new Error(JSON.stringify(outcome));
}

/** 10 cents at most, at 2,000 dollars a coin. */
export const GOOD_TRIAL: RawCallTrial = {
  is: 'done',
  cost: { native: 20_000_000_000_000n, work: 50_000n, most: 50_000_000_000_000n, at: 1 },
};

const FRAME = { type: 'CALL', address: `0x${'11'.repeat(20)}`, error: 'execution reverted' };

export function revertOf(revert: CallRevert['revert']): RawCallTrial {
  const call = { from: EXECUTOR, to: FRAME.address, data: '0xab', value: '0' };
  const details = { topLevel: FRAME, innermost: FRAME, path: [FRAME], revert };
  return { is: 'reverted', reason: 'EXECUTION_REVERTED', revert: details, call };
}

/** Answers every trial alike. */
export function callsDouble(trial: RawCallTrial = GOOD_TRIAL): RawCalls {
  return {
    mostDataBytes: 64,
    mostAuthorizations: 2,
    refuse: ({ data }) => (data.startsWith('0xdead') ? { field: 'data', reason: 'drains' } : undefined),
    simulate: async () => trial,
  };
}
