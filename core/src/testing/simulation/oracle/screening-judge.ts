import type { ChangeSet } from '../../../contract/store.js';
import type { LegRow } from '../../../contract/store-rows.js';
import type { FakeDeposit } from '../../fake-chain/fake-chain-types.js';
import type { World } from '../world.js';

/** Longest time from a verdict to its ledger effect, under slow commits and provider retries. */
const MARGIN_MS = 20_000;

/**
 * Judges screening by the time of first signatures.
 *
 * Invariants: nothing signed some time after its recipient or payer was blocked moves value, unless an operator
 * released it; without a blocked party nothing is on hold, and nothing goes to a recovery address.
 */
export class ScreeningJudge {
  readonly #world: World;
  /** First durable signature per key, virtual milliseconds. */
  readonly #signed = new Map<string, number>();

  constructor(world: World) {
    this.#world = world;
  }

  committed({ changes }: ChangeSet): void {
    if (this.#world.screener === undefined) return;
    for (const change of changes) {
      if (change.op !== 'insert' || change.table !== 'attempts' || change.row.n !== 0) continue;
      this.#signed.set(change.row.keyId, this.#world.clock.monotonic());
    }
  }

  judgeAll(): void {
    if (this.#world.screener === undefined) return;
    this.#judgeChains();
    for (const leg of this.#world.ledger.rows('legs')) {
      const isHeld = leg.state === 'held' && leg.reason === 'blocked';
      const isGivenUp = leg.kind === 'fill' && leg.state === 'void' && leg.reason === 'BLOCKED_WALLET';
      if (!isHeld && !isGivenUp) continue;
      this.#world.seen(isHeld ? 'held for a screener' : 'blocked before its fill');
      if (!this.#partiesOf(leg).some((address) => this.#since(address) !== undefined))
        this.#say('held-for-nothing', `${leg.id} is ${leg.state}, and no party of it is blocked`);
    }
  }

  #judgeChains(): void {
    const { ledger, watches, promises } = this.#world;
    const keys = new Map([...ledger.rows('attempts')].map(({ hash, keyId }) => [hash, keyId]));
    const released = new Set([...ledger.rows('legs')].filter(({ releasedBy }) => releasedBy === 'operator').map(of));
    for (const watch of watches.values()) {
      const { fills, withdrawals } = watch.chain.history();
      for (const { hash, recipient, orderId } of fills) {
        const payer = promises.get(orderId)?.payer;
        this.#paid(keys.get(hash), [recipient, ...(payer === undefined ? [] : [payer])], `fill of ${orderId}`);
      }
      for (const { hash, recipient, useKey } of withdrawals) {
        const purpose = watch.purpose(useKey);
        if (purpose === undefined || released.has(`${purpose.fundingKey} ${purpose.leg}`)) continue;
        this.#recovered(watch.deposits.get(purpose.fundingKey), recipient);
        const depositor = watch.deposits.get(purpose.fundingKey)?.depositor;
        const parties = [recipient, ...(depositor === undefined ? [] : [depositor])];
        this.#paid(keys.get(hash), parties, `${purpose.leg} of ${purpose.fundingKey}`);
      }
    }
  }

  #recovered(deposit: FakeDeposit | undefined, recipient: string): void {
    const promise = this.#world.promises.get(deposit?.orderId ?? '');
    if (promise?.address?.recovery !== recipient) return;
    this.#world.seen('paid to a recovery address');
    const { payer, recipient: wanted, refundTo } = promise;
    if (![payer, wanted, refundTo].some((address) => this.#since(address) !== undefined))
      this.#say('recovered-for-nothing', `${deposit?.fundingKey} went to ${recipient}, and no party is blocked`);
  }

  #paid(keyId: string | undefined, parties: readonly string[], what: string): void {
    const signed = keyId === undefined ? undefined : this.#signed.get(keyId);
    if (signed === undefined) return;
    for (const address of parties) {
      const since = this.#since(address);
      if (since !== undefined && signed > since + MARGIN_MS)
        this.#say('paid-blocked', `${what} was signed ${signed - since} ms after ${address} was blocked`);
    }
  }

  #partiesOf({ recipient, requestId, fundingKey }: LegRow): readonly string[] {
    const { ledger } = this.#world;
    const request = requestId === null ? undefined : ledger.row('requests', requestId);
    const deposit = fundingKey === null ? undefined : ledger.row('deposits', fundingKey);
    return [recipient, request?.user, request?.recipient, deposit?.depositor].filter((one) => one !== undefined);
  }

  #since(address: string): number | undefined {
    return this.#world.screener?.since(address);
  }

  #say(rule: string, what: string): void {
    this.#world.findings.say(rule, what);
  }
}

function of({ fundingKey, kind }: LegRow): string {
  return `${fundingKey} ${kind}`;
}
