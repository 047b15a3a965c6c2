import type { ChangeSet } from '../../../contract/store.js';
import type { FakeExecution } from '../../fake-chain/fake-chain-types.js';
import type { World } from '../world.js';
import type { Ledger } from './ledger.js';
import type { Promised } from './promised.js';

/**
 * Judges execution by payers by the chains.
 *
 * Invariants: such a request succeeds exactly if its payer made the promised execution; it fails only where that was
 * undone or the payer's own transaction reverted.
 */
export class PayerSwapJudge {
  readonly #world: World;

  constructor(world: World) {
    this.#world = world;
  }

  committed({ changes }: ChangeSet, ledger: Ledger): void {
    for (const change of changes) {
      const [id, status] =
        change.op === 'insert' && change.table === 'requests'
          ? [change.row.id, change.row.status]
          : change.op === 'update' && change.table === 'requests'
            ? [change.key.id, change.set.status]
            : [];
      const request = status === 'success' && id !== undefined ? ledger.row('requests', id) : undefined;
      const promise = request && this.#world.promises.get(request.orderId);
      if (promise?.payerSwap !== undefined && this.#executed(promise, 'ever').length === 0)
        this.#say('executed-unpaid', `order ${promise.orderId} became a success`);
    }
  }

  #executed(promise: Promised, when: 'now' | 'ever'): readonly FakeExecution[] {
    const { orderId, payerSwap, payer, recipient, currencyIn, currencyOut, minimumOut, originChainId } = promise;
    return this.#world
      .watch(originChainId)
      .executionsOf(orderId, when)
      .filter(
        (one) =>
          one.payer === payer &&
          one.recipient === recipient &&
          one.input === currencyIn &&
          one.output === currencyOut &&
          one.amountOut >= minimumOut &&
          payerSwap !== undefined &&
          (payerSwap.fee === 0n || (one.feeTo === payerSwap.feeTo && one.fee >= payerSwap.fee)),
      );
  }

  /** The payer executed it, so its app fees are owed. */
  isExecuted(promise: Promised): boolean {
    return promise.payerSwap !== undefined && this.#executed(promise, 'now').length > 0;
  }

  judgeAll(): void {
    const { ledger, promises, forgotten } = this.#world;
    const known = new Map([...ledger.rows('requests')].map((row) => [row.parentRequestId ?? row.orderId, row]));
    for (const promise of promises.values()) {
      if (promise.payerSwap === undefined) continue;
      const { orderId, originChainId, payer } = promise;
      const request = known.get(orderId);
      const [executed] = this.#executed(promise, 'now');
      const say = (what: string) => this.#say('execution-lies', `order ${orderId} is ${request?.status}: ${what}`);
      if (executed) this.#world.seen('executed');
      if (executed && request?.status !== 'success' && !forgotten.has(orderId)) say('its payer executed it');
      if (!executed && request?.status === 'success') say('its payer did not execute it');
      if (request?.status !== 'failure' || request.fundingKey !== null) continue;
      const { fees } = this.#world.chain(originChainId).history();
      const reverted = fees.some(
        (fee) => !fee.ok && fee.signer === payer && fee.carries.some(({ name }) => name === orderId),
      );
      const undone = this.#executed(promise, 'ever').length > 0;
      if (request.failReason === 'TRANSACTION_REVERTED' && !reverted) say('nothing of its payer reverted');
      if (request.failReason === 'DEPOSIT_REORGED' && !undone) say('nothing of it was undone');
    }
  }

  #say(rule: string, message: string): void {
    this.#world.findings.say(rule, message);
  }
}
