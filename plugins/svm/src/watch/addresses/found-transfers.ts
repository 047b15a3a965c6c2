import type { DepositObservation, FundingKey } from '@causeway/core';
import { isTransportError, type Provider, type Providers, RpcError } from '@causeway/core/rpc';
import { inParallel } from '../../parallel.js';
import { fatesOf, type Unsure } from '../fates.js';

interface Entry {
  /** The deposit in state `included`. */
  deposit: DepositObservation;
  readonly slot: number;
  /** Final in its slot. */
  sure: boolean;
  /** Reported by this run. */
  reported: boolean;
  /** The ledger has it or may have it. */
  known: boolean;
  gone: boolean;
}

export interface Report {
  /** Newest final slot that will be reported. */
  readonly final: number;
  /** Transfers that may be reverted wait, to be reported together with those in the ledger. */
  readonly waits: boolean;
  /** Above it everything is repeated. */
  readonly rewoundTo: number | undefined;
}

function unlessBug(error: unknown): undefined {
  if (!isTransportError(error) && !(error instanceof RpcError)) throw error;
  return undefined;
}

type ReadAgain = (deposit: DepositObservation, slot: number) => Promise<DepositObservation | undefined>;

/**
 * Transfers to deposit addresses between their discovery and their finality.
 *
 * Invariant: one is reported final once a node reports its transaction final in the slot that it was read in. While a
 * transfer that was reported as included is undecided, no batch reports its slot as final.
 */
export class FoundTransfers {
  readonly #entries = new Map<FundingKey, Entry>();
  readonly #providers: Pick<Providers, 'usable'>;
  /** Rejects where it cannot be read; undefined: there it adds nothing. */
  readonly #readAgain: ReadAgain;
  readonly #onGone: (deposit: DepositObservation) => void;

  constructor(
    providers: Pick<Providers, 'usable'>,
    readAgain: ReadAgain,
    onGone: (deposit: DepositObservation) => void,
  ) {
    this.#providers = providers;
    this.#readAgain = readAgain;
    this.#onGone = onGone;
  }

  /** @param known the ledger has it. @returns whether it is news. */
  add(deposit: DepositObservation, known = false): boolean {
    const slot = deposit.block?.height ?? 0;
    const before = this.#entries.get(deposit.fundingKey);
    if (before?.slot === slot && !before.gone) return false;
    this.#entries.set(deposit.fundingKey, {
      ...{ deposit, slot, sure: false, reported: false, gone: false },
      known: known || before?.known === true,
    });
    return true;
  }

  /**
   * Decides on transfers whose slot is final by now.
   * @returns whether one that the ledger may have is undecided. Never rejects: then nothing was learnt.
   */
  async judge(provider: Provider, final: number): Promise<boolean> {
    const due = [...this.#entries.values()].filter(({ slot, sure, gone }) => slot <= final && !sure && !gone);
    if (due.length === 0) return false;
    const asked = new Map<string, Unsure>();
    for (const { slot, deposit } of due) {
      const signature = deposit.transactionHash;
      asked.set(`${signature} ${slot}`, { signature, slot, deposits: [] });
    }
    const fates = await fatesOf(this.#providers, provider, [...asked.values()]).catch(unlessBug);
    if (fates === undefined) return due.some(({ known }) => known);
    const [settled, gone] = [new Set(fates.settled), new Set(fates.gone)];
    const moved = new Map(fates.moved.map((one) => [one.reported, one.slot]));
    await inParallel(due, async (entry) => {
      const fate = asked.get(`${entry.deposit.transactionHash} ${entry.slot}`);
      if (fate === undefined || this.#entries.get(entry.deposit.fundingKey) !== entry) return;
      const slot = moved.get(fate);
      if (settled.has(fate)) entry.sure = true;
      else if (gone.has(fate)) this.#lose(entry);
      else if (slot !== undefined) await this.#move(entry, slot);
    });
    return [...this.#entries.values()].some(
      ({ slot, sure, gone: lost, known }) => slot <= final && known && !sure && !lost,
    );
  }

  #lose(entry: Entry): void {
    entry.gone = true;
    this.#onGone(entry.deposit);
  }

  async #move(entry: Entry, slot: number): Promise<void> {
    const { deposit, known } = entry;
    try {
      const again = await this.#readAgain(deposit, slot);
      if (again === undefined) return this.#lose(entry);
      const { fundingKey } = deposit;
      this.#entries.set(fundingKey, { deposit: again, slot, sure: true, reported: false, known, gone: false });
    } catch (error) {
      unlessBug(error);
      // Undecided: asked again with the next batch.
    }
  }

  /** What a batch reports. Called once per batch, which must then be yielded. */
  take({ final, waits, rewoundTo }: Report): readonly DepositObservation[] {
    const batch: DepositObservation[] = [];
    for (const [fundingKey, entry] of this.#entries) {
      const { deposit, slot, sure, reported, known, gone } = entry;
      const isAgain = rewoundTo !== undefined && slot > rewoundTo;
      if (gone) {
        if (known) batch.push({ ...deposit, state: 'vanished', block: null });
        this.#entries.delete(fundingKey);
      } else if ((!reported || isAgain) && (sure || (!waits && slot > final))) {
        batch.push({ ...deposit, state: sure ? 'final' : 'included' });
        entry.reported = true;
        entry.known = true;
      }
      // Retained while a batch may have to repeat it.
      if (entry.sure && entry.reported && !waits) this.#entries.delete(fundingKey);
    }
    return batch;
  }
}
