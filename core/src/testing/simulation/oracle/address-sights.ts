import type { ChangeSet } from '../../../contract/store.js';
import type { FakeSweep, FakeTransfer } from '../../fake-chain/fake-chain-types.js';
import type { Ledger } from './ledger.js';

/** Events that only deposit addresses show, counted per run. */
export const ADDRESS_SIGHTS = [
  /** Each step that a sweep's leg takes. */
  'sweep owed',
  'sweep suspended',
  'sweep blocked again',
  'sweep bound',
  'sweep bound again',
  'sweep owed again',
  'sweep done',
  /** A third party's call, or a sweep that a restored ledger lost, had moved it already. */
  'sweep done elsewhere',
  /** No refund address, or no refund that is worth its gas. */
  'held at an address',
  'refunded after its sweep',
  'paid to a recipient of an operator',
  /** An operator named an address that a restored ledger lost. */
  'address recovered',
  'held at a recovered address',
  /** Its recipient or user is blocked. */
  'paid to a recovery address',
  /** A reorg took or moved these. */
  'transfer reorged',
  'sweep reorged',
  'transfer and sweep reorged',
] as const;

export type AddressSight = (typeof ADDRESS_SIGHTS)[number];

type Change = ChangeSet['changes'][number];
type Row<T extends Change['op'], N extends string> = Extract<Change, { op: T; table: N }>;

const STEPS: Readonly<Record<string, AddressSight>> = {
  'blocked owed': 'sweep owed',
  'blocked suspended': 'sweep suspended',
  'owed suspended': 'sweep suspended',
  'suspended blocked': 'sweep blocked again',
  'owed bound': 'sweep bound',
  'bound owed': 'sweep owed again',
  'bound done': 'sweep done',
  'owed done': 'sweep done elsewhere',
};

export class AddressSights {
  readonly #onSight: (sight: AddressSight) => void;
  #ledger: Ledger | undefined;
  #legs = new Map<string, string>();
  readonly #bound = new Set<string>();
  #recovered = new Set<string>();

  constructor(onSight: (sight: AddressSight) => void) {
    this.#onSight = onSight;
  }

  committed({ name, changes }: ChangeSet, ledger: Ledger): void {
    // A switch to an older database is no step.
    if (ledger !== this.#ledger) this.#legs = new Map();
    this.#ledger = ledger;
    for (const change of changes) {
      if (change.op !== 'insert' && change.op !== 'update') continue;
      if (change.table === 'legs') this.#leg(change, ledger);
      if (change.op !== 'insert') continue;
      if (change.table === 'holds') this.#hold(change, ledger);
      if (change.table === 'addresses' && name === 'engine.addresses.recover') {
        this.#recovered.add(change.row.address);
        this.#onSight('address recovered');
      }
    }
  }

  #leg(change: Row<'insert' | 'update', 'legs'>, ledger: Ledger): void {
    const leg = ledger.row('legs', change.op === 'insert' ? change.row.id : change.key.id);
    if (leg === undefined) return;
    const before = this.#legs.get(leg.id);
    this.#legs.set(leg.id, leg.state);
    if (before === undefined || before === leg.state) return;
    if (leg.kind === 'sweep') this.#step(leg.id, `${before} ${leg.state}`);
    const deposit = ledger.row('deposits', leg.fundingKey ?? '');
    const refunds = leg.kind === 'refund' || leg.kind === 'excess';
    if (refunds && leg.state === 'done' && deposit?.sweptAt != null) this.#onSight('refunded after its sweep');
  }

  #step(id: string, step: string): void {
    const sight = STEPS[step];
    if (sight === undefined) return;
    this.#onSight(sight === 'sweep bound' && this.#bound.has(id) ? 'sweep bound again' : sight);
    if (sight === 'sweep bound') this.#bound.add(id);
  }

  #hold({ row }: Row<'insert', 'holds'>, ledger: Ledger): void {
    const deposit = ledger.row('deposits', row.fundingKey);
    if (deposit?.depositAddress == null) return;
    this.#onSight(this.#recovered.has(deposit.depositAddress) ? 'held at a recovered address' : 'held at an address');
  }

  /** Transfers and sweeps whose block a reorg removed. */
  reorged(transfers: readonly FakeTransfer[], sweeps: readonly FakeSweep[]): void {
    if (transfers.length > 0) this.#onSight('transfer reorged');
    if (sweeps.length > 0) this.#onSight('sweep reorged');
    if (transfers.some(({ to }) => sweeps.some(({ address }) => address === to)))
      this.#onSight('transfer and sweep reorged');
  }
}
