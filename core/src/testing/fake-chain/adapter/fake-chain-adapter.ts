import type {
  Aged,
  ChainAdapter,
  ChainCapabilities,
  ChainFacts,
  ChainStatus,
  CostEstimate,
  FillRefusal,
  FillWish,
  Parsed,
} from '../../../contract/chain-adapter.js';
import type { Currency } from '../../../contract/currency.js';
import type {
  DepositBatch,
  DepositObservation,
  DepositStep,
  DepositStepsInput,
  Sighting,
  Wanted,
} from '../../../contract/deposits.js';
import type { FundingKey, Hex, OrderId, UnixMs, UnixSeconds } from '../../../contract/ids.js';
import type { LaneKeys } from '../../../contract/lane-keys.js';
import type {
  KeyEvidence,
  KeyView,
  LaneRef,
  LegBatches,
  LegCheck,
  LegInstruction,
  LegKind,
  LegPaid,
  PotRef,
  Prepared,
  PrepareInput,
  PrepareOutcome,
  ReplaceInput,
  SendOutcome,
  SignedTransaction,
} from '../../../contract/legs.js';
import type { TransactionEntry } from '../../../contract/transactions.js';
import { isTransferKey } from '../block-maker.js';
import { cheapHash } from '../cheap-hash.js';
import type { FakeAdapter, FakeProcessDeps } from '../fake-chain-types.js';
import { type FakeProvider, NoAnswer } from '../fake-provider.js';
import { isSigned } from '../signed-text.js';
import { addressBytes, parseAddress } from './addresses.js';
import { callAccount, encodeCall } from './calls.js';
import { checkApart, checkLeg, checkTogether, fillCost, isOnlyOne } from './check.js';
import { depositAddresses } from './deposit-addresses.js';
import { depositSteps } from './deposit-steps.js';
import { describe } from './describe.js';
import { cost, legCost, workCost } from './fees.js';
import { HeadFeed } from './head-feed.js';
import { laneKeys } from './lane-keys.js';
import { lookAtKeys } from './look.js';
import { messageWallet } from './message-wallet.js';
import { nonceMappings } from './nonce-mappings.js';
import { Openings } from './openings.js';
import { isFilled, paidBy } from './paid-by.js';
import { payerSwaps, revertedExecution } from './payer-swaps.js';
import { permits } from './permits.js';
import { ProviderSet } from './provider-set.js';
import { rawCalls } from './raw-calls.js';
import { send } from './sender.js';
import { sequenceWallet } from './sequence-wallet.js';
import type { AdapterParts, FakeConfig } from './setup.js';
import type { Wallet } from './wallet.js';
import { followDeposits } from './watcher.js';
import { witness } from './witness.js';

const GATHER_MS = 300;

/** One service process's view of a fake chain: through its providers, with memory that ends with the process. */
export class FakeChainAdapter implements FakeAdapter {
  readonly facts: ChainFacts;
  readonly capabilities: ChainCapabilities;
  readonly lanes: readonly LaneRef[];
  readonly ready: Promise<void>;
  readonly feed: HeadFeed;
  /** Absent where nothing replaces a signed transaction. */
  readonly replace?: (input: ReplaceInput) => Promise<PrepareOutcome>;
  readonly batches?: LegBatches;
  readonly checkTogether?: NonNullable<ChainAdapter['checkTogether']>;
  readonly isBusy?: (signer: string, position: string) => boolean;
  readonly revertedExecution?: NonNullable<ChainAdapter['revertedExecution']>;
  readonly keys: LaneKeys;
  readonly #config: FakeConfig;
  readonly #parts: AdapterParts;
  readonly #providers: ProviderSet;
  readonly #wallet: Wallet;

  constructor(
    config: FakeConfig,
    providers: readonly FakeProvider[],
    deps: FakeProcessDeps,
    propagation: () => number,
  ) {
    const { clock, signal, log } = deps;
    this.#config = config;
    this.facts = config.facts;
    this.lanes = config.lanes;
    this.#providers = new ProviderSet(providers, clock, signal, deps.gate);
    const currencies = [...config.currencies.keys()];
    const openings = new Openings(clock);
    this.feed = new HeadFeed({
      providers: this.#providers,
      clock,
      signal,
      signers: config.lanes.map(({ signer }) => signer),
      currencies,
      openings,
      propagation,
    });
    this.#parts = {
      config,
      providers: this.#providers,
      feed: this.feed,
      openings,
      wishes: new Map(),
      clock,
      log,
    };
    this.capabilities = Object.freeze({
      verifyMessage: isSigned,
      ...(config.rules.name === 'nonce'
        ? { destinationCalls: { encode: encodeCall, account: callAccount, carriesTopUp: true as const } }
        : {}),
      ...(config.payerSwaps ? { payerSwaps: payerSwaps(this.#parts) } : {}),
      ...(config.calls ? { rawCalls: rawCalls(this.#parts), permits: permits(this.#parts) } : {}),
      ...(config.mappings
        ? {
            nonceMappings: nonceMappings(this.#parts),
            transferDeposits: (currency: string) => this.isTokenContract(currency),
          }
        : {}),
      ...(config.derive ? { depositAddresses: depositAddresses(this.#parts, config.derive) } : {}),
    });
    if (config.payerSwaps)
      this.revertedExecution = (hash) => this.#providers.run('look', (node) => revertedExecution(node, hash));
    const wallet = config.rules.name === 'expiring' ? messageWallet : sequenceWallet;
    this.#wallet = wallet;
    this.keys = laneKeys(this.#parts, wallet);
    if (wallet.replace !== undefined)
      this.replace = async (input) => wallet.replace?.(this.#parts, input) as PrepareOutcome;
    const most = config.mostLegs;
    if (config.rules.name === 'expiring') {
      this.batches = Object.freeze({ most, gatherMs: 0, least: 2 });
      this.checkTogether = (legs, signer) => checkTogether(this.#parts, legs, signer);
    } else if (config.rules.apart && most > 1) {
      this.batches = Object.freeze({ most, gatherMs: 0, least: 2 });
      this.checkTogether = (legs, signer) => checkApart(this.#parts, legs, signer);
    } else if (most > 1) this.batches = Object.freeze({ most, gatherMs: GATHER_MS });
    const { isBusy } = wallet;
    if (config.rules.name === 'utxo' || config.rules.name === 'async')
      this.isBusy = (signer, position) => isBusy?.(this.#parts, signer, position) === true;
    this.ready = this.feed.next();
    void this.feed.run();
  }

  parseAddress(text: string): Parsed {
    return parseAddress(text);
  }

  addressBytes(address: string): Uint8Array {
    return addressBytes(address);
  }

  isTokenContract(address: string): boolean {
    return this.currency(address)?.isNative === false;
  }

  currency(address: string): Currency | undefined {
    return this.#parts.config.currencies.get(address.toLowerCase());
  }

  currencies(): readonly Currency[] {
    return [...this.#parts.config.currencies.values()];
  }

  orderExtraData(): Hex {
    return '0x';
  }

  status(): ChainStatus {
    const news = this.feed.current;
    const head = news === undefined ? null : { value: news.block.height, at: news.at };
    const reason = this.#providers.problem() ?? this.#staleness(head);
    return { healthy: reason === null, reason, head };
  }

  #staleness(head: Aged<number> | null): string | null {
    if (head === null) return 'no block seen yet';
    const age = this.#parts.clock.now() - head.at;
    return age > Math.max(30_000, this.facts.blockTimeMs * 10) ? `no new block for ${Math.round(age / 1000)} s` : null;
  }

  legCost(kind: LegKind, currency: string, recipient?: string): CostEstimate | undefined {
    return legCost(this.#parts, kind, currency, recipient);
  }

  /** Refuses the solver's own accounts and the native sentinel. */
  refuseFill({ recipient }: FillWish): FillRefusal | undefined {
    return isOnlyOne(this.#parts.config, recipient)
      ? { why: 'recipient', message: `${recipient} is no account that can be paid` }
      : undefined;
  }

  workCost(work: bigint): bigint | undefined {
    const { swapDeposits, calls } = this.#parts.config;
    return swapDeposits || calls ? workCost(this.#parts, work) : undefined;
  }

  fillCost(wish: FillWish): ReturnType<typeof fillCost> {
    return fillCost(this.#parts, wish);
  }

  depositCost(currency: string, overhead = 0n): CostEstimate | undefined {
    const isToken = this.isTokenContract(currency);
    const added = isToken ? 2n * overhead : overhead;
    return cost(this.#parts, isToken ? ['approve', 'deposit'] : ['deposit'], false, added);
  }

  laneBalance(signer: string, currency: string): Aged<bigint> | undefined {
    const news = this.feed.current;
    const value = news?.accounts.get(signer)?.balances.get(currency);
    return news === undefined || value === undefined ? undefined : { value, at: news.at };
  }

  userBalance(address: string, currency: string): Promise<bigint> {
    return this.#balance(address, currency);
  }

  /** The depository's outputs include those at deposit addresses. */
  potBalance({ owner }: PotRef, currency: string): Promise<bigint> {
    return this.#providers.run('balance', (node) => {
      const state = node.core.after(node.head);
      const outputs = owner === this.facts.depository ? (node.core.contracts.addresses?.known ?? []) : [];
      let sum = state.balance(owner, currency);
      for (const address of outputs) sum += state.balance(address, currency);
      return sum;
    });
  }

  #balance(owner: string, currency: string): Promise<bigint> {
    return this.#providers.run('balance', (node) => node.core.after(node.head).balance(owner, currency));
  }

  depositSteps(input: DepositStepsInput): readonly DepositStep[] {
    return depositSteps(this.#parts.config, input);
  }

  watchDeposits(cursor: string | undefined, signal: AbortSignal, wanted?: Wanted): AsyncIterable<DepositBatch> {
    return followDeposits(this.#parts, cursor, signal, wanted);
  }

  hint(): void {
    this.feed.poke();
  }

  acceptDepth(valueMicroUsd: bigint): number {
    return this.#parts.config.acceptDepth(valueMicroUsd);
  }

  quorum(valueMicroUsd: bigint): number {
    const { quorum } = this.#parts.config;
    return quorum !== undefined && valueMicroUsd >= quorum.aboveMicroUsd ? quorum.providers : 1;
  }

  witness(sightings: readonly Sighting[]): Promise<readonly boolean[]> {
    return witness(this.#parts, sightings);
  }

  /** Only deposits name one, not what is paid to addresses. */
  namesDepositor(fundingKey: FundingKey): boolean {
    return !isTransferKey(fundingKey);
  }

  async check(leg: LegInstruction, signer: string): Promise<LegCheck> {
    this.#mustSend(signer, [leg]);
    return await checkLeg(this.#parts, leg, signer);
  }

  paidBy(leg: LegInstruction, since: UnixMs): Promise<LegPaid | undefined> {
    return this.#providers.run('look', (node) => paidBy(node, leg, since));
  }

  #mustSend(signer: string, legs: readonly LegInstruction[]): void {
    const lane = this.lanes.find((one) => one.signer === signer);
    for (const { kind } of legs)
      if (lane?.sends.includes(kind) !== true) throw new Error(`${signer} is not the account that pays a ${kind}`);
  }

  async prepare(input: PrepareInput): Promise<PrepareOutcome> {
    this.#mustSend(
      input.lane.signer,
      input.legs.map(({ leg }) => leg),
    );
    return this.#wallet.prepare(this.#parts, input);
  }

  async sign(prepared: Prepared, signer: string): Promise<SignedTransaction> {
    if (!this.lanes.some((lane) => lane.signer === signer))
      throw new Error(`no key for ${signer} on chain ${this.facts.id}`);
    return { bytes: prepared.unsigned, hash: cheapHash(prepared.unsigned) };
  }

  send(transaction: SignedTransaction): Promise<SendOutcome> {
    return send(this.#providers, transaction);
  }

  look(keys: readonly KeyView[]): Promise<readonly KeyEvidence[]> {
    return lookAtKeys(this.#parts, this.#wallet, keys);
  }

  unfilledForGood(orderId: OrderId, deadline: UnixSeconds, since: UnixMs): Promise<boolean> {
    return this.#providers.run('state', (node) => {
      const final = node.finalized;
      if (final.timestamp / 1000 <= deadline) return false;
      if (!this.#wallet.settledSince(node, orderId, deadline)) return false;
      return !isFilled(node, orderId, since);
    });
  }

  paidAlone(transfer: Pick<DepositObservation, 'transactionHash' | 'depositor'>): Promise<boolean> {
    return this.#isSender(transfer);
  }

  /** A transaction moves only its sender's money. */
  isDepositorsMoney(transfer: Pick<DepositObservation, 'transactionHash' | 'depositor'>): Promise<boolean> {
    return this.#isSender(transfer);
  }

  #isSender({
    transactionHash,
    depositor,
  }: Pick<DepositObservation, 'transactionHash' | 'depositor'>): Promise<boolean> {
    return this.#providers.run('look', (node) => {
      if (transactionHash === '') return false;
      const receipt = node.core.tree.receipt(node.head, transactionHash);
      if (receipt === undefined) throw new NoAnswer(`${transactionHash} is not known`);
      return receipt.transaction.from === depositor;
    });
  }

  describeTransaction(hash: string): Promise<TransactionEntry | undefined> {
    return this.#providers.run('describe', (node) => describe(node, this.#config, hash));
  }

  useKey(fundingKey: FundingKey, leg: string): Hex {
    return cheapHash(`${fundingKey.length}:${fundingKey}:${leg}`);
  }
}
