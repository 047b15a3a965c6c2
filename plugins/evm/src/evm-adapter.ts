import type {
  Aged,
  Alerts,
  Asker,
  ChainAdapter,
  ChainCapabilities,
  ChainFacts,
  ChainStatus,
  Clock,
  CostEstimate,
  Currency,
  DepositBatch,
  DepositObservation,
  DepositStep,
  DepositStepsInput,
  FillRefusal,
  FillWish,
  FundingKey,
  Hex,
  KeyEvidence,
  KeysByPosition,
  KeyView,
  LaneRef,
  LegBatches,
  LegCheck,
  LegInstruction,
  LegKind,
  LegPaid,
  Logger,
  Metrics,
  OrderId,
  Parsed,
  PotRef,
  Prepared,
  PrepareInput,
  PrepareOutcome,
  ProbeResult,
  ReplaceInput,
  RevertedExecution,
  SendOutcome,
  SetUpItem,
  SetUpOptions,
  Sighting,
  SignedTransaction,
  TransactionEntry,
  TransferFee,
  TriedTogether,
  UnixSeconds,
  Wanted,
} from '@causeway/core';
import { HeadFeed, type HttpClient, Providers, quorumOf, Turns, witness } from '@causeway/core/rpc';
import { encodeAbiParameters, encodeFunctionData } from 'viem/utils';
import { routerAbi } from './abi.js';
import { addressBytes, currencyKey, isNative, NATIVE, parseAddress, refuseAddress } from './addresses.js';
import { readAuthorization } from './authorizations.js';
import { LaneBalances, readBalance } from './balances.js';
import { accountOf } from './call-account.js';
import { contractsOf } from './calls.js';
import type { ChainConfig } from './chain-config.js';
import { type CheckDeps, checkLeg } from './check.js';
import { checkTogether } from './check-together.js';
import type { Roles } from './contracts-check.js';
import { costOfWork, depositCost, legCost, withBuffer } from './costs.js';
import { depositAddresses } from './deposit-addresses/deposit-addresses.js';
import { readRangeKey } from './deposit-addresses/funding-key.js';
import { isDepositorsMoney } from './depositors-money.js';
import { depositSteps } from './deposits.js';
import { Described, describeTransaction } from './describe.js';
import { encodeCall } from './destination-calls.js';
import type { EvmSigners } from './evm-signers.js';
import { Eip1559Fees } from './fees.js';
import { FillCosts } from './fill-cost.js';
import { acceptDepth, finalizedBlock } from './finality.js';
import { Fitness } from './fitness.js';
import { PassedCalls } from './gasless/passed-calls.js';
import { rawCalls } from './gasless/raw-calls.js';
import { identify } from './identity.js';
import { keccakOfText } from './keccak.js';
import { Landed } from './landed.js';
import { lanePosition } from './lane-position.js';
import { lanesOf, rolesOf } from './lanes.js';
import { Spans } from './logs/spans.js';
import { lookAtKeys } from './look.js';
import { NeededWork } from './needed-work.js';
import { nonceMappings } from './nonce-mappings.js';
import { OwnTrials } from './own-trials.js';
import { paidBy } from './paid.js';
import { paidAlone } from './paid-alone.js';
import { payerSwaps } from './payer-swaps/payer-swaps.js';
import { revertedExecution } from './payer-swaps/reverted.js';
import { permitsOf } from './permits/permits.js';
import { isPersonalSignature } from './personal-sign.js';
import { probeChain } from './probe.js';
import { Recipients, refusedPayee } from './recipients.js';
import { RemoteAccounts } from './remote/remote-accounts.js';
import { quantity } from './rpc/types.js';
import { setUp } from './set-up/set-up.js';
import { keysBetween, spenderOf } from './spender.js';
import { prepare, replace, type SubmitterDeps, send, sign } from './submitter.js';
import { KeptParts } from './transfer-fees.js';
import { CarriedIdReader } from './watch/carried-ids.js';
import { followDeposits } from './watch/deposit-watcher.js';
import { type Head, type Heads, headSource } from './watch/heads.js';
import { isPlainKey } from './watch/plain-transfers.js';
import { domainSeparator } from './withdrawal-digest.js';
import { testify } from './witness.js';

export interface EvmServices {
  readonly clock: Clock;
  readonly log: Logger;
  readonly alerts: Alerts;
  readonly metrics: Metrics;
  readonly rehearsing?: boolean;
}

/** Concurrent trials for quotes; each makes a few sequential calls. */
const MAX_CONCURRENT_SIMULATIONS = 8;
const MAX_QUEUED_SIMULATIONS = 64;

/** No network access before `start`; the contract is at `ChainAdapter`. */
export class EvmAdapter implements ChainAdapter {
  readonly facts: ChainFacts;
  readonly capabilities: ChainCapabilities;
  readonly revertedExecution?: (transactionHash: string) => Promise<RevertedExecution | undefined>;
  readonly lanes: readonly LaneRef[];
  /** Absent: each fill has its own transaction. */
  readonly batches?: LegBatches;
  readonly keys: KeysByPosition;
  readonly providers: Providers;
  readonly #config: ChainConfig;
  readonly #services: EvmServices;
  readonly #signers: EvmSigners;
  readonly #roles: Roles;
  readonly #feed: Heads;
  readonly #fees: Eip1559Fees;
  readonly #balances: readonly LaneBalances[];
  readonly #checker: CheckDeps;
  readonly #fillCosts: FillCosts;
  readonly #needed: NeededWork;
  readonly #spans: Spans;
  readonly #described: Described;
  readonly #submitter: SubmitterDeps;
  readonly #fitness: Fitness;
  readonly #kept: KeptParts;
  readonly #landed = new Landed();
  readonly #remote: RemoteAccounts;

  constructor(config: ChainConfig, signers: EvmSigners, services: EvmServices) {
    this.#config = config;
    this.#services = services;
    this.#signers = signers;
    this.#remote = new RemoteAccounts(signers, { name: config.facts.name, path: config.path });
    this.facts = config.facts;
    const account = (orderId: Hex, recipient: string) => accountOf(config.router, orderId, recipient);
    const { sweeper, executors = [], former = [] } = signers;
    this.#roles = rolesOf(signers);
    const { sweeper: sweeps, executors: execute, former: replaced } = this.#roles;
    const factory = sweeper === undefined ? undefined : config.depositAddresses;
    const sweeping = sweeps === undefined || factory === undefined ? [] : [sweeps];
    this.lanes = lanesOf(this.#roles, factory !== undefined);
    const { endpoints, anchor, rpc, facts, path, batches, swapEntry, depository, router, gas } = config;
    if (batches.most > 1) this.batches = Object.freeze({ ...batches, gatherMs: 0 });
    const identity = (rpc: HttpClient) => identify(rpc, facts.id, anchor);
    const { id: chainId, blockTimeMs } = facts;
    this.providers = new Providers({ chainId, path, endpoints, blockTimeMs, identify: identity, ...rpc }, services);
    this.#feed = new HeadFeed(headSource, this.providers, config.watch, services);
    this.#fees = new Eip1559Fees(config.gas, services, this.providers);
    if (swapEntry !== undefined)
      this.revertedExecution = (hash) => revertedExecution(config, this.providers, swapEntry, hash);
    this.#balances = [
      new LaneBalances(config, this.providers, this.#roles.fill, services),
      ...[...sweeping, ...execute].map(
        (signer) => new LaneBalances(config, this.providers, signer, services, [NATIVE]),
      ),
      ...replaced.map((signer) => new LaneBalances(config, this.providers, signer, services, undefined, false)),
    ];
    this.#kept = new KeptParts(config, this.#roles.fill);
    this.#fitness = new Fitness(config, this.providers, this.#roles, this.#kept, services);
    const contracts = contractsOf(config, domainSeparator(facts.id, depository), sweeps);
    this.keys = {
      by: 'position',
      unused: '0',
      lanePosition: (signer, at) => lanePosition({ config, providers: this.providers, feed: this.#feed }, signer, at),
      positionAhead: (chain, ledger) => BigInt(chain) > BigInt(ledger),
      keysBetween,
      spenderOf: (key, signer) => spenderOf(config, this.providers, key, signer),
    };
    this.#spans = new Spans(config.watch.maxRange);
    this.#described = new Described(services.clock);
    this.#needed = new NeededWork(services);
    const learning = {
      contracts,
      gas,
      fees: this.#fees,
      allocator: signers.allocator,
      needed: this.#needed,
      clock: services.clock,
    };
    this.#checker = {
      ...learning,
      errors: config.errors,
      ...(sweeps === undefined ? {} : { sweeper: sweeps }),
      executors: execute,
      fillers: [this.#roles.fill, ...replaced],
      isToken: (address) => this.isTokenContract(address),
      providers: this.providers,
      ownTrials: new OwnTrials(learning),
      passedCalls: new PassedCalls(services.clock, () => this.#feed.current?.id),
      recipients: new Recipients(services),
      turns: new Turns(MAX_CONCURRENT_SIMULATIONS, MAX_QUEUED_SIMULATIONS),
      height: () => this.#feed.current?.height,
    };
    this.capabilities = Object.freeze({
      verifyMessage: isPersonalSignature,
      destinationCalls: Object.freeze({ encode: encodeCall, account, carriesTopUp: true }),
      ...('sign' in signers.fill ? { authorizations: Object.freeze({ read: readAuthorization }) } : {}),
      transferDeposits: (currency: string) => !isNative(currency) && this.#kept.of(currency) === 0,
      nonceMappings: nonceMappings(facts.name, this.#checker),
      ...(execute.length === 0 ? {} : { rawCalls: rawCalls(this.#checker, config, this.lanes) }),
      ...permitsOf(config, this.#checker, execute[0], services.clock),
      ...(swapEntry === undefined ? {} : { payerSwaps: payerSwaps(config, swapEntry, this.#fees) }),
      ...(factory === undefined
        ? {}
        : { depositAddresses: depositAddresses(config, factory, this.#fees, this.providers) }),
    });
    const isChoosy = (currency: string) => this.currency(currency)?.transferCheck === true;
    this.#fillCosts = new FillCosts(this.#checker, this.#roles.fill, services, isChoosy);
    this.#submitter = {
      ...{ chainId: facts.id, providers: this.providers, fees: this.#fees, gas, router },
      ...(factory === undefined ? {} : { depositAddresses: factory }),
      signers: [signers.fill, ...(sweeper === undefined ? [] : [sweeper]), ...executors, ...former],
      laneBalance: (signer, currency) => this.laneBalance(signer, currency),
    };
  }

  /**
   * @throws when a provider serves another chain, a contract is missing or does not accept the configured keys, or a
   * remote signer lacks one. Dead providers and signers only degrade `status()`.
   */
  async start(): Promise<void> {
    await this.providers.start();
    this.#feed.onHead((head) => {
      this.#fees.onHead(head);
      for (const balances of this.#balances) balances.onHead(head);
      this.#fitness.onHead();
      this.#remote.onHead();
    });
    if (!this.#services.rehearsing) await this.#remote.start();
    await this.#fitness.check();
    this.#feed.start();
    if (this.providers.active() !== undefined) await this.#firstHead();
  }

  async stop(): Promise<void> {
    this.providers.stop();
    await this.#feed.stop();
  }

  onHead(listener: (head: Head) => void): void {
    this.#feed.onHead(listener);
    const { current } = this.#feed;
    if (current !== undefined) listener(current);
  }

  /** Cached values are available when `start` returns, unless the chain is silent. */
  async #firstHead(): Promise<void> {
    await this.#feed.changed(undefined, AbortSignal.timeout(this.#config.rpc.timeoutMs));
    const head = this.#feed.current;
    if (head !== undefined) await Promise.all(this.#balances.map((balances) => balances.refresh(head.provider)));
  }

  checkFitness(): Promise<void> {
    return this.#fitness.check();
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

  isTokenContract(address: string): boolean {
    return this.currency(address)?.isNative === false;
  }

  currency(address: string): Currency | undefined {
    return this.#config.currencies.get(currencyKey(address));
  }

  currencies(): readonly Currency[] {
    return [...this.#config.currencies.values()];
  }

  orderExtraData(): Hex {
    return encodeAbiParameters([{ type: 'address' }], [this.#config.router]);
  }

  status(): ChainStatus {
    const current = this.#feed.current;
    const head = current === undefined ? null : { value: current.height, at: current.at };
    const broken = this.#fitness.problem() ?? this.#remote.problem();
    const reason = this.providers.trouble() ?? broken ?? this.#staleness(head);
    return { healthy: reason === null, reason, head, providers: this.providers.report };
  }

  #staleness(head: Aged<number> | null): string | null {
    if (head === null) return 'no block seen yet';
    const age = this.#services.clock.now() - head.at;
    const most = Math.max(30_000, this.facts.blockTimeMs * 10);
    return age > most ? `no new block for ${Math.round(age / 1000)} s` : null;
  }

  legCost(kind: LegKind, currency: string, recipient?: string): CostEstimate | undefined {
    const cost = legCost(this.#fees, this.#config.gas, kind, currency, this.#needed.of(kind, currency, recipient));
    const transferFeeBps = this.#kept.of(currency);
    return cost && transferFeeBps > 0 ? { ...cost, transferFeeBps } : cost;
  }

  /** The router pays out exactly what it takes and reverts if less is delivered. */
  refuseFill({ currency, recipient }: FillWish): FillRefusal | undefined {
    const { fillers, sweeper, executors } = this.#checker;
    const signers = [...fillers, sweeper, ...executors];
    const payee = refusedPayee(this.#checker.contracts, signers, { kind: 'fill', recipient });
    if (payee !== undefined) return { why: 'recipient', message: payee.message };
    if (this.#kept.of(currency) === 0) return undefined;
    const symbol = this.currency(currency)?.symbol ?? currency;
    return { why: 'currency', message: `${symbol} keeps a part of every transfer, so nothing is paid out in it` };
  }

  fillCost(wish: FillWish, asker?: Asker): Promise<CostEstimate | Extract<LegCheck, { ok: false }> | undefined> {
    return this.#fillCosts.of(wish, asker);
  }

  workCost(work: bigint): bigint | undefined {
    return costOfWork(this.#fees, this.#config.gas, withBuffer(work, this.#config.gas.costBuffer), 0)?.native;
  }

  depositCost(currency: string, overhead?: bigint): CostEstimate | undefined {
    return depositCost(this.#fees, currency, overhead);
  }

  laneBalance(signer: string, currency: string): Aged<bigint> | undefined {
    for (const balances of this.#balances) {
      const balance = balances.get(signer, currency);
      if (balance !== undefined) return balance;
    }
    return undefined;
  }

  laneAllowance(signer: string, currency: string): Aged<bigint> | undefined {
    return this.#fitness.allowance(signer, currency);
  }

  userBalance(address: string, currency: string): Promise<bigint> {
    return this.providers.onSide('trials', (provider) => readBalance(provider, address, currency));
  }

  potBalance({ owner }: PotRef, currency: string): Promise<bigint> {
    return this.providers.run((provider) => readBalance(provider, owner, currency));
  }

  transferFee(currency: string): TransferFee | undefined {
    const keepsNone = this.#kept.of(currency) === 0;
    if (keepsNone) return undefined;
    return {
      arriving: (sent) => this.#kept.arriving(currency, sent),
      sentFor: (arriving) => this.#kept.sentFor(currency, arriving),
    };
  }

  depositSteps(input: DepositStepsInput): readonly DepositStep[] {
    return depositSteps(this.#config, this.#fees, this.#kept, input);
  }

  watchDeposits(cursor: string | undefined, signal: AbortSignal, wanted?: Wanted): AsyncIterable<DepositBatch> {
    const [config, spans] = [this.#config, this.#spans];
    const { facts, depository, currencies, router, swapEntry } = config;
    const signers = this.lanes.map(({ signer }) => signer);
    const own = new Set([...signers, depository, router, ...(swapEntry ? [swapEntry] : [])]);
    const keeps = (currency: string): boolean => this.#kept.of(currency) > 0;
    const served = {
      depository,
      currencies,
      ...(config.depositAddresses && { depositAddresses: config.depositAddresses }),
    };
    const plain = { ...served, chainId: facts.id, own, keeps };
    const addresses = this.capabilities.depositAddresses && wanted?.addresses;
    const carried = new CarriedIdReader(plain);
    const read = { providers: this.providers, feed: this.#feed, addresses };
    const deps = { ...this.#services, config, plain, carried, spans, ...read };
    return followDeposits(deps, cursor, signal);
  }

  hint(_transactionHash: string): void {
    this.#feed.hint();
  }

  acceptDepth(valueMicroUsd: bigint): number {
    return acceptDepth(this.#config.finality, valueMicroUsd);
  }

  quorum(valueMicroUsd: bigint): number {
    return quorumOf(this.#config.quorum, valueMicroUsd);
  }

  witness(sightings: readonly Sighting[]): Promise<readonly boolean[]> {
    return witness(this.providers, sightings, (provider, sighting) => testify(this.#config, provider, sighting));
  }

  async check(leg: LegInstruction, signer: string, asker?: Asker): Promise<LegCheck> {
    this.#assertSends(signer, leg);
    return checkLeg(this.#checker, leg, signer, asker);
  }

  /** The contracts skip a fill or sweep that fails; the others succeed. */
  checkTogether(legs: readonly LegInstruction[], signer: string): Promise<readonly TriedTogether[] | undefined> {
    return checkTogether(this.#checker, legs, signer);
  }

  paidBy(leg: LegInstruction): Promise<LegPaid | undefined> {
    return paidBy(this.#config, this.providers, leg);
  }

  paidAlone(transfer: Pick<DepositObservation, 'transactionHash' | 'depositor'>): Promise<boolean> {
    return paidAlone(this.providers, transfer);
  }

  namesDepositor(fundingKey: FundingKey): boolean {
    return !isPlainKey(fundingKey) && readRangeKey(fundingKey) === undefined;
  }

  isDepositorsMoney(transfer: Pick<DepositObservation, 'transactionHash' | 'depositor'>): Promise<boolean> {
    return isDepositorsMoney(this.providers, this.#config, transfer);
  }

  async prepare(input: PrepareInput): Promise<PrepareOutcome> {
    for (const { leg } of input.legs) this.#assertSends(input.lane.signer, leg);
    return prepare(this.#submitter, input);
  }

  #assertSends(signer: string, { legId, kind }: LegInstruction): void {
    const isSent = this.lanes.some((lane) => lane.signer === signer && lane.sends.includes(kind));
    if (!isSent) throw new Error(`${legId}: ${signer} sends no ${kind}`);
  }

  async sign(prepared: Prepared, signer: string): Promise<SignedTransaction> {
    return sign(this.#submitter, prepared, signer);
  }

  send(transaction: SignedTransaction): Promise<SendOutcome> {
    return send(this.providers, transaction);
  }

  async replace(input: ReplaceInput): Promise<PrepareOutcome> {
    return replace(this.#submitter, input);
  }

  look(keys: readonly KeyView[]): Promise<readonly KeyEvidence[]> {
    const [config, landed] = [this.#config, this.#landed];
    return lookAtKeys({ config, landed, providers: this.providers, feed: this.#feed }, keys);
  }

  unfilledForGood(orderId: OrderId, deadline: UnixSeconds): Promise<boolean> {
    return this.providers.run(async (provider) => {
      const head = Number(await provider.rpc.request<Hex>('eth_blockNumber'));
      const finalized = await finalizedBlock(provider, this.#config.finality, head);
      // guard: evm-deadline-passed
      if (finalized.timestamp / 1000 <= deadline) return false;
      const data = encodeFunctionData({ abi: routerAbi, functionName: 'filled', args: [orderId] });
      const call = { to: this.#config.router, data };
      const answer = await provider.rpc.request<Hex>('eth_call', [call, quantity(finalized.height)]);
      // Not one 32-byte word: no router answered, which proves nothing.
      if (answer.length !== 66) throw new Error(`the router did not answer at block ${finalized.height}`);
      return BigInt(answer) === 0n;
    });
  }

  describeTransaction(hash: string): Promise<TransactionEntry | undefined> {
    return this.providers.describe((provider) => describeTransaction(provider, this.#config, this.#described, hash));
  }

  useKey(fundingKey: FundingKey, leg: string): Hex {
    return keccakOfText(`${fundingKey}:${leg}`);
  }

  async probe(signal: AbortSignal): Promise<readonly ProbeResult[]> {
    return (await Promise.all([this.#remote.probe(), probeChain(this.#config, this.#roles, signal)])).flat();
  }

  setUp(options: SetUpOptions): AsyncIterable<SetUpItem> {
    return setUp(this.#config, this.#roles, this.#signers, this.#services, options);
  }
}
