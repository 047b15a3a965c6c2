import { createHash } from 'node:crypto';
import type {
  Aged,
  ChainAdapter,
  ChainCapabilities,
  ChainFacts,
  ChainStatus,
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
  OrderId,
  Parsed,
  PotRef,
  Prepared,
  PrepareInput,
  PrepareOutcome,
  ProbeResult,
  ReplaceInput,
  SendOutcome,
  Sighting,
  SignedTransaction,
  TransactionEntry,
  UnixMs,
  UnixSeconds,
  Wanted,
} from '@causeway/core';
import { NotYetError } from '@causeway/core';
import { type Connect, HeadFeed, limitsOf, ProviderPool, quorumOf } from '@causeway/core/rpc';
import { accountOf, addressBytes, isNative, NATIVE, parseAddress } from './addresses.js';
import { Blocks } from './chain/blocks.js';
import { ChainTime } from './chain/chain-time.js';
import { readAccount, type TonProvider } from './chain/read.js';
import type { TonTransaction, UnreadTransaction } from './chain/transaction.js';
import type { ChainConfig } from './chain-config.js';
import { depositAddresses } from './deposit-addresses/capability.js';
import type { Depository } from './depository.js';
import { arrivalOf, depositSteps, PAYER_ATTACH, watchedAccounts, witnessAll } from './deposits.js';
import { entryOf } from './describe.js';
import { Found, hashOf } from './find.js';
import { paidBy, unfilledForGood } from './history.js';
import { MAX_BYTES, newPace, type Pace, Toncenter } from './http/toncenter.js';
import { identify } from './identity.js';
import { JettonBook } from './jetton-book.js';
import { heldBy, walletOf } from './jettons.js';
import { type CheckDeps, checkLeg, refuseFill } from './lane/check.js';
import { chargedFor } from './lane/costs.js';
import { type LookDeps, lanePosition, lookAtKeys, spenderOf } from './lane/look.js';
import { type PrepareDeps, prepare, replace, signOrder } from './lane/prepare.js';
import { isSweeper, lanesOf, type Roles, roleFor, rolesOf, writeKey } from './lane/role.js';
import { sendOrder } from './lane/send.js';
import { SentBook } from './lane/sent-book.js';
import { Traces } from './lane/trace.js';
import { Upkeep } from './lane/upkeep.js';
import { isDepositorsMoney, paidAlone } from './paid-alone.js';
import { Payees, refuseAddress } from './payees.js';
import { probeChain } from './probe.js';
import type { TonvmServices } from './services.js';
import type { TonvmSigners } from './signers.js';
import { seqnoOf } from './wallet.js';
import { AddressWatch, type Frontier } from './watch/addresses/address-watch.js';
import { readHeld } from './watch/addresses/held.js';
import { type Head, type Heads, headSource, heldAt } from './watch/heads.js';
import { watchDeposits } from './watch/watcher.js';

/** Nanotons of a payer's message; its provider requests are free. */
const PAYER_COST = 10_000_000n;
const MAX_HEAD_AGE_MS = 30_000;

/** Contracts of the methods: `ChainAdapter`. */
export class TonvmAdapter implements ChainAdapter {
  readonly facts: ChainFacts;
  readonly capabilities: ChainCapabilities;
  readonly lanes: readonly LaneRef[];
  readonly keys: KeysByPosition;
  readonly batches?: LegBatches;
  readonly #config: ChainConfig;
  readonly #signers: TonvmSigners;
  readonly #services: TonvmServices;
  readonly #providers: ProviderPool<Toncenter>;
  /** By endpoint. */
  readonly #paces: readonly Pace[];
  readonly #blocks = new Blocks();
  readonly #found = new Found();
  readonly #feed: Heads;
  /** Monotonic time until which a sent order may change the wallets. */
  #awaitedUntil = 0;
  readonly #jettons: JettonBook;
  readonly #depository: Depository;
  readonly #roles: Roles;
  readonly #looking: LookDeps;
  readonly #checking: CheckDeps;
  readonly #payees: Payees;
  readonly #preparing: PrepareDeps;
  /** Of the newest watcher. */
  #addresses: AddressWatch | undefined;

  constructor(config: ChainConfig, signers: TonvmSigners, services: TonvmServices) {
    const { options, path, endpoints, zeroState, jettons } = config;
    const { fill, vault, sweeper, former = [] } = signers;
    const fillers = [fill, ...former].map(({ raw }) => raw);
    const sweeping = sweeper && { depository: vault.raw, sweeper: sweeper.raw };
    const bare = sweeper ? [sweeper.raw] : [];
    this.#config = config;
    this.#signers = signers;
    this.#services = services;
    this.#paces = endpoints.map(newPace);
    this.#providers = new ProviderPool(
      {
        chainId: options.id,
        path,
        endpoints,
        blockTimeMs: config.facts.blockTimeMs,
        identify: (rpc: Toncenter) => identify(rpc, zeroState),
      },
      services,
      (to) =>
        this.#connect(
          endpoints.findIndex(({ http }) => http === to.url),
          to,
        ),
    );
    const least = config.quorum?.providers ?? 1;
    const owners = [...fillers, vault.raw];
    this.#jettons = new JettonBook(jettons, {
      ...{ owners, providers: this.#providers, least, clock: services.clock },
      onWhy: (currency, why) => {
        const id = `jetton-${options.id}-${currency}`;
        const message = `The jetton ${currency} of ${options.displayName} is not served: ${why}`;
        if (why === undefined) services.alerts.clear(id);
        else services.alerts.raise(id, message);
      },
    });
    const parts = {
      ...{ blocks: this.#blocks, jettons: this.#jettons, clock: services.clock, depository: vault.raw },
      ...{ others: fillers, bare, isAwaited: () => services.clock.monotonic() < this.#awaitedUntil },
    };
    this.#feed = new HeadFeed(headSource(parts), this.#providers, { pollMs: options.pollMs }, services);
    const contracts = Object.freeze({ depository: vault.address });
    this.facts = Object.freeze({ ...config.facts, depository: vault.address, contracts });
    this.#roles = rolesOf(signers);
    this.lanes = Object.freeze(lanesOf(this.#roles));
    this.#depository = {
      ...{ chainId: options.id, address: vault.address, raw: vault.raw, jettons: this.#jettons },
      own: new Set([...fillers, vault.raw, ...bare]),
      least: config.least,
      sweeping,
    };
    const held = (addresses: readonly string[], currency: string) => this.#held(addresses, currency);
    this.capabilities = Object.freeze(
      sweeping
        ? { depositAddresses: depositAddresses({ chainId: this.facts.id, sweeping, jettons: this.#jettons, held }) }
        : {},
    );
    const common = {
      ...{ providers: this.#providers, feed: this.#feed, jettons: this.#jettons, roles: this.#roles, sweeping },
    };
    const time = new ChainTime(this.#feed);
    const book = new SentBook();
    const upkeep = new Upkeep((transaction) => arrivalOf(this.#depository, transaction) !== undefined);
    const { own } = this.#depository;
    const now = () => time.now();
    const traces = new Traces({ jettons: this.#jettons, native: NATIVE, own, upkeep, now, sweeping });
    this.#looking = {
      ...{ ...common, blocks: this.#blocks, book, traces, quorum: least },
      forget: () => {
        book.forget();
        traces.forget();
      },
      onDispute: (why) => {
        const id = `ends-${options.id}`;
        const message = `Payments on ${options.displayName} stay open: ${why}. Find out which of them is wrong and remove it`;
        if (why === undefined) services.alerts.clear(id);
        else services.alerts.raise(id, message);
      },
    };
    this.#payees = new Payees({
      ...{ providers: this.#providers, jettons: this.#jettons, clock: services.clock, floor: () => this.#feed.floor() },
    });
    this.#checking = { ...common, time, payees: this.#payees, least: config.least };
    const mostLegs = options.batch.most;
    this.#preparing = { ...common, time, messageLifeS: options.messageLifeS, mostLegs };
    if (mostLegs > 1) this.batches = Object.freeze({ most: mostLegs, gatherMs: 0 });
    this.keys = {
      by: 'position',
      lanePosition: (signer) => lanePosition(this.#looking, signer),
      positionAhead: (chain, ledger) => BigInt(chain) > BigInt(ledger),
      keysBetween: (signer, ledger, chain) =>
        Array.from({ length: Math.max(0, Number(chain) - Number(ledger)) }, (_, n) =>
          writeKey(signer, Number(ledger) + n),
        ),
      spenderOf: (key, signer) => spenderOf(this.#looking, key, signer),
    };
  }

  #connect(index: number, { side, ...to }: Parameters<Connect<Toncenter>>[0]) {
    const apiKey = this.#signers.apiKeys?.get(index);
    const most = { timeoutMs: this.#config.options.timeoutMs, maxInFlight: Number.POSITIVE_INFINITY, maxBatch: 1 };
    const { timeoutMs, maxInFlight, maxBodyBytes = MAX_BYTES } = limitsOf(side, most);
    const perSecond = this.#config.endpoints[index]?.perSecond ?? 0;
    const { clock } = this.#services;
    const settings = { ...to, timeoutMs, perSecond, clock, ...(apiKey === undefined ? {} : { apiKey }) };
    const apart = side === undefined ? {} : { apart: { maxInFlight, maxBodyBytes } };
    return new Toncenter({ ...settings, ...apart }, this.#paces[index]);
  }

  /** @throws OptionError when a provider serves another network. Dead ones only degrade `status()`. */
  async start(): Promise<void> {
    await this.#providers.start();
    // Fills the caches before the start ends, unless the chain is silent.
    const { timeoutMs } = this.#config.options;
    await Promise.race([this.#jettons.learn(), this.#services.clock.sleep(timeoutMs)]);
    this.#feed.start();
    const isSilent = AbortSignal.timeout(timeoutMs);
    if (this.#providers.active() !== undefined) await this.#feed.changed(undefined, isSilent);
  }

  async stop(): Promise<void> {
    this.#providers.stop();
    await this.#feed.stop();
  }

  parseAddress(text: string): Parsed {
    return parseAddress(text, { testOnly: this.#config.options.testOnlyAddresses });
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
    const parsed = this.parseAddress(address);
    return parsed.ok ? this.#config.currencies.get(parsed.value) : undefined;
  }

  currencies(): readonly Currency[] {
    return [...this.#config.currencies.values()];
  }

  orderExtraData(): Hex {
    return '0x';
  }

  useKey(fundingKey: FundingKey, leg: string): Hex {
    return `0x${createHash('sha256').update(`${fundingKey}:${leg}`).digest('hex')}`;
  }

  status(): ChainStatus {
    const current = this.#feed.current;
    const head = current === undefined ? null : { value: current.height, at: current.at };
    const reason = this.#providers.trouble() ?? this.#staleness(head) ?? this.#blindness();
    return { healthy: reason === null, reason, head, providers: this.#providers.report };
  }

  /** A stopped chain is unhealthy even if its providers answer. */
  #staleness(head: Aged<number> | null): string | null {
    if (head === null) return 'no block was seen yet';
    const age = this.#services.clock.now() - head.at;
    return age > MAX_HEAD_AGE_MS ? `no new block for ${Math.round(age / 1_000)} s` : null;
  }

  /** A wallet without code, also a frozen one, runs nothing when paid, so deposits go unseen. */
  #blindness(): string | null {
    const { raw, address } = this.#signers.vault;
    const isThere = this.#feed.current?.accounts.get(raw)?.active ?? true;
    return isThere ? null : `the depository ${address} has no code: what it is paid is not seen`;
  }

  #fresh(): Head | undefined {
    const head = this.#feed.current;
    return head !== undefined && this.#staleness({ value: head.height, at: head.at }) === null ? head : undefined;
  }

  legCost(kind: LegKind, currency: string): CostEstimate | undefined {
    const head = this.#fresh();
    const jetton = this.#jettons.of(currency);
    if (head === undefined || (jetton === undefined && !isNative(currency))) return undefined;
    return { native: chargedFor(kind, jetton), at: head.at };
  }

  depositCost(currency: string): CostEstimate | undefined {
    const head = this.#fresh();
    return head && { native: PAYER_COST + (isNative(currency) ? 0n : PAYER_ATTACH), at: head.at };
  }

  refuseFill(wish: FillWish): FillRefusal | undefined {
    return refuseFill(this.#checking, wish);
  }

  laneBalance(signer: string, currency: string): Aged<bigint> | undefined {
    const role = this.#roles.get(signer);
    const head = this.#feed.current;
    if (role && isSweeper(role) && head && this.#jettons.of(currency)) return { value: 0n, at: head.at };
    return role && head && heldAt(head, this.#jettons, role.signer.raw, currency);
  }

  userBalance(address: string, currency: string): Promise<bigint> {
    return this.#providers.onSide('trials', (provider) => this.#balance(provider, address, currency));
  }

  potBalance({ owner }: PotRef, currency: string): Promise<bigint> {
    return this.#providers.run((provider) => this.#balance(provider, owner, currency));
  }

  async #balance(provider: TonProvider, address: string, currency: string): Promise<bigint> {
    const owner = accountOf(address).toRawString();
    if (isNative(currency)) return (await readAccount(provider, owner, this.#feed.floor())).balance;
    await this.#jettons.learn();
    const jetton = this.#jettons.of(currency);
    if (jetton === undefined) throw new NotYetError(`nothing is known of the jetton ${currency} yet`);
    return heldBy(jetton.layout, (await readAccount(provider, walletOf(jetton, owner), this.#feed.floor())).data);
  }

  depositSteps(input: DepositStepsInput): readonly DepositStep[] {
    return depositSteps(this.#depository, input);
  }

  #held(addresses: readonly string[], currency: string): Promise<readonly bigint[]> {
    const jetton = isNative(currency) ? undefined : this.#jettons.of(currency);
    if (jetton === undefined && !isNative(currency))
      throw new NotYetError(`nothing is known of the jetton ${currency} yet`);
    const floor = this.#feed.floor();
    return this.#providers.run((provider) => readHeld({ provider, floor, known: this.#addresses }, addresses, jetton));
  }

  watchDeposits(cursor: string | undefined, signal: AbortSignal, wanted?: Wanted): AsyncIterable<DepositBatch> {
    const onError = (error: unknown) => this.#services.log.debug({ err: error }, 'deposits could not be read');
    const pause = (until: AbortSignal) => this.#services.clock.sleep(this.#config.options.pollMs, until);
    const deps = { providers: this.#providers, feed: this.#feed, blocks: this.#blocks, depository: this.#depository };
    const onSeen = (transaction: TonTransaction) => this.#found.keep(transaction);
    const onUnread = ({ account, hash, unread: why }: UnreadTransaction) =>
      this.#services.log.error(
        { account, hash, why },
        'a transaction cannot be read: whether it is a deposit is not known',
      );
    const on = { ...this.#services, sweepMs: this.#underWayMs(), onSeen, onUnread, onError };
    const addresses = (from: Frontier | undefined): AddressWatch | undefined => {
      const book = this.#depository.sweeping && wanted?.addresses;
      this.#addresses = book && new AddressWatch({ ...deps, ...on }, book, from);
      return this.#addresses;
    };
    return watchDeposits({ ...deps, onSeen, onError, onUnread, pause, addresses }, cursor, signal);
  }

  hint(_transactionHash: string): void {
    this.#feed.hint();
  }

  /** Masterchain blocks are final, and only they are reported. */
  acceptDepth(_valueMicroUsd: bigint): number {
    return 0;
  }

  quorum(valueMicroUsd: bigint): number {
    return quorumOf(this.#config.quorum, valueMicroUsd);
  }

  witness(sightings: readonly Sighting[]): Promise<readonly boolean[]> {
    const addressAccount = (raw: string) => this.#addresses?.account(raw);
    return witnessAll(this.#providers, this.#depository, this.#blocks, addressAccount, sightings);
  }

  paidAlone(transfer: Pick<DepositObservation, 'transactionHash' | 'depositor'>): Promise<boolean> {
    return this.#ofDeposit(transfer.transactionHash, (provider, transaction) =>
      paidAlone(provider, this.#depository, transaction, transfer.depositor),
    );
  }

  isDepositorsMoney(transfer: Pick<DepositObservation, 'transactionHash' | 'depositor'>): Promise<boolean> {
    return this.#ofDeposit(transfer.transactionHash, async (_, transaction) =>
      isDepositorsMoney(this.#depository, transaction, transfer.depositor),
    );
  }

  #ofDeposit<T>(hash: string, report: (provider: TonProvider, transaction: TonTransaction) => Promise<T>): Promise<T> {
    return this.#providers.run(async (provider) => {
      const transaction = await this.#find(provider, hash);
      if (transaction === undefined)
        throw new NotYetError(`${hash} is not among the recent transactions of the service`);
      return await report(provider, transaction);
    });
  }

  check(leg: LegInstruction, signer: string): Promise<LegCheck> {
    return checkLeg(this.#checking, leg, signer);
  }

  isBusy(signer: string, position: string): boolean {
    const known = this.#feed.current?.accounts.get(roleFor(this.#roles, signer).signer.raw);
    return known !== undefined && seqnoOf(known.data) < Number(position);
  }

  async prepare(input: PrepareInput): Promise<PrepareOutcome> {
    this.#expectSweeps(input.legs);
    return prepare(this.#preparing, input);
  }

  async replace(input: ReplaceInput): Promise<PrepareOutcome> {
    this.#expectSweeps(input.legs);
    return replace(this.#preparing, input);
  }

  #expectSweeps(legs: PrepareInput['legs']): void {
    for (const { leg } of legs) if (leg.kind === 'sweep') this.#addresses?.expectSweep(leg.from.address);
  }

  async sign(prepared: Prepared, signer: string): Promise<SignedTransaction> {
    return signOrder(this.#roles, prepared, signer);
  }

  async send(transaction: SignedTransaction): Promise<SendOutcome> {
    const outcome = await sendOrder(this.#providers, this.#looking.book, transaction);
    this.#awaitedUntil = this.#services.clock.monotonic() + this.#underWayMs();
    this.#feed.poke();
    return outcome;
  }

  /** The life of an order and the time for its change. */
  #underWayMs(): number {
    return 2_000 * this.#config.options.messageLifeS;
  }

  look(keys: readonly KeyView[]): Promise<readonly KeyEvidence[]> {
    return lookAtKeys(this.#looking, keys);
  }

  paidBy(leg: LegInstruction, since: UnixMs): Promise<LegPaid | undefined> {
    return paidBy(this.#looking, leg, since);
  }

  unfilledForGood(orderId: OrderId, deadline: UnixSeconds, since: UnixMs): Promise<boolean> {
    return unfilledForGood(this.#looking, orderId, deadline, since);
  }

  async describeTransaction(text: string): Promise<TransactionEntry | undefined> {
    const hash = hashOf(text);
    if (hash === undefined) return undefined;
    return await this.#providers.describe(async (provider) => {
      const transaction = await this.#find(provider, hash);
      if (transaction === undefined) return undefined;
      const isOrder = transaction.externalHash !== undefined;
      const trace = isOrder ? await this.#looking.traces.of(provider, transaction) : undefined;
      return entryOf(this.#depository, transaction, trace, await this.#blocks.ofLt(provider, transaction.lt));
    });
  }

  #find(provider: TonProvider, hash: string): Promise<TonTransaction | undefined> {
    const { own } = this.#depository;
    return this.#found.find(provider, hash, [...new Set([...watchedAccounts(this.#depository).keys(), ...own])]);
  }

  probe(signal: AbortSignal): Promise<readonly ProbeResult[]> {
    const connect = (index: number, label: string) =>
      this.#connect(index, { url: this.#config.endpoints[index]?.http ?? '', label, onExchange: () => undefined });
    const { fill, vault, sweeper } = this.#signers;
    return probeChain(this.#config, connect, { fill, vault, ...(sweeper && { sweeper }) }, signal);
  }
}
