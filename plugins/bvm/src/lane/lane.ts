import type {
  Clock,
  CostEstimate,
  FillRefusal,
  FillWish,
  FundingKey,
  KeyEvidence,
  KeySpender,
  KeyView,
  LegBatches,
  LegCheck,
  LegInstruction,
  LegKind,
  LegPaid,
  Logger,
  OrderId,
  Prepared,
  PrepareInput,
  PrepareOutcome,
  ReplaceInput,
  SendOutcome,
  SignedTransaction,
  UnixMs,
  UnixSeconds,
} from '@causeway/core';
import type { Signers } from '../address-keys.js';
import type { ChainConfig } from '../chain-config.js';
import type { ChainView } from '../chain-view.js';
import { type CheckDeps, checkLeg, refuseOutput } from '../check.js';
import { legCost } from '../costs.js';
import { FeeRates } from '../fees.js';
import { outpointsOf } from '../funding-key.js';
import { writeKey } from '../keys.js';
import { type LookDeps, lookAtKeys, Missing } from '../look.js';
import { readPosition, serialsBetween } from '../position.js';
import { send } from '../send.js';
import { lanePosition, paidBy, type SentDeps, spenderOf, unfilledForGood } from '../sent.js';
import { anchorOfTerms, isBusy, prepare, replace, type SubmitterDeps, sign } from '../submitter.js';
import { mostLegs } from '../transactions/references.js';
import { IncludedTransactions } from './included.js';
import { LaneWatch } from './lane-state.js';
import { otherAnchor, proveUndone } from './void.js';
import { waitsSomewhere } from './waiting.js';

/** Tags with fewer bits identify too little. */
const MIN_BITS = 6;

export class Lane {
  readonly batches: LegBatches;
  readonly #config: ChainConfig;
  readonly #view: ChainView;
  readonly #watch: LaneWatch;
  readonly #fees: FeeRates;
  readonly #signers: Signers;
  readonly #submitter: SubmitterDeps;
  readonly #checker: CheckDeps;
  readonly #sent: SentDeps;
  readonly #look: LookDeps;
  #unfollow: () => void = () => undefined;

  constructor(
    config: ChainConfig,
    view: ChainView,
    signers: Signers,
    services: { readonly clock: Clock; readonly log: Logger },
  ) {
    const { network, facts, fees, batches, depth } = config;
    const { providers, coins, feed } = view;
    this.#config = config;
    this.#view = view;
    this.#signers = signers;
    const most = Math.min(batches.most, mostLegs(network.opReturnBytes, MIN_BITS));
    this.batches = Object.freeze({ most, gatherMs: batches.waitMs });
    this.#watch = new LaneWatch({ lane: signers.lane, coins, providers, log: services.log });
    this.#fees = new FeeRates(fees, services);
    const state = () => this.#watch.current;
    const own = { chainId: facts.id, network, signers };
    const finalHeight = () => feed.current?.finalized.height ?? 0;
    this.#submitter = { ...own, state, coins, fees: this.#fees, finalHeight };
    const floor = () => feed.floor();
    const onBehind = () => feed.poke();
    this.#sent = { ...own, providers, coins, watch: this.#watch, floor, onBehind, finalityDepth: depth };
    const { collectBelow } = config;
    this.#checker = { ...own, providers, state, lane: this.#sent, fees: this.#fees, collectBelow };
    this.#look = { ...this.#sent, missing: new Missing(), included: new IncludedTransactions() };
  }

  /** Keeps fees and the anchor up to date. Call it after the view's start. */
  start(): void {
    const { feed, providers } = this.#view;
    const ends = [
      this.#fees.follow(providers),
      feed.onHead(() => {
        if (this.#fees.rate() === undefined) void this.#fees.refresh(providers);
      }),
      this.#watch.follow(),
    ];
    this.#unfollow = () => {
      for (const end of ends) end();
    };
  }

  stop(): void {
    this.#unfollow();
  }

  async warm(): Promise<void> {
    await Promise.all([this.#fees.refresh(this.#view.providers), this.#watch.refresh()]);
  }

  /** Satoshis per 1,000 vbytes. No I/O. */
  get fees(): FeeRates {
    return this.#fees;
  }

  legCost(kind: LegKind, recipient: string | undefined, fundingKey?: FundingKey): CostEstimate | undefined {
    const { network, costBuffer, facts } = this.#config;
    const coins = (this.#watch.current?.free.length ?? 0) + 1;
    const outputs = fundingKey === undefined ? 1 : (outpointsOf(facts.id, fundingKey)?.length ?? 1);
    const deps = { network, solver: this.#signers, fees: this.#fees, costBuffer, coins };
    return legCost(deps, kind, recipient, outputs);
  }

  isBusy(position: string): boolean {
    return isBusy(this.#submitter, readPosition(position));
  }

  position(at?: 'pool' | 'final'): Promise<string> {
    return lanePosition(this.#sent, at);
  }

  positionAhead(chain: string, ledger: string): boolean {
    return readPosition(chain).serial > readPosition(ledger).serial;
  }

  keysBetween(ledger: string, chain: string): readonly string[] {
    const lane = this.#signers.lane.address;
    return serialsBetween(ledger, chain).map((serial) => writeKey({ lane, serial, outpoint: undefined }));
  }

  spenderOf(key: string): Promise<KeySpender | undefined> {
    return spenderOf(this.#sent, key);
  }

  refuseFill(wish: FillWish): FillRefusal | undefined {
    return refuseOutput(this.#checker, { kind: 'fill', ...wish });
  }

  check(leg: LegInstruction): Promise<LegCheck> {
    return checkLeg(this.#checker, leg);
  }

  paidBy(leg: LegInstruction, since: UnixMs): Promise<LegPaid | undefined> {
    return paidBy(this.#sent, leg, since);
  }

  async prepare(input: PrepareInput): Promise<PrepareOutcome> {
    return prepare(this.#submitter, input);
  }

  async replace(input: ReplaceInput): Promise<PrepareOutcome> {
    const other = otherAnchor(this.#submitter, input);
    if (!this.#config.network.rbf) {
      const waits = await waitsSomewhere(this.#view.providers, other ?? anchorOfTerms(input.previousFees));
      if (waits) return waits;
    }
    if (other !== undefined) {
      const proof = await proveUndone(this.#sent, input);
      if (!proof.ok) return proof;
    }
    return replace(this.#submitter, input);
  }

  async sign(prepared: Prepared, signer: string): Promise<SignedTransaction> {
    return sign(this.#submitter, prepared, signer);
  }

  send(transaction: SignedTransaction): Promise<SendOutcome> {
    return send(this.#view.providers, transaction);
  }

  look(keys: readonly KeyView[]): Promise<readonly KeyEvidence[]> {
    return lookAtKeys(this.#look, keys);
  }

  unfilledForGood(orderId: OrderId, deadline: UnixSeconds, since: UnixMs, recipient?: string): Promise<boolean> {
    return unfilledForGood(this.#sent, orderId, deadline, since, recipient);
  }
}
