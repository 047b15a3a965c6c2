import { acceptCall, type CallAsk, type CallOutcome } from '../../../src/capabilities/gasless/accept-call.js';
import { balanceChanges } from '../../../src/capabilities/sponsorship/credit.js';
import type { KeyEvidence } from '../../../src/contract/index.js';
import { EVERY_LEG } from '../../../src/contract/legs.js';
import { counter } from '../../../src/domain/accounts.js';
import { openLane } from '../../../src/engine/recovery/open-lanes.js';
import { requestId } from '../../../src/testing/store-fixtures.js';
import { DESTINATION, NOW } from './quotes.js';
import type { Scene } from './scene.js';
import { SIGNER } from './scripted-chain.js';

export const EXECUTOR = 'executor';
export const INTEGRATOR = 'int_1';
export const BALANCE = 1_000n;
/** Native coin of the scene is worth a dollar per 10^6 units: its units are micro-USD. */
export const MAX_COST = 60n;

/** The destination makes calls, and an app balance is there to pay. */
export async function withExecutor(scene: Scene): Promise<void> {
  scene.destination.lanes = [
    { signer: SIGNER, sends: EVERY_LEG },
    { signer: EXECUTOR, sends: ['call'] },
  ];
  await openLane(scene.context, scene.destination, EXECUTOR);
  const credit = { id: 'credit', integratorId: INTEGRATOR, kind: 'credit', amount: BALANCE } as const;
  const none = { requestId: null, chainId: null, currency: null, transactionHash: null, reason: 'test' } as const;
  await scene.store.apply({ name: 'credit', changes: balanceChanges({ ...credit, ...none, createdAt: NOW }) });
}

export function callAsk(n: number, change: Partial<CallAsk> = {}): CallAsk {
  return {
    chainId: DESTINATION,
    requestId: requestId(n),
    call: { to: 'target', data: '0x1234', authorizations: [] },
    user: 'target',
    signer: EXECUTOR,
    callees: [],
    fee: 20n,
    most: MAX_COST,
    work: 100n,
    key: { id: 'key_1', integratorId: INTEGRATOR },
    referrer: null,
    ...change,
  };
}

export function accept(scene: Scene, n = 1, change: Partial<CallAsk> = {}): Promise<CallOutcome> {
  return acceptCall(scene.context, callAsk(n, change), () => []);
}

export const free = (scene: Scene): Promise<bigint> => scene.pot(counter.available(INTEGRATOR));

/** A transaction that succeeded, whose authorization the chain passed over. */
export function passedOver(scene: Scene, key: string, legId: string, height: number): void {
  const failure = {
    reason: 'INVALID_NONCE',
    message: 'passed over',
    call: { from: EXECUTOR, to: 'target', data: '0x', value: '0' },
  } as const;
  const evidence: KeyEvidence = {
    ...{ state: 'spent', hash: scene.destination.hashUnder(key), ok: true, final: true, fee: 9n },
    block: { height, id: `block-${height}`, timestamp: height * 1_000 },
    feePaidBy: { pot: 'lane', owner: EXECUTOR },
    effects: [{ legId, done: false, returned: true, moved: 0n, failure }],
  };
  scene.destination.evidence.set(key, evidence);
}
