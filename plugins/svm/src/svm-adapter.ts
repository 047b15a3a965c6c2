import { createHash } from 'node:crypto';
import {
  type Aged,
  type Alerts,
  type Asker,
  type ChainAdapter,
  type ChainCapabilities,
  type ChainFacts,
  type ChainStatus,
  type Clock,
  type CostEstimate,
  type Currency,
  type DepositBatch,
  type DepositObservation,
  type DepositStep,
  type DepositStepsInput,
  EVERY_LEG,
  type FillRefusal,
  type FillWish,
  type FundingKey,
  formerLanes,
  type Hex,
  type KeyEvidence,
  type KeysByHistory,
  type KeyView,
  type LaneRef,
  type LegBatches,
  type LegCheck,
  type LegInstruction,
  type LegKind,
  type LegPaid,
  type Logger,
  type Metrics,
  type OrderId,
  type Parsed,
  type PotRef,
  type Prepared,
  type PrepareInput,
  type PrepareOutcome,
  type ProbeResult,
  type SendOutcome,
  type SetUpItem,
  type SetUpOptions,
  type Sighting,
  type SignedTransaction,
  type TransactionEntry,
  type TransferFee,
  type UnixMs,
  type UnixSeconds,
  type Wanted,
} from '@causeway/core';
import { HeadFeed, type HttpClient, Providers, quorumOf, Turns, witness } from '@causeway/core/rpc';
import { addressBytes, isNative, parseAddress } from './addresses.js';
import { OwnAccounts, readBalance } from './balances.js';
import { Blockhashes } from './blockhashes.js';
import type { ChainConfig } from './chain-config.js';
import { type CheckDeps, checkLeg, checkTogether } from './check.js';
import { type CostDeps, depositCost, legCost } from './costs.js';
import type { AddressKeys } from './deposit-addresses/address-keys.js';
import { depositAddresses } from './deposit-addresses/capability.js';
import type { SweepDeps } from './deposit-addresses/check-sweep.js';
import { isDepositorsMoney } from './depositors-money.js';
import { type DepositTarget, depositSteps } from './deposits.js';
import { describeTransaction } from './describe.js';
import { PriorityFees } from './fees.js';
import { acceptDepth } from './finality.js';
import { GatheredAccounts } from './gathered-accounts.js';
import { identify } from './identity.js';
import { lookAtKeys } from './look.js';
import { LookupTables } from './lookup-tables.js';
import { oversize } from './message.js';
import { askSent, Mints } from './mints.js';
import { Openings } from './openings.js';
import { paidAlone } from './paid-alone.js';
import { Payees, refuseAddress, refusePayee } from './payees.js';
import { probeChain } from './probe.js';
import { send } from './send.js';
import { lanePosition, paidBy, type SentDeps, sentSince, unfilledForGood } from './sent.js';
import { SentBook } from './sent-book.js';
import { setUp } from './set-up/set-up.js';
import type { Ed25519Signer } from './signer.js';
import { prepare, type SubmitterDeps, type SubmitterHead, sign } from './submitter.js';
import { associatedAccount } from './token-accounts.js';
import type { Solver, TokenFacts } from './transactions/build.js';
import { IncludedTransactions } from './transactions/included.js';
import { forgetRuns } from './unbroken-history.js';
import { verifyMessage } from './verify-message.js';
import { followDeposits } from './watch/deposit-watcher.js';
import { type Heads, headSource } from './watch/heads.js';
import type { Vault } from './watch/read-deposits.js';
import { testify } from './witness.js';

/** A message signed with an older head has little life left. */
const OLDEST_HEAD_MS = 20_000;

export interface SvmServices {
  readonly clock: Clock;
  readonly log: Logger;
  readonly alerts: Alerts;
  readonly metrics: Metrics;
}

export interface SvmSigners {
  readonly fill: Ed25519Signer;
  readonly vault: Ed25519Signer;
  /** Replaced fill signers: complete what they were given. */
  readonly former?: readonly Ed25519Signer[];
  /** Absent: no deposit addresses. */
  readonly sweeps?: {
    /** Pays for sweeps. */
    readonly payer: Ed25519Signer;
    readonly addresses: AddressKeys;
  };
  /** Another key by reference, for `setUp` only. */
  byReference?(reference: string): Ed25519Signer;
}

function solverOf({ fill, vault, sweeps, former = [] }: SvmSigners): Solver {
  const replaced = { former: former.map(({ address }) => address) };
  return { fill: fill.address, vault: vault.address, ...replaced, ...(sweeps && { sweeper: sweeps.payer.address }) };
}

const MAX_CONCURRENT_SIMULATIONS = 8;
const MAX_QUEUED_SIMULATIONS = 64;

/** Contracts of the methods: `ChainAdapter`. No network access before `start`. */
export class SvmAdapter implements ChainAdapter {
  readonly facts: ChainFacts;
  readonly capabilities: ChainCapabilities;
  readonly lanes: readonly LaneRef[];
  readonly keys: KeysByHistory;
  readonly batches?: LegBatches;
  readonly providers: Providers;
  readonly #config: ChainConfig;
  readonly #signers: SvmSigners;
  readonly #services: SvmServices;
  readonly #solver: Solver;
  readonly #vault: Vault;
  readonly #vaultAccounts: readonly string[];
  readonly #feed: Heads;
  readonly #fees: PriorityFees;
  readonly #accounts: OwnAccounts;
  readonly #mints: Mints;
  readonly #openings: Openings;
  readonly #payees: Payees;
  readonly #tables: LookupTables;
  readonly #target: DepositTarget;
  readonly #costs: CostDeps;
  readonly #checker: CheckDeps;
  readonly #submitter: SubmitterDeps;
  readonly #sent: SentDeps;
  readonly #included = new IncludedTransactions();
  readonly #blockhashes: Blockhashes;

  constructor(config: ChainConfig, signers: SvmSigners, services: SvmServices) {
    this.#config = config;
    this.#signers = signers;
    this.#services = services;
    const { endpoints, genesisHash, rpc, path, programs, lookupTables, fees, pace } = config;
    const solver = solverOf(signers);
    this.#solver = solver;
    this.#blockhashes = new Blockhashes(services.clock);
    this.facts = Object.freeze({ ...config.facts, depository: solver.vault, depositoryVault: solver.vault });
    const sweeping: readonly LaneRef[] =
      solver.sweeper === undefined ? [] : [{ signer: solver.sweeper, sends: ['sweep'] }];
    const { former = [] } = solver;
    this.lanes = Object.freeze([{ signer: solver.fill, sends: EVERY_LEG }, ...sweeping, ...formerLanes(former)]);
    if (config.batches.most > 1) this.batches = Object.freeze({ ...config.batches, gatherMs: 0 });
    const tokenAccounts = (owner: string): ReadonlyMap<string, string> =>
      new Map([...programs].map(([mint, program]) => [associatedAccount(mint, owner, program), mint]));
    this.#vault = {
      ...{ chainId: this.facts.id, address: solver.vault, accounts: tokenAccounts(solver.vault) },
      own: new Set([solver.vault, ...this.lanes.map(({ signer }) => signer)]),
      ...(solver.sweeper !== undefined && { sweeper: solver.sweeper }),
    };
    this.#vaultAccounts = [solver.vault, ...this.#vault.accounts.keys()];
    const identity = (client: HttpClient) => identify(client, genesisHash);
    const { id: chainId, blockTimeMs } = this.facts;
    this.providers = new Providers({ chainId, path, endpoints, blockTimeMs, identify: identity, ...rpc }, services);
    // A provider that returns may have another ledger.
    this.providers.onChange(() => {
      for (const { rpc } of this.providers.usable()) forgetRuns(rpc);
    });
    this.#feed = new HeadFeed(headSource(this.#vaultAccounts), this.providers, pace, services);
    this.#fees = new PriorityFees(fees, [solver.fill, ...tokenAccounts(solver.fill).keys()], services, this.providers);
    this.#accounts = new OwnAccounts(config, this.providers, solver, services);
    this.#mints = new Mints(config, this.providers, services);
    this.#openings = new Openings(config, this.providers, services);
    this.#tables = new LookupTables(lookupTables, this.providers, services);
    const tokenOf = (currency: string) => this.#tokenOf(currency);
    const tables = this.#tables;
    this.#target = {
      ...{ chainId: this.facts.id, vault: solver.vault, tokenOf },
      arriving: (currency: string, sent: bigint) => this.#mints.arriving(currency, sent),
      get lookupTables() {
        return tables.current.map(({ key }) => key.toBase58());
      },
    };
    this.#costs = {
      fees: this.#fees,
      costBuffer: config.costBuffer,
      rentOf: (currency) => this.#mints.rentOf(currency),
      keptOf: (currency) => this.#mints.keptOf(currency),
      mustOpen: (currency, recipient) => this.#openings.mustOpen(currency, recipient),
      leastBalance: () => this.#mints.leastBalance,
    };
    const { sweeps } = signers;
    this.capabilities = Object.freeze({
      depositFeePayer: true,
      verifyMessage,
      ...(sweeps && {
        depositAddresses: depositAddresses({ keys: sweeps.addresses, target: this.#target, providers: this.providers }),
      }),
    });
    const accounts = new GatheredAccounts();
    const turns = new Turns(MAX_CONCURRENT_SIMULATIONS, MAX_QUEUED_SIMULATIONS);
    this.#payees = new Payees(solver, { providers: this.providers, accounts, turns }, services);
    this.#checker = {
      ...{ solver, providers: this.providers, turns, tokenOf, openings: this.#openings, accounts },
      rentOf: (currency) => this.#mints.rentOf(currency),
      latest: () => this.#feed.current,
      sentFor: (currency, amount, provider) => askSent(config, provider, currency, amount),
      ...(sweeps && { sweeps: this.#sweepDeps(sweeps) }),
    };
    this.#submitter = {
      ...{ chainId: this.facts.id, solver, tokenOf },
      signers: [signers.fill, signers.vault, ...(signers.former ?? []), ...(sweeps ? [sweeps.payer] : [])],
      ...(sweeps && { addresses: sweeps.addresses }),
      rentOf: (currency) => this.#mints.rentOf(currency),
      head: () => this.#freshHead(),
      price: () => this.#fees.price(),
      laneBalance: (signer, currency) => this.laneBalance(signer, currency),
    };
    const { providers } = this;
    const book = new SentBook(solver.fill, services.clock);
    const [, ...rest] = this.lanes;
    const others = new Map(rest.map(({ signer }) => [signer, new SentBook(signer, services.clock)]));
    const sent: SentDeps = { ...{ solver, providers, book, others, floor: () => this.#feed.floor() } };
    this.#sent = sent;
    this.keys = {
      by: 'history',
      lanePosition: () => lanePosition(sent),
      sentSince: (signer, ledger, start) => sentSince(sent, ledger, start, signer),
    };
  }

  #sweepDeps({ payer, addresses }: NonNullable<SvmSigners['sweeps']>): SweepDeps {
    return {
      ...{ solver: { ...this.#solver, sweeper: payer.address }, addresses, providers: this.providers },
      tokenOf: (currency) => this.#tokenOf(currency),
      latest: () => this.#feed.current,
      floor: () => this.#feed.floor(),
      leastBalance: () => this.#mints.leastBalance,
      withholds: (currency) => this.#mints.withholds(currency),
    };
  }

  /**
   * Connects and keeps heads, fees, balances and mints up to date.
   * @throws when a provider serves another chain. Dead providers and missing accounts only degrade `status()`.
   */
  async start(): Promise<void> {
    await this.providers.start();
    this.#feed.onHead((head) => {
      this.#fees.onHead(head);
      this.#accounts.onHead(head);
      this.#mints.onHead(head);
      this.#openings.onHead(head);
      this.#tables.onHead(head);
    });
    this.#feed.start();
    if (this.providers.active() !== undefined) await this.#firstHead();
  }

  async stop(): Promise<void> {
    this.providers.stop();
    await this.#feed.stop();
  }

  /** Fills the caches before the start ends, unless the chain is silent. */
  async #firstHead(): Promise<void> {
    await this.#feed.changed(undefined, AbortSignal.timeout(this.#config.rpc.timeoutMs));
    const provider = this.#feed.current?.provider;
    if (provider === undefined) return;
    const warm = [this.#fees, this.#accounts, this.#mints, this.#tables];
    await Promise.all(warm.map((each) => each.refresh(provider)));
  }

  #tokenOf(currency: string): (TokenFacts & { readonly symbol: string }) | undefined {
    const program = this.#config.programs.get(currency);
    const known = this.#config.currencies.get(currency);
    if (program === undefined || known === undefined) return undefined;
    return { program, decimals: known.decimals, symbol: known.symbol };
  }

  #freshHead(): SubmitterHead | undefined {
    const head = this.#feed.current;
    if (head === undefined || this.#services.clock.now() - head.at > OLDEST_HEAD_MS) return undefined;
    return head;
  }

  parseAddress(text: string): Parsed {
    return parseAddress(text);
  }

  addressBytes(address: string): Uint8Array {
    return addressBytes(address);
  }

  refuseAddress(address: string): string | undefined {
    return refuseAddress(address);
  }

  refuseAccount(address: string): Promise<string | undefined> {
    return this.#payees.refuseAccount(address);
  }

  isTokenContract(address: string): boolean {
    return this.currency(address)?.isNative === false;
  }

  currency(address: string): Currency | undefined {
    return this.#config.currencies.get(address);
  }

  currencies(): readonly Currency[] {
    return [...this.#config.currencies.values()];
  }

  orderExtraData(): Hex {
    return '0x';
  }

  status(): ChainStatus {
    const current = this.#feed.current;
    const head = current === undefined ? null : { value: current.height, at: current.at };
    const reason =
      this.providers.trouble() ?? this.#staleness(head) ?? this.#mints.problem() ?? this.#accounts.problem();
    return { healthy: reason === null, reason, head, providers: this.providers.report };
  }

  /** A stopped chain is unhealthy even if its providers answer. */
  #staleness(head: Aged<number> | null): string | null {
    if (head === null) return 'no block seen yet';
    const age = this.#services.clock.now() - head.at;
    const most = Math.max(30_000, this.facts.blockTimeMs * 10);
    return age > most ? `no new block for ${Math.round(age / 1000)} s` : null;
  }

  legCost(kind: LegKind, currency: string, recipient?: string): CostEstimate | undefined {
    return legCost(this.#costs, kind, currency, recipient);
  }

  refuseFill(wish: FillWish): FillRefusal | undefined {
    return refusePayee(this.#solver, wish);
  }

  leastLeft(currency: string): bigint | undefined {
    return isNative(currency) ? this.#mints.leastBalance : undefined;
  }

  /** Recipients cannot influence a fill's cost, so only its feasibility is checked. */
  fillCost(wish: FillWish, asker?: Asker): Promise<Extract<LegCheck, { ok: false }> | undefined> {
    return this.#payees.refuse(wish, asker);
  }

  depositCost(currency: string): CostEstimate | undefined {
    return depositCost(this.#costs, currency);
  }

  laneBalance(signer: string, currency: string): Aged<bigint> | undefined {
    return this.#accounts.get(signer, currency);
  }

  userBalance(address: string, currency: string): Promise<bigint> {
    return this.providers.onSide('trials', (provider) => readBalance(provider, this.#config, address, currency));
  }

  potBalance({ owner }: PotRef, currency: string): Promise<bigint> {
    return this.providers.run((provider) => readBalance(provider, this.#config, owner, currency));
  }

  transferFee(currency: string): TransferFee | undefined {
    if (this.#mints.keptOf(currency) === 0) return undefined;
    return {
      arriving: (sent) => this.#mints.arriving(currency, sent),
      sentFor: (arriving) => this.#mints.sentFor(currency, arriving),
    };
  }

  depositSteps(input: DepositStepsInput): readonly DepositStep[] {
    return depositSteps(this.#target, input);
  }

  oversize(steps: readonly DepositStep[]): { readonly bytes: number; readonly limit: number } | undefined {
    return oversize(steps, this.#tables.current);
  }

  watchDeposits(
    cursor: string | undefined,
    signal: AbortSignal,
    { isPromised, addresses }: Wanted = { isPromised: async () => new Set() },
  ): AsyncIterable<DepositBatch> {
    const { providers } = this;
    const { programs } = this.#config;
    const book = this.capabilities.depositAddresses && addresses;
    const watched = {
      ...{ vault: this.#vault, accounts: this.#vaultAccounts, providers, feed: this.#feed, isPromised },
      ...(book && { addresses: { book, programs } }),
    };
    return followDeposits({ ...this.#services, ...watched }, cursor, signal);
  }

  hint(_transactionHash: string): void {
    this.#feed.hint();
  }

  acceptDepth(valueMicroUsd: bigint): number {
    return acceptDepth(this.#config, valueMicroUsd);
  }

  quorum(valueMicroUsd: bigint): number {
    return quorumOf(this.#config.quorum, valueMicroUsd);
  }

  witness(sightings: readonly Sighting[]): Promise<readonly boolean[]> {
    return witness(this.providers, sightings, (provider, sighting) => testify(this.#vault, provider, sighting));
  }

  async check(leg: LegInstruction, signer?: string, asker?: Asker): Promise<LegCheck> {
    const isOther = this.lanes.some((lane) => lane.signer === signer && !lane.sends.includes(leg.kind));
    if (!isOther) return checkLeg(this.#checker, leg, signer, asker);
    return { ok: false, kind: 'refused', reason: 'UNKNOWN', message: `${signer} sends no ${leg.kind} legs` };
  }

  checkTogether(
    legs: readonly LegInstruction[],
    signer?: string,
  ): ReturnType<NonNullable<ChainAdapter['checkTogether']>> {
    return checkTogether(this.#checker, legs, signer);
  }

  paidBy(leg: LegInstruction, since: UnixMs): Promise<LegPaid | undefined> {
    return paidBy(this.#sent, leg, since);
  }

  async prepare(input: PrepareInput): Promise<PrepareOutcome> {
    return prepare(this.#submitter, input);
  }

  async sign(prepared: Prepared, signer: string): Promise<SignedTransaction> {
    return sign(this.#submitter, prepared, signer);
  }

  send(transaction: SignedTransaction): Promise<SendOutcome> {
    this.#feed.expect();
    return send({ providers: this.providers, blockhashes: this.#blockhashes }, transaction);
  }

  look(keys: readonly KeyView[]): Promise<readonly KeyEvidence[]> {
    const { providers } = this;
    return lookAtKeys({ solver: this.#solver, providers, feed: this.#feed, included: this.#included }, keys);
  }

  unfilledForGood(orderId: OrderId, deadline: UnixSeconds, since: UnixMs): Promise<boolean> {
    return unfilledForGood(this.#sent, orderId, deadline, since);
  }

  paidAlone(transfer: Pick<DepositObservation, 'transactionHash' | 'depositor'>): Promise<boolean> {
    return this.providers.run((provider) => paidAlone(this.#vault, provider, transfer));
  }

  isDepositorsMoney(transfer: Pick<DepositObservation, 'transactionHash' | 'depositor'>): Promise<boolean> {
    return this.providers.run((provider) => isDepositorsMoney(this.#vault, provider, transfer));
  }

  describeTransaction(hash: string): Promise<TransactionEntry | undefined> {
    return this.providers.describe((provider) => describeTransaction(provider, this.#config, this.#solver, hash));
  }

  useKey(fundingKey: FundingKey, leg: string): Hex {
    return `0x${createHash('sha256').update(`${fundingKey}:${leg}`).digest('hex')}`;
  }

  probe(signal: AbortSignal): Promise<readonly ProbeResult[]> {
    return probeChain(this.#config, this.#solver, signal);
  }

  setUp(options: SetUpOptions): AsyncIterable<SetUpItem> {
    return setUp(this.#config, this.#signers, this.#services, options);
  }
}
