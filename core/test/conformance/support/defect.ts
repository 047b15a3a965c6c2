import type { ChainAdapter } from '../../../src/contract/chain-adapter.js';
import type { DepositBatch, DepositObservation } from '../../../src/contract/deposits.js';
import type { KeyEvidence, KeyView } from '../../../src/contract/legs.js';
import type { FakeProfileName } from '../../../src/testing/fake-chain/fake-chain-types.js';

/**
 * A wrong adapter and the case that must notice. In addition to `test/mutants`, which edits a real chain's sources and
 * runs at night: these cover the fake chain's other profiles and run with every unit test.
 */
export interface Defect {
  readonly name: string;
  /** Other cases may fail as well. */
  readonly noticedBy: string;
  /** Default `nonce`. */
  readonly profile?: FakeProfileName;
  /** See `FakeChainOptions.vault`. */
  readonly vault?: true;
  readonly breaks: (adapter: ChainAdapter) => Partial<ChainAdapter>;
}

export function observing(
  adapter: ChainAdapter,
  change: (batch: DepositBatch) => DepositBatch,
  from: (cursor: string | undefined) => string | undefined = (cursor) => cursor,
): Partial<ChainAdapter> {
  return {
    watchDeposits: async function* (cursor, signal, wanted) {
      for await (const batch of adapter.watchDeposits(from(cursor), signal, wanted)) yield change(batch);
    },
  };
}

export function depositing(
  adapter: ChainAdapter,
  change: (seen: DepositObservation, at: number, batch: DepositBatch) => DepositObservation,
): Partial<ChainAdapter> {
  return observing(adapter, (batch) => ({
    ...batch,
    deposits: batch.deposits.map((seen, at) => change(seen, at, batch)),
  }));
}

export function proving(
  adapter: ChainAdapter,
  change: (evidence: KeyEvidence, key: KeyView) => KeyEvidence,
): Partial<ChainAdapter> {
  return {
    look: async (keys) => (await adapter.look(keys)).map((evidence, at) => change(evidence, keys[at] as KeyView)),
  };
}
