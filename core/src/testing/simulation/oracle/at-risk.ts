import type { ChainId } from '../../../contract/ids.js';
import type { ChangeSet } from '../../../contract/store.js';
import type { FakeChain, FakeDeposit } from '../../fake-chain/fake-chain-types.js';
import type { Ledger } from './ledger.js';

/** No fault keeps news of a provider's return from a process for longer. */
const HEARD_MS = 30_000;

/** What a deployer configured, and what time it is. */
export interface RiskTerms {
  /** Least that an amount was ever worth, micro-USD. */
  worth(chainId: ChainId, currency: string, amount: bigint): bigint;
  acceptDepth(chainId: ChainId, microUsd: bigint): number;
  quorum(chainId: ChainId, microUsd: bigint): number;
  /** Most that may be out per chain and currency before deposits are final, micro-USD; null for any value. */
  readonly most: bigint | null;
  monotonic(): number;
}

/** A deposit as one provider had it in a block that the common chain did not have. */
interface Shown {
  readonly deposit: FakeDeposit;
  /** Most blocks that this provider had on top of it. */
  depth: number;
  lastAt: number;
}

/**
 * Deposits for which fills were sent on the word of a provider that had gone its own way: on a chain without quorum a
 * deployer accepts that, for as much value as is configured. The common chain may have such a deposit later, or never.
 *
 * Invariant: a deposit counts as taken at risk only if a provider did have it, alone, in the very block in which the
 * transfer was decided, as deep as its value asks for, and if the ledger had it there or elsewhere on the chain still
 * when the fill was signed. The ledger is believed about when it decided and about which block, never about what
 * the block held.
 */
export class AtRisk {
  readonly #chains: ReadonlyMap<ChainId, FakeChain>;
  readonly #terms: RiskTerms;
  /** By funding key and block. */
  readonly #shown = new Map<string, Shown>();
  /** By funding key: decided while it was shown so. */
  readonly #decided = new Map<string, FakeDeposit>();
  /** By order: a fill was signed for it. */
  readonly #taken = new Map<string, FakeDeposit>();

  constructor(chains: ReadonlyMap<ChainId, FakeChain>, terms: RiskTerms) {
    this.#chains = chains;
    this.#terms = terms;
  }

  /** Looks at what providers show that are not on the common chain. */
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

  /** Hears of a set that was committed, once the ledger has taken it. */
  committed({ changes }: ChangeSet, ledger: Ledger): void {
    // A provider may have gone its own way a moment ago.
    this.look();
    for (const change of changes) {
      // A transfer that is seen and decided in one set is written with its decision.
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
    if (shown.depth < this.#terms.acceptDepth(row.chainId, value) || this.#terms.quorum(row.chainId, value) > 1) return;
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

  /** The deposit that an order's fill was signed for at the deployer's risk. */
  takenFor(orderId: string): FakeDeposit | undefined {
    return this.#taken.get(orderId);
  }

  /** Whether what these deposits of one chain and currency are worth together is within what may be at risk. */
  affords(chainId: ChainId, deposits: readonly FakeDeposit[]): boolean {
    const { most } = this.#terms;
    const value = deposits.reduce((sum, one) => sum + this.#terms.worth(chainId, one.currency, one.amount), 0n);
    return most === null || value <= most;
  }

  /** Everything that was taken at risk, by order. */
  get taken(): ReadonlyMap<string, FakeDeposit> {
    return this.#taken;
  }
}

function placeOf(fundingKey: string, blockId: string): string {
  return `${fundingKey} in ${blockId}`;
}
