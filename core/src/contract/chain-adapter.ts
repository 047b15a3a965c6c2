import type { Currency } from './currency.js';
import type {
  DepositBatch,
  DepositObservation,
  DepositStep,
  DepositStepsInput,
  IsPromised,
  PayerUtxos,
  Sighting,
} from './deposits.js';
import type { ChainId, FundingKey, Hex, OrderId, UnixMs, UnixSeconds, VmType } from './ids.js';
import type {
  KeyEvidence,
  KeySpender,
  KeyView,
  LaneRef,
  LegBatches,
  LegCheck,
  LegInstruction,
  LegKind,
  LegPaid,
  Prepared,
  PrepareInput,
  PrepareOutcome,
  ReplaceInput,
  SendOutcome,
  SentSince,
  SignedTransaction,
} from './legs.js';
import type { ProbeResult } from './probes.js';
import type { SetUpItem, SetUpOptions } from './set-up.js';
import type { TransactionEntry } from './transactions.js';

/** What clients show of a chain besides its names. Nothing is decided upon it. */
export interface ChainPresentation {
  readonly logoUrl?: string;
  readonly brandColor?: string;
  readonly tags?: readonly string[];
  /** Chain that this one settles on. */
  readonly baseChainId?: ChainId;
  /** Added to every link into the explorer. */
  readonly explorerQueryParams?: Readonly<Record<string, string>>;
}

/** Static facts of one configured chain. */
/**
 * What the chain itself enforces, in whatever transactions it is asked for and by whomever. What it does not, core keeps by
 * single-use keys and evidence. The conformance kit holds an adapter to each one that it declares.
 */
export interface ChainGuarantees {
  /** A second fill of an order is refused. */
  readonly fillOnce: boolean;
  /** A second withdrawal with the same use key is refused. */
  readonly withdrawOnce: boolean;
  /** A fill after the order's deadline is refused. */
  readonly fillDeadline: boolean;
}

export interface ChainFacts {
  readonly id: ChainId;
  readonly vmType: VmType;
  /** Protocol name of the family in order data, e.g. `ethereum-vm`. */
  readonly orderVm: string;
  /** Short machine name, used as `chainId` inside order data; unique over the service. */
  readonly name: string;
  readonly displayName: string;
  readonly network: 'mainnet' | 'testnet' | 'local';
  readonly currency: Currency;
  readonly explorerUrl: string;
  readonly explorerName: string;
  readonly explorerPaths: { readonly transaction: string; readonly address: string; readonly token: string };
  /** Must be reachable by clients; never a URL that carries an operator's secret. */
  readonly publicRpcUrl: string;
  readonly publicWsUrl: string;
  readonly iconUrl: string;
  readonly depository: string;
  /** Contract that fills go through, where the family has one; else null. */
  readonly router: string | null;
  readonly guarantees: ChainGuarantees;
  readonly contracts: Readonly<Record<string, string>>;
  /** Contracts that succeed those of the same name, by generation (`v3`). */
  readonly laterContracts?: Readonly<Record<string, Readonly<Record<string, string>>>>;
  /** Account that holds what the depository takes, where the family keeps the two apart. */
  readonly depositoryVault?: string;
  readonly presentation?: ChainPresentation;
  /** Typical time between blocks. */
  readonly blockTimeMs: number;
  /** Upper bound of the time from inclusion to finality; no fill is signed nearer to its deadline than this plus a margin. */
  readonly finalityMs: number;
  /** Longest that a transaction may be included after it was signed, by the chain's clock; absent where it never runs out. */
  readonly messageLifeMs?: number;
  /**
   * A transaction is given at least this long before its key is closed, where blocks come so rarely that the window of the
   * service would be too short. Absent: that window.
   */
  readonly inclusionWindowMs?: number;
  /**
   * A refund takes all that it covers out of the depository, and what it does not pay out goes to the lane that pays the
   * fee. Absent: that stays in the depository until it is collected.
   */
  readonly refundsSpendDeposits?: true;
  /**
   * A transfer names the account that it is to be paid back to, in what its payer signed: so what nobody promised anything
   * for may go there without further proof. Absent: the depositor is whoever the chain shows as the source.
   */
  readonly namesDepositors?: true;
  /** Default validity of quotes whose origin is this chain. */
  readonly quoteValidityMs: number;
  /** Payers that quote previews use; quoting must succeed for them. */
  readonly burnAddresses: readonly string[];
  /** Hidden chain: uuid that grants access; undefined for public ones. */
  readonly private?: string;
}

/** A value read in the background, with its age. */
export interface Aged<T> {
  readonly value: T;
  readonly at: UnixMs;
}

/** Health of a chain as its background refreshers see it. */
export interface ChainStatus {
  readonly healthy: boolean;
  /** Why not, for operators. */
  readonly reason: string | null;
  readonly head: Aged<number> | null;
}

export type Parsed = { readonly ok: true; readonly value: string } | { readonly ok: false; readonly reason: string };

/** One movement, priced: native coin it will cost to execute with the configured buffer, smallest unit. */
export interface CostEstimate {
  readonly native: bigint;
  /**
   * Part of `native` that an account which the movement opens for its recipient locks up: 0 where the recipient is known to
   * have one, absent where no account has to be opened for anybody.
   */
  readonly rent?: bigint;
  /** Share of what is moved that its currency keeps of every transfer, hundredths of a per cent; absent: none. */
  readonly keptBps?: number;
  /**
   * Work that `native` pays for, in the chain's own unit (gas), where a recipient can make a movement take more of it: `check`
   * is told of it and allows no more. Absent: nobody but the service decides what a movement takes.
   */
  readonly work?: bigint;
  /** Most that one transaction for it may cost at the fees of now, which is what its signer must hold. Absent: `native`. */
  readonly most?: bigint;
  readonly at: UnixMs;
}

/** A fill as a quote asks about it, before there is an order. */
export interface FillWish {
  readonly currency: string;
  /** Smallest unit. */
  readonly amount: bigint;
  /** Canonical address. */
  readonly recipient: string;
}

/** Why a fill cannot be made, whatever the solver holds. Nothing in it hangs on who asks. */
export type FillRefusal =
  /** What is paid there is lost, or is no payment. */
  | { readonly why: 'recipient'; readonly message: string }
  /** No recipient can be paid in it, such as a token that never delivers the whole of what is sent. */
  | { readonly why: 'currency'; readonly message: string }
  /** `least`: the smallest amount that the recipient can be paid, in the currency's smallest unit. */
  | { readonly why: 'amount'; readonly least: bigint; readonly message: string };

/**
 * Everything core needs from one chain. Methods documented as *warm* answer from memory and never do I/O;
 * the rest may take as long as the chain does, and reject only on infrastructure failure.
 */
export interface ChainAdapter {
  readonly facts: ChainFacts;
  /** Optional abilities, found by property, never by family name. */
  readonly capabilities: ChainCapabilities;

  // Addresses and currencies (warm)

  /** Canonical text of an address, or why it is not one. */
  parseAddress(text: string): Parsed;
  /** Bytes of a canonical address in order data. */
  addressBytes(address: string): Uint8Array;
  /** True when the address is a token contract this service knows. */
  isTokenContract(address: string): boolean;
  /** Configured currency by any spelling of its address, including the native sentinel. */
  currency(address: string): Currency | undefined;
  currencies(): readonly Currency[];
  /** `extraData` of order inputs and outputs on this chain (the fill contract, encoded), `0x` where there is none. */
  orderExtraData(): Hex;

  // State kept warm in the background (warm)

  status(): ChainStatus;
  /**
   * Cost for us of one leg, buffered. Undefined until the first fee sample, or when the sample is too old.
   *
   * @param recipient canonical address. Where somebody must fund an account before the recipient can be paid, and it is not
   * known that there is one, the cost includes it. Without a recipient: of one that has all it needs.
   */
  legCost(kind: LegKind, currency: string, recipient?: string): CostEstimate | undefined;
  /**
   * Why `check` would refuse such a fill in every state of the chain: recipients that are none, amounts below what the chain
   * lets anybody be paid. Asked before anything is promised. Absent: nothing is known beforehand. Warm.
   */
  refuseFill?(wish: FillWish): FillRefusal | undefined;
  /**
   * What a fill costs where its recipient has a say in that, as a contract that is paid in native coin: tried from the signer
   * of the lane, at the fees that the fill would offer. Undefined where nobody has a say: then `legCost` tells. Answers from
   * memory for recipients it knows; a refusal is the chain's proof that the recipient cannot be paid. Absent: `legCost` tells
   * all there is. Rejects on infrastructure failure.
   */
  fillCost?(wish: FillWish): Promise<CostEstimate | Extract<LegCheck, { ok: false }> | undefined>;
  /**
   * Cost for the payer of the deposit steps. `overhead` is gas that the payer's wallet adds to each transaction
   * (`originGasOverhead`); families without such a thing ignore it.
   */
  depositCost(currency: string, overhead?: bigint): CostEstimate | undefined;
  /** Balance of one of our lanes. */
  laneBalance(signer: string, currency: string): Aged<bigint> | undefined;
  /**
   * Most that a lane is allowed to pay out in a currency, where somebody has to allow it, as a contract that takes what it
   * pays from the signer; 0: nothing can be paid out in it now. Undefined, or absent: nobody has to, or it is not known.
   */
  laneAllowance?(signer: string, currency: string): Aged<bigint> | undefined;

  // State read from the chain

  userBalance(address: string, currency: string): Promise<bigint>;
  /** Balance of one of our pots at the head, for audits. */
  potBalance(pot: 'depository' | 'lane', owner: string, currency: string): Promise<bigint>;

  // Deposits

  /** Ordered unsigned transactions for the payer. Warm: no I/O. */
  depositSteps(input: DepositStepsInput): readonly DepositStep[];
  /** Size of the first of these transactions that is larger than the chain takes; undefined: none is. Warm. */
  oversize?(steps: readonly DepositStep[]): { readonly bytes: number; readonly limit: number } | undefined;
  /**
   * Follows the chain from `cursor` (undefined: from now on). Yields at least on every new head.
   * Ends when `signal` aborts. Provider trouble delays it and shows in `status()`; it does not throw for that.
   *
   * Invariant: however much others send to the watched addresses, memory and calls under way stay bounded, what was read is
   * not read again while it runs, and one transaction that cannot be read keeps no other from being told of.
   *
   * @param isPromised which of these orders were promised. Where transactions have to be read one by one to know what they
   * are, those that name such an order are read first. Never rejects: while it cannot be known, none is named.
   */
  watchDeposits(cursor: string | undefined, signal: AbortSignal, isPromised?: IsPromised): AsyncIterable<DepositBatch>;
  /** Asks the watcher to look now. A hint, never a source of truth. */
  hint(transactionHash: string): void;
  /** Blocks that must follow inclusion before a deposit of this value may be acted on; 0 means at once. */
  acceptDepth(valueMicroUsd: bigint): number;
  /**
   * Providers that must tell of a transfer of this value before it is acted on; 1 where whoever the watcher follows is
   * believed. Warm.
   */
  quorum(valueMicroUsd: bigint): number;
  /**
   * Asks every provider about transfers, one answer per sighting in the order given. True only if at least `providers`
   * of them tell of the same transfer in the same block, and none of another block there or of another transfer. What
   * is not known is false; the caller asks again.
   */
  witness(sightings: readonly Sighting[]): Promise<readonly boolean[]>;

  // Sending

  readonly lanes: readonly LaneRef[];
  /** How several legs go into one transaction; absent where each has its own. */
  readonly batches?: LegBatches;
  /**
   * True while nothing can be prepared at this position of a lane, as before the transaction before it is included:
   * nobody is asked about its legs meanwhile. Absent: never. Warm.
   */
  isBusy?(signer: string, position: string): boolean;
  /**
   * First position of a lane that the ledger has never used, and the chain's own view of a known one: past everything
   * that its signer has on the chain, with `pool` also past what waits in the pool of a provider, where that is told,
   * with `final` past no more than what no reorg takes back. Rejects while all who answer lag behind what was seen
   * before: they count too few. With NotYetError where another moment mends that.
   */
  lanePosition(signer: string, at?: 'pool' | 'final'): Promise<string>;
  /** True when `chain` is past `ledger`: the signer was used by something this ledger does not know (G15). */
  positionAhead(chain: string, ledger: string): boolean;
  /**
   * The single-use keys that lie between two positions, from `ledger` on and before `chain`, in lane order; where keys
   * may be spent in another order than they were signed in, all that something else may have spent, though the ledger
   * knows some of them. Warm.
   */
  keysBetween(signer: string, ledger: string, chain: string): readonly string[];
  /**
   * Everything of a signer that landed since a position of its ledger, the ledger's own included, and whether what was
   * signed up to `start` (a position that the chain was at) may still land. One consistent look. Offered where a key
   * does not exclude what else was signed from the same position, as where messages run out: there a position counts
   * nothing, and `positionAhead`, `keysBetween` and `spenderOf` are not asked. Rejects rather than leave something out.
   */
  sentSince?(signer: string, ledger: string, start: string): Promise<SentSince>;
  /** What spent a key, wherever it came from; undefined while that cannot be told (not spent, no history, no answer). */
  spenderOf(key: string, signer: string): Promise<KeySpender | undefined>;
  check(leg: LegInstruction, signer: string): Promise<LegCheck>;
  /**
   * The same of fills that are to share one transaction, tried as one: the answers in the order given, or undefined where it
   * is not proven that all of them go together, whatever the reason. For chains where one leg that fails takes those beside
   * it along: with it only what was tried together shares a transaction, and what failed or ran out goes alone the next time.
   * Absent: legs are asked about one by one, and whatever is due shares a transaction.
   */
  checkTogether?(
    legs: readonly LegInstruction[],
    signer: string,
  ): Promise<readonly Extract<LegCheck, { ok: true }>[] | undefined>;
  /**
   * What spent the once-only use of a leg, by whatever key; undefined while it is unspent at the head. Rejects where it
   * is spent and the transaction cannot be found.
   *
   * @param since nothing spent it before: a history need not be read further back. 0 where no such time is known.
   */
  paidBy(leg: LegInstruction, since: UnixMs): Promise<LegPaid | undefined>;
  /** Local work only: fees are warm, positions come from the ledger. */
  prepare(input: PrepareInput): Promise<PrepareOutcome>;
  sign(prepared: Prepared, signer: string): Promise<SignedTransaction>;
  /** Never throws: what is not known is `ambiguous`. */
  send(transaction: SignedTransaction): Promise<SendOutcome>;
  /** Same key, higher fee. Absent where a key cannot be reused. */
  replace?(input: ReplaceInput): Promise<PrepareOutcome>;
  /** What the chain proves, one answer per key in the order given. */
  look(keys: readonly KeyView[]): Promise<readonly KeyEvidence[]>;
  /**
   * Proof that the order was not filled and never can be: false at a final block past the deadline.
   *
   * @param since nothing filled it before, as for `paidBy`.
   * @param recipient whom a fill of it pays, for chains that name orders by their first digits only.
   */
  unfilledForGood(orderId: OrderId, deadline: UnixSeconds, since: UnixMs, recipient?: string): Promise<boolean>;

  /**
   * Whether the chain proves that the depositor of a transfer is the one party that made it, so that what nobody promised
   * anything for may be paid back to it: it signed the transaction and paid its fee, or all that was spent was its own. An
   * account that stands in for many, or that need not exist any more, is no proof. Absent: nobody is proven. Rejects on
   * infrastructure failure.
   */
  paidAlone?(transfer: Pick<DepositObservation, 'transactionHash' | 'depositor'>): Promise<boolean>;

  /**
   * Whether all that a transfer moved was its depositor's, whoever signed it or paid its fee: then whoever holds the depositor's
   * key may say where it is paid back to. Absent: never known. Rejects on infrastructure failure.
   */
  isOwnMoney?(transfer: Pick<DepositObservation, 'transactionHash' | 'depositor'>): Promise<boolean>;

  // Records

  describeTransaction(hash: string): Promise<TransactionEntry | undefined>;
  /** Once-only key of a withdrawal for a leg of a funding transfer. */
  useKey(fundingKey: FundingKey, leg: string): Hex;

  // Operations

  /**
   * For `doctor`, which never starts the plugin: asks every provider and contract directly (reachable, chain id,
   * contracts have code, signers funded) and reports all findings. Never throws; ends when `signal` aborts.
   */
  probe?(signal: AbortSignal): Promise<readonly ProbeResult[]>;
  /**
   * For `setup`, which never starts the plugin either: what the configured chain must have on itself before anything is paid
   * there, and what makes it cheaper; each first told as it was found, then made, one after the other, unless only asked
   * about. Absent where a chain needs nothing.
   *
   * Invariant: making is idempotent, also beside a running service and after an end in the middle: what is there is left as
   * it is, nothing that is owed to anybody is spent, and nothing is signed again before it is proven that what was signed
   * for it before never lands. Rejects only on infrastructure failure; releases everything when the iteration ends.
   */
  setUp?(options: SetUpOptions): AsyncIterable<SetUpItem>;
}

/** Small interfaces an adapter may offer. Each arrives with the feature that needs it. */
export interface ChainCapabilities {
  /** Deposits whose network fee somebody else than the payer pays: `depositSteps` takes a `feePayer`. */
  readonly depositFeePayer?: true;
  /**
   * A deposit is made of outputs of its payer, which are looked up before its steps. False: they would have to be, and nobody
   * is configured who knows them, so that no quote can have steps. Absent: nothing has to be looked up.
   */
  readonly payerUtxos?: PayerUtxos | false;
  /**
   * Whether whoever holds the key of a canonical address signed this text, in the form in which wallets of the family sign
   * texts. False for everything that is no such signature. Local work only.
   */
  readonly verifyMessage?: (address: string, text: string, signature: string) => boolean;
}
