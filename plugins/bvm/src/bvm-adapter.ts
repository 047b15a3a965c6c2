import { createHash } from 'node:crypto';
import {
  type AddressStepInput,
  type Aged,
  type ChainAdapter,
  type ChainCapabilities,
  type ChainFacts,
  type ChainStatus,
  type Clock,
  type CostEstimate,
  type Currency,
  type DepositAddresses,
  type DepositBatch,
  type DepositObservation,
  type DepositStep,
  type DepositStepsInput,
  EVERY_LEG,
  type FillRefusal,
  type FillWish,
  type FundingKey,
  type Hex,
  type KeyEvidence,
  type KeysByPosition,
  type KeyView,
  type LaneRef,
  type LegBatches,
  type LegCheck,
  type LegInstruction,
  type LegKind,
  type LegPaid,
  type OrderId,
  type Parsed,
  type PayerUtxos,
  type PotRef,
  type Prepared,
  type PrepareInput,
  type PrepareOutcome,
  type ProbeResult,
  type ReplaceInput,
  type SendOutcome,
  type Sighting,
  type SignedTransaction,
  type TransactionEntry,
  type UnixMs,
  type UnixSeconds,
  type Wanted,
} from '@causeway/core';
import { quorumOf } from '@causeway/core/rpc';
import type { AddressKeys, Signers } from './address-keys.js';
import { addressBytes, isNative, isPlaceholder, NATIVE, parseAddress, refuseAddress } from './addresses.js';
import { userBalance } from './balances.js';
import type { ChainConfig } from './chain-config.js';
import { type ChainServices, ChainView } from './chain-view.js';
import { depositCost } from './costs.js';
import { addressSteps, type DepositTarget, depositSteps } from './deposits.js';
import { describeTransaction } from './describe.js';
import { acceptDepth } from './finality.js';
import { Lane } from './lane/lane.js';
import { verifyMessage } from './messages/verify-message.js';
import { paidAlone } from './paid-alone.js';
import { Esplora } from './payer/esplora.js';
import type { PayerCoin, PayerSource } from './payer/payer-coins.js';
import { payerUtxos } from './payer/payer-utxos.js';
import { asNodeHas } from './payer/unspent.js';
import { probeChain } from './probe.js';
import type { OutputSigner } from './signer.js';

export interface BvmSigners {
  readonly fill: OutputSigner;
  readonly depository: OutputSigner;
  /** Absent: no deposit addresses. */
  readonly addresses?: AddressKeys;
}

/** Blocks within which a sufficient fee nearly always confirms. */
const INCLUSION_BLOCKS = 20;
/** Wait for the first UTXO scan, which takes minutes on a large chain; the start then continues degraded. */
const FIRST_LOOK_MS = 5_000;

/** No network access before `start`; the contract is at `ChainAdapter`. */
export class BvmAdapter implements ChainAdapter {
  readonly facts: ChainFacts;
  readonly capabilities: ChainCapabilities;
  readonly lanes: readonly LaneRef[];
  readonly keys: KeysByPosition;
  readonly batches: LegBatches;
  readonly view: ChainView;
  readonly #config: ChainConfig;
  readonly #own: { readonly lane: string; readonly depository: string };
  readonly #lane: Lane;
  readonly #target: DepositTarget;
  readonly #payers: PayerSource | undefined;
  readonly #clock: Clock;

  constructor(config: ChainConfig, { fill, depository, addresses }: BvmSigners, services: ChainServices) {
    const { facts, network, payers } = config;
    this.#config = config;
    this.#clock = services.clock;
    this.#own = { lane: fill.address, depository: depository.address };
    this.facts = Object.freeze({
      ...facts,
      ...{ depository: depository.address, depositoryVault: depository.address },
      inclusionWindowMs: INCLUSION_BLOCKS * facts.blockTimeMs,
      refundsSpendDeposits: true as const,
    });
    this.lanes = Object.freeze([{ signer: fill.address, sends: EVERY_LEG }]);
    this.view = new ChainView(config, this.#own, services);
    const signers: Signers = { lane: fill, depository, ...(addresses === undefined ? {} : { addresses }) };
    this.#lane = new Lane(config, this.view, signers, services);
    const lane = this.#lane;
    this.keys = {
      by: 'position',
      lanePosition: (_signer, at) => lane.position(at),
      positionAhead: (chain, ledger) => lane.positionAhead(chain, ledger),
      keysBetween: (_signer, ledger, chain) => lane.keysBetween(ledger, chain),
      spenderOf: (key) => lane.spenderOf(key),
    };
    this.batches = this.#lane.batches;
    this.#target = { chainId: facts.id, network, depository: depository.address, symbol: facts.currency.symbol };
    const source = payers && new Esplora({ urls: payers.esplora, timeoutMs: payers.timeoutMs }, services);
    this.#payers = source;
    const { providers } = this.view;
    const found = source && {
      ...{ network, depository: depository.address, source, fees: this.#lane.fees, log: services.log },
      verify: (script: Uint8Array, coins: readonly PayerCoin[]) =>
        providers.onSide('trials', (provider) => asNodeHas(provider, script, coins)),
    };
    const lookUp: PayerUtxos | false = found ? (wish) => payerUtxos(found, wish) : false;
    this.capabilities = Object.freeze({
      ...(addresses === undefined ? {} : { depositAddresses: this.#depositAddresses(addresses) }),
      payerUtxos: lookUp,
      verifyMessage: (address: string, text: string, signature: string) =>
        verifyMessage(address, text, signature, network),
    });
  }

  /** No sweeps: refunds and collects spend a deposit where it is. */
  #depositAddresses(keys: AddressKeys): DepositAddresses {
    return Object.freeze({
      derive: (salt: Hex) => keys.signer(salt).address,
      steps: (input: AddressStepInput) => addressSteps(this.#target, input),
      ...{ supersedes: true, watchesAll: true },
      held: (addresses: readonly string[], currency: string) => this.#heldAt(addresses, currency),
    } as const);
  }

  /** Addresses that this process does not follow are looked up like payers' addresses. */
  async #heldAt(addresses: readonly string[], currency: string): Promise<readonly bigint[]> {
    if (!isNative(currency)) throw new Error(`no currency ${currency}`);
    const held = await this.view.held(addresses);
    return Promise.all(addresses.map((address, n) => held[n] ?? this.userBalance(address)));
  }

  /** @throws when a provider serves another chain. Dead providers and an empty lane only degrade `status()`. */
  async start(): Promise<void> {
    await this.view.start();
    this.#lane.start();
    if (this.view.providers.active() === undefined) return;
    const patience = AbortSignal.timeout(FIRST_LOOK_MS);
    await this.view.feed.changed(undefined, patience);
    const head = this.view.feed.current;
    if (head !== undefined) await this.view.coins.upTo(head.height, patience);
    await this.#lane.warm();
  }

  async stop(): Promise<void> {
    this.#lane.stop();
    await this.view.stop();
  }

  /** Accepts the sentinel and the payer of previews; `check` refuses to pay them. */
  parseAddress(text: string): Parsed {
    if (isNative(text)) return { ok: true, value: NATIVE };
    if (isPlaceholder(text, this.#config.network)) return { ok: true, value: text };
    return parseAddress(text, this.#config.network);
  }

  addressBytes(address: string): Uint8Array {
    return addressBytes(address, this.#config.network);
  }

  /** No tokens in this family. */
  refuseAddress(address: string): string | undefined {
    return refuseAddress(address, this.#config.network);
  }

  isTokenContract(): boolean {
    return false;
  }

  currency(address: string): Currency | undefined {
    return isNative(address) ? this.facts.currency : undefined;
  }

  currencies(): readonly Currency[] {
    return [this.facts.currency];
  }

  orderExtraData(): Hex {
    return '0x';
  }

  status(): ChainStatus {
    const reason = this.view.problem();
    return { healthy: reason === null, reason, head: this.view.head(), providers: this.view.providers.report };
  }

  legCost(kind: LegKind, _currency: string, recipient?: string, fundingKey?: FundingKey): CostEstimate | undefined {
    return this.#lane.legCost(kind, recipient, fundingKey);
  }

  refuseFill(wish: FillWish): FillRefusal | undefined {
    return this.#lane.refuseFill(wish);
  }

  depositCost(): CostEstimate | undefined {
    return depositCost({ fees: this.#lane.fees });
  }

  /** Confirmed only. */
  laneBalance(signer: string, currency: string): Aged<bigint> | undefined {
    const { coins } = this.view;
    const head = this.view.head();
    if (signer !== this.#own.lane || !isNative(currency) || coins.at === undefined || head === null) return undefined;
    return { value: coins.balance(signer), at: head.at };
  }

  userBalance(address: string): Promise<bigint> {
    if (isPlaceholder(address, this.#config.network)) return Promise.resolve(0n);
    const { providers } = this.view;
    return userBalance({ config: this.#config, providers, payers: this.#payers, clock: this.#clock }, address);
  }

  potBalance({ owner }: PotRef): Promise<bigint> {
    return this.view.balance(owner);
  }

  depositSteps(input: DepositStepsInput): readonly DepositStep[] {
    return depositSteps(this.#target, input);
  }

  watchDeposits(cursor: string | undefined, signal: AbortSignal, wanted?: Wanted): AsyncIterable<DepositBatch> {
    return this.view.watchDeposits(cursor, signal, wanted?.isPromised, wanted?.addresses);
  }

  hint(transactionHash: string): void {
    this.view.hint(transactionHash);
  }

  acceptDepth(valueMicroUsd: bigint): number {
    return acceptDepth(this.#config, valueMicroUsd);
  }

  quorum(valueMicroUsd: bigint): number {
    return quorumOf(this.#config.quorum, valueMicroUsd);
  }

  witness(sightings: readonly Sighting[]): Promise<readonly boolean[]> {
    return this.view.witness(sightings);
  }

  isBusy(_signer: string, position: string): boolean {
    return this.#lane.isBusy(position);
  }

  check(leg: LegInstruction): Promise<LegCheck> {
    return this.#lane.check(leg);
  }

  paidBy(leg: LegInstruction, since: UnixMs): Promise<LegPaid | undefined> {
    return this.#lane.paidBy(leg, since);
  }

  prepare(input: PrepareInput): Promise<PrepareOutcome> {
    return this.#lane.prepare(input);
  }

  replace(input: ReplaceInput): Promise<PrepareOutcome> {
    return this.#lane.replace(input);
  }

  sign(prepared: Prepared, signer: string): Promise<SignedTransaction> {
    return this.#lane.sign(prepared, signer);
  }

  send(transaction: SignedTransaction): Promise<SendOutcome> {
    return this.#lane.send(transaction);
  }

  look(keys: readonly KeyView[]): Promise<readonly KeyEvidence[]> {
    return this.#lane.look(keys);
  }

  unfilledForGood(orderId: OrderId, deadline: UnixSeconds, since: UnixMs, recipient?: string): Promise<boolean> {
    return this.#lane.unfilledForGood(orderId, deadline, since, recipient);
  }

  paidAlone(transfer: Pick<DepositObservation, 'transactionHash' | 'depositor'>): Promise<boolean> {
    const { network } = this.#config;
    return this.view.providers.run((provider) => paidAlone(provider, network, transfer));
  }

  /** The owners of the spent outputs signed for them: no one else paid. */
  isDepositorsMoney(transfer: Pick<DepositObservation, 'transactionHash' | 'depositor'>): Promise<boolean> {
    return this.paidAlone(transfer);
  }

  describeTransaction(hash: string): Promise<TransactionEntry | undefined> {
    const { facts, network } = this.#config;
    return this.view.providers.describe((provider) => describeTransaction(provider, facts.id, network, hash));
  }

  useKey(fundingKey: FundingKey, leg: string): Hex {
    return `0x${createHash('sha256').update(`${fundingKey}:${leg}`).digest('hex')}`;
  }

  probe(signal: AbortSignal): Promise<readonly ProbeResult[]> {
    return probeChain(this.#config, this.#own, signal);
  }
}
