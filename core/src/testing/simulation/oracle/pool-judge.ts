import type { ChangeSet } from '../../../contract/store.js';
import type { DepositRow } from '../../../contract/store-rows.js';
import { ADDRESS_SIGHTS } from './address-sights.js';
import { GASLESS_SIGHTS } from './gasless-sights.js';
import type { Ledger } from './ledger.js';
import type { Findings } from './violation.js';

/** Events that only some runs show, counted per run. */
export const SIGHTS = [
  'outspent',
  /** A reorg removed the rival's block. */
  'waits again',
  /** Another deposit took over an order whose first deposit has an included rival, without a failure in between. */
  'passed on',
  'landed late',
  /** A depository was charged for accepting a deposit. */
  'taken at a cost',
  'batch',
  /** A replacement omitted a movement of the first attempt. */
  'leg dropped',
  /** A movement of a blocked party is on hold. */
  'held for a screener',
  /** A fill was abandoned after a party was blocked. */
  'blocked before its fill',
  /** A top-up arrived. */
  'top-up after output',
  /** A top-up failed and its part of the deposit was refunded. */
  'part of top-up refunded',
  'executed',
  'rate kept',
  /** A fill was left out of a shared transaction. */
  'left out',
  'event received',
  'event again',
  /** A registered endpoint received an event. */
  'event to a registered endpoint',
  /** A receiver accepted an event while its sender saw a failure. */
  'event accepted without reply',
  'endpoint gone',
  /** A disabled endpoint got its missed events later. */
  'event after disabling',
  /** A replay of older or delivered events. */
  'event replayed',
  /** An endpoint was removed with undelivered events. */
  'endpoint removed with open events',
  ...ADDRESS_SIGHTS,
  ...GASLESS_SIGHTS,
] as const;

export type Sight = (typeof SIGHTS)[number];

type Change = ChangeSet['changes'][number];

/** Invariant: nothing is decided, booked, reserved or owed for a deposit that only a pool shows. */
export class PoolJudge {
  readonly #findings: Findings;
  readonly #onSight: (sight: Sight) => void;
  readonly #before = new Map<string, Pick<DepositRow, 'state' | 'rivalHeight'>>();
  readonly #legs = new Map<string, number>();

  constructor(findings: Findings, onSight: (sight: Sight) => void) {
    this.#findings = findings;
    this.#onSight = onSight;
  }

  committed({ name, changes }: ChangeSet, ledger: Ledger): void {
    const attempts = new Set<string>();
    for (const change of changes) {
      this.#deposit(name, change, ledger);
      this.#leg(name, change, ledger);
      if (change.op === 'insert' && change.table === 'attemptLegs') {
        const { attemptId } = change.row;
        this.#legs.set(attemptId, (this.#legs.get(attemptId) ?? 0) + 1);
        attempts.add(attemptId);
      }
    }
    for (const id of attempts) this.#attempt(id, ledger);
  }

  #deposit(name: string, change: Change, ledger: Ledger): void {
    if (change.op === 'post') {
      for (const { groupId } of change.lines) {
        const [, fundingKey] = /^deposit:(.*):\d+:1$/.exec(groupId) ?? [];
        if (fundingKey !== undefined && ledger.row('deposits', fundingKey)?.state === 'mempool')
          this.#say(name, `booked ${fundingKey}`);
      }
    }
    const fundingKey = keyOf(change);
    const row = fundingKey === undefined ? undefined : ledger.row('deposits', fundingKey);
    if (fundingKey === undefined || row === undefined) return;
    if (row.state === 'mempool' && row.decision !== 'waiting') this.#say(name, `decided ${fundingKey}`);
    const before = this.#before.get(fundingKey);
    this.#before.set(fundingKey, { state: row.state, rivalHeight: row.rivalHeight });
    if (before === undefined) return;
    const wasOutspent = before.state === 'mempool' && before.rivalHeight !== null;
    if (row.state === 'mempool' && row.rivalHeight !== null && before.rivalHeight !== row.rivalHeight)
      this.#onSight('outspent');
    if (row.state === 'mempool' && row.rivalHeight === null && wasOutspent) this.#onSight('waits again');
    const request = ledger.row('requests', row.requestId);
    const isOwner = request?.fundingKey === fundingKey;
    if (row.state === 'vanished' && before.state === 'mempool' && request?.status === 'pending' && !isOwner)
      this.#onSight('passed on');
    const isIn = row.state === 'included' || row.state === 'final';
    if (isIn && before.state === 'vanished' && request?.failReason === 'DEPOSIT_CONFIRMATION_TIMEOUT')
      this.#onSight('landed late');
  }

  #leg(name: string, change: Change, ledger: Ledger): void {
    if ((change.op !== 'insert' && change.op !== 'update') || change.table !== 'legs') return;
    const leg = ledger.row('legs', change.op === 'insert' ? change.row.id : change.key.id);
    if (!leg?.fundingKey || leg.state === 'void' || leg.state === 'suspended') return;
    if (ledger.row('deposits', leg.fundingKey)?.state === 'mempool') this.#say(name, `made ${leg.id} ${leg.state}`);
  }

  #attempt(id: string, ledger: Ledger): void {
    const row = ledger.row('attempts', id);
    const carries = this.#legs.get(id) ?? 0;
    if (row === undefined) return;
    if (carries > 1) this.#onSight('batch');
    const first = this.#legs.get(`${row.keyId}#0`) ?? 0;
    if (row.n > 0 && carries > 0 && carries < first) this.#onSight('leg dropped');
  }

  #say(name: string, what: string): void {
    this.#findings.say('acted-on-pool', `${name} ${what}, which is in no block`);
  }
}

function keyOf(change: Change): string | undefined {
  if (change.op === 'insert' && change.table === 'deposits') return change.row.fundingKey;
  if (change.op === 'update' && change.table === 'deposits') return change.key.fundingKey;
  return undefined;
}
