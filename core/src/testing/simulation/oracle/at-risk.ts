import type { ChainId } from '../../../contract/ids.js';
import type { ChangeSet } from '../../../contract/store.js';
import type { FakeChain, FakeDeposit } from '../../fake-chain/fake-chain-types.js';
import type { Ledger } from './ledger.js';

/** Longest delay of news about a recovered provider. */
const HEARD_MS = 30_000;

export interface RiskTerms {
  /** Lowest historic value, micro-USD. */
  worth(chainId: ChainId, currency: string, amount: bigint): bigint;
  acceptDepth(chainId: ChainId, microUsd: bigint): number;
  quorum(chainId: ChainId, microUsd: bigint): number;
  /** Maximum at risk per chain and currency before finality, micro-USD; null: unlimited. */
  readonly most: bigint | null;
  monotonic(): number;
}

interface Shown {
  readonly deposit: FakeDeposit;
  depth: number;
  lastAt: number;
}

/**
 * Deposits filled on a forked provider's report. Without quorum a deployer accepts that up to a configured value; the
 * common chain may never include them.
 *
 * Invariant: a deposit counts as at risk only if that provider had it in the deciding block at the required depth, and
 * the ledger still had it when the fill was signed. The ledger is trusted on when and which block, never on the block's
 * content.
 */
export class AtRisk {
  readonly #chains: ReadonlyMap<ChainId, FakeChain>;
  readonly #terms: RiskTerms;
  readonly #shown = new Map<string, Shown>();
  /** By funding key: decided while shown so. */
  readonly #decided = new Map<string, FakeDeposit>();
  readonly #taken = new Map<string, FakeDeposit>();

  constructor(chains: ReadonlyMap<ChainId, FakeChain>, terms: RiskTerms) {
    this.#chains = chains;
    this.#terms = terms;
  }

  look(): void {
    for (const { providers } of this.#chains.values()) {
      for (const provider of providers) {
        for (const deposit of provider.apart()) {
          const depth = provider.head.height - deposit.block.height;
          const before = this.#shown.get(placeOf(deposit.fundingKey, deposit.block.id));
          this.#shown.set(placeOf(deposit.fundingKey, deposit.block.id), {
            deposit,
            depth: Math.max(depth, before?.depth ?? 0),
            lastAt: this.#terms.monotonic(),
          });
        }
      }
    }
  }

  committed({ changes }: ChangeSet, ledger: Ledger): void {
    this.look();
    for (const change of changes) {
      // A transfer seen and decided in one set is inserted with its decision.
      if (change.op === 'insert' && change.table === 'deposits' && change.row.decision === 'fill')
        this.#decides(ledger, change.row.fundingKey);
      if (change.op !== 'update') continue;
      if (change.table === 'deposits' && change.set.decision === 'fill') this.#decides(ledger, change.key.fundingKey);
      if (change.table === 'legs' && change.set.state === 'bound') this.#signs(ledger, change.key.id);
    }
  }

  #decides(ledger: Ledger, fundingKey: string): void {
    const row = ledger.row('deposits', fundingKey);
    const shown = row?.blockId ? this.#shown.get(placeOf(fundingKey, row.blockId)) : undefined;
    if (!row || !shown || this.#terms.monotonic() - shown.lastAt > HEARD_MS) return;
    const value = this.#terms.worth(row.chainId, shown.deposit.currency, shown.deposit.amount);
    // The risk of a fast fill is its integrator's.
    const isFast = ledger.row('requests', row.requestId)?.body.includes('"state":"open"') === true;
    const isDeep = isFast || shown.depth >= this.#terms.acceptDepth(row.chainId, value);
    if (!isDeep || this.#terms.quorum(row.chainId, value) > 1) return;
    this.#decided.set(fundingKey, shown.deposit);
  }

  #signs(ledger: Ledger, legId: string): void {
    const leg = ledger.row('legs', legId);
    if (leg?.kind !== 'fill' || leg.fundingKey === null) return;
    const state = ledger.row('deposits', leg.fundingKey)?.state;
    const deposit = this.#decided.get(leg.fundingKey);
    if (deposit && deposit.orderId !== null && deposit.orderId === leg.orderId && state === 'included')
      this.#taken.set(deposit.orderId, deposit);
  }

  riskTakenWith(orderId: string): FakeDeposit | undefined {
    return this.#taken.get(orderId);
  }

  affords(chainId: ChainId, deposits: readonly FakeDeposit[]): boolean {
    const { most } = this.#terms;
    const value = deposits.reduce((sum, one) => sum + this.#terms.worth(chainId, one.currency, one.amount), 0n);
    return most === null || value <= most;
  }

  get taken(): ReadonlyMap<string, FakeDeposit> {
    return this.#taken;
  }
}

function placeOf(fundingKey: string, blockId: string): string {
  return `${fundingKey} in ${blockId}`;
}
