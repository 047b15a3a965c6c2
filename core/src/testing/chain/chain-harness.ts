import type { ChainAdapter } from '../../contract/chain-adapter.js';
import type { DepositStep } from '../../contract/deposits.js';
import type { BlockRef, OrderId, UnixMs } from '../../contract/ids.js';
import type { TypedData } from '../../contract/permits.js';
import type { RawCall } from '../../contract/raw-calls.js';
import type { Refusals } from '../proxies/refusals.js';
import type { KitHarness } from '../report-types.js';

/**
 * Optional abilities of a chain family. A harness gives a reason for each one it lacks; the cases that need it are
 * reported as not applicable. Everything else is required.
 */
export type ChainAbility =
  /** A transfer to the depository can carry no order id: `payOrphan`. */
  | 'orphans'
  /** An unconfigured currency can be paid to the depository: `payForeign`. */
  | 'foreignCurrencies'
  /** One transaction can make several deposits: `payTogether`. */
  | 'depositsTogether'
  /** A payer's unconfirmed transaction can be replaced: `replacePayment`. */
  | 'paymentReplacement'
  /** Unconfirmed payments are observed with state `mempool`. */
  | 'mempool'
  /** The chain can replace blocks: `reorg`. */
  | 'reorgs'
  /** A transaction can execute differently after a reorg: `payShifting`. */
  | 'shiftingEvents'
  /** Only the harness makes blocks. */
  | 'heldPool'
  /** Providers show the solver's unconfirmed transactions. */
  | 'poolReported'
  /** Two different transactions can share one single-use key, as two prepares from one position do. */
  | 'sharedKeys'
  /**
   * Keys end by history: one does not exclude others signed from its position. Only such families lack `sharedKeys`.
   */
  | 'signerHistory'
  /** Several transactions of a lane can wait for inclusion at once. */
  | 'pipeline'
  /** Replacing a transaction leaves later ones of its lane valid. */
  | 'independentKeys'
  /** The adapter has `replace`, and nodes accept its replacements. */
  | 'replacement'
  /** A key becomes useless by time alone: `expireKeys`. */
  | 'keyExpiry'
  /** A transaction expires while its key stays usable: `expireMessages`. */
  | 'messageExpiry'
  /** A transaction can carry several legs: `most` of `batches`. */
  | 'batches'
  /** A transaction of the solver can be included and fail. */
  | 'reverts'
  /** The chain refuses a second fill of an order. */
  | 'fillOnce'
  /** The chain refuses a second withdrawal with the same use key. */
  | 'withdrawOnce'
  /** The chain refuses a fill after the order's deadline. */
  | 'fillDeadline'
  /** A transfer can look like a deposit and credit no depository account: `payStrays`. */
  | 'strays'
  /** A depositing transaction can be included without effect: `payFailing`. */
  | 'failedDeposits'
  /** A transfer can name a depositor other than its payer: `payNaming`. */
  | 'namedDepositors'
  /** Accounts sign texts, and the adapter has `verifyMessage`: `signText`. */
  | 'signedTexts'
  /** A recipient can change between check and payment: `turning`. */
  | 'turningRecipients'
  /** A recipient's code can run and use work: `liars`. */
  | 'recipientCode'
  /** A fill can make calls (`capabilities.destinationCalls`); payers of the lane hold native coin. */
  | 'destinationCalls'
  /** Calls of a token fill can spend native coin sent with it (`DestinationCalls.carriesTopUp`). */
  | 'topUpForCalls'
  /** The adapter has `capabilities.depositAddresses`; anyone pays them by plain transfers: `payAddress`. */
  | 'depositAddresses'
  /** Transfers wait at deposit addresses for a sweep leg (`DepositAddresses.sweeps`). */
  | 'sweeps'
  /** The adapter has `capabilities.rawCalls`: `callee`. */
  | 'rawCalls'
  /** The adapter has `capabilities.permits`: `permitPayer`. */
  | 'permits'
  /** The adapter has `capabilities.nonceMappings`: `mappingPayer`. */
  | 'nonceMappings'
  /** Tokens can charge a transfer fee: `keeping`. */
  | 'keepingTokens'
  /** A payment can carry a malformed order id: `payGarbled`. */
  | 'garbledNames'
  /** Payers write order ids in several ways: `payWritten`. */
  | 'writtenNames'
  /** Providers can prune history: `forget`. */
  | 'forgottenHistory'
  /** The adapter takes several providers: `openSecond`. Only families with one provider lack it. */
  | 'secondProvider'
  /** A provider can serve another chain and reveals it when asked: `openSecond('elsewhere')`. */
  | 'strangeProvider'
  /**
   * A provider can refuse one question and answer all others: `openRefusing`. Only families without providers lack
   * it.
   */
  | 'refusedQuestions';

export type LostSend = 'request' | 'reply' | 'page';

/**
 * - `behind`: lacks the newest one to three blocks and answers as of its own head.
 * - `elsewhere`: serves another chain of the same kind, without any transaction of the solver.
 * - `apart`: follows a fork with other newest blocks.
 * - `refusing`: answers every sent transaction as invalid and never passes it on.
 */
export type WrongProvider = 'behind' | 'elsewhere' | 'apart' | 'refusing';

export interface ChainProcess {
  /** Started: `status()` is healthy and cached values are present. */
  readonly adapter: ChainAdapter;
  /** As if the process died: background work ends, memory is lost. */
  stop(): Promise<void>;
}

/** A process with one provider that can be made to refuse a question; other processes are unaffected. */
export interface RefusedProcess extends ChainProcess, Refusals {}

/** A payer's transaction, opaque to the kit. */
export interface Payment {
  /** Transaction id before inclusion. */
  readonly id: string;
}

export interface ReorgRequest {
  /** Newest blocks to replace. Never reaches a final block. */
  readonly depth: number;
  /**
   * - `gone`: the transactions are neither in a block nor in the pool afterwards.
   * - `later`: they are included again, in order, in another block, before the promise resolves.
   */
  readonly transactions: 'gone' | 'later';
  /** With `later`: payments that come first in the new block. */
  readonly first?: readonly Payment[];
}

export interface TransferWish {
  readonly currency: string;
  readonly amount: bigint;
  readonly orderId: OrderId;
}

export interface AddressTransfer {
  /** A deposit address. */
  readonly address: string;
  readonly currency: string;
  readonly amount: bigint;
}

/** Something that a call for others can do, as its chain can show. */
export interface Callee {
  /** Has an effect each time it is made. */
  readonly call: RawCall;
  /** Always fails. */
  readonly failing: RawCall;
  /** How often `call` has had its effect, at the head. */
  made(): Promise<number>;
}

/** Signs what an adapter offers, with a key that holds this currency alone. */
export interface PermitPayer {
  /** Canonical. */
  readonly address: string;
  readonly currency: string;
  /** Smallest unit. */
  readonly holds: bigint;
  sign(typed: TypedData): Promise<string>;
}

/** Holds plenty of the token, and coin for its transactions. Resolves when what it sent waits for inclusion. */
export interface MappingPayer {
  /** Canonical. */
  readonly address: string;
  readonly currency: string;
  sign(typed: TypedData): Promise<string>;
  /** Another signature of the same key over the same data, made from this one without the key. Absent: there is none. */
  twin?(signature: string): string;
  /** As a wallet: the transactions of the steps, with the numbers that they say. */
  send(steps: readonly DepositStep[]): Promise<Payment>;
  /** Two plain transfers of its own tokens to the depository in one transaction of its own, without an order. */
  sendTwice(amount: bigint): Promise<Payment>;
  /** A plain transfer to the depository, without an order, in a transaction of its own: of tokens of another account. */
  sendForAnother(amount: bigint): Promise<Payment>;
}

/** A hostile recipient that can be paid until it turns. */
export interface TurningRecipient {
  /** How it turns, for messages. */
  readonly how: string;
  /** Canonical, never paid before. */
  readonly address: string;
  /** Canonical address of the configured currency that pays it and that the lane holds. */
  readonly currency: string;
  /** Resolves when it has turned, in a block. Called once. */
  turn(): Promise<void>;
}

/**
 * Drives a chain, real or simulated, for the conformance kit and reports the truth about it without asking the
 * adapter under test.
 *
 * Promises resolve when the chain has done the work, not when an adapter noticed. The kit waits only with `pass`; a
 * harness with a simulated clock keeps it running while the kit awaits an adapter.
 */
export interface ChainHarness extends KitHarness {
  readonly lacks: Readonly<Partial<Record<ChainAbility, string>>>;

  /** Another process of the same solver: same chain, configuration and keys. The first lane is tested. */
  open(): Promise<ChainProcess>;
  /**
   * `secondProvider`: a process with two providers; the first is wrong from now on, the second is that of `open`. The
   * largest deposits need both (`ChainDeposits.quorum`). Needs `strangeProvider` for `elsewhere`.
   * @param from with `apart`: height of the lowest replaced block, not final; its content is absent or at another
   * height in the fork.
   * @returns undefined where the process refuses to start, as it may with a provider of another chain.
   */
  openSecond?(wrong: WrongProvider, from?: number): Promise<ChainProcess | undefined>;
  /** `refusedQuestions`: a process with its own provider, which refuses nothing yet. Several are open at once. */
  openRefusing?(): Promise<RefusedProcess>;
  /** Provider calls of all processes so far. */
  requests(): number;
  /**
   * Fate of the next transaction that any process sends, once. The sender cannot distinguish the first two.
   * - `request`: it never reaches the chain.
   * - `reply`: it does, and the answer is lost.
   * - `page`: it never reaches the chain, and a gateway answers with an HTTP error instead of the provider.
   */
  loseNext(what: LostSend): void;
  /** While true, no provider answers any process. */
  silence(on: boolean): void;

  /** Canonical addresses of at least one configured currency, the native coin first where it can be paid. */
  readonly currencies: readonly string[];
  /** `keepingTokens`: address of a configured token with a transfer fee, not among `currencies`. Payers hold plenty. */
  readonly keeping?: string;
  /** Smallest amount without dust or rent rules; the kit moves 1 to 1,000 of them, plus less than one. */
  unit(currency: string): bigint;

  /** Canonical address of payer `n` (1 to 3), who holds plenty of each currency. */
  user(n: number): string;
  /** Canonical address of a never-paid recipient (any `n`) that can receive each currency. */
  recipient(n: number): string;
  /**
   * Signs and sends deposit steps in order, as a wallet would. Resolves when the last one waits for inclusion;
   * earlier ones may be included already.
   */
  pay(payer: string, steps: readonly DepositStep[]): Promise<Payment>;
  /** `orphans`: a payment without an order id. */
  payOrphan?(payer: string, currency: string, amount: bigint): Promise<Payment>;
  /** `foreignCurrencies`: pays in an unconfigured currency. @returns its canonical address too. */
  payForeign?(payer: string, amount: bigint, orderId: OrderId): Promise<Payment & { readonly currency: string }>;
  /** `depositsTogether`: all in one transaction, in this order. Depositor and payer may differ. */
  payTogether?(payer: string, wishes: readonly TransferWish[]): Promise<Payment>;
  /**
   * `shiftingEvents`: makes only the second deposit when included now, and both in this order when included again
   * after a reorg.
   */
  payShifting?(payer: string, first: TransferWish, second: TransferWish): Promise<Payment>;
  /**
   * `strays`: every kind of transfer that carries this order and is no deposit of it, one per transaction: to other
   * accounts of the vault's owner, past the contract, events of a foreign contract.
   */
  payStrays?(payer: string, orderId: OrderId): Promise<readonly Payment[]>;
  /**
   * `failedDeposits`: transactions that are included without making this deposit, one per way the family knows, such
   * as too little gas or another action that fails.
   */
  payFailing?(payer: string, wish: TransferWish): Promise<readonly Payment[]>;
  /**
   * `garbledNames`: deposits of this amount with a malformed order id, one per way: a half, mismatched halves, too
   * long, another id.
   */
  payGarbled?(payer: string, wish: TransferWish): Promise<readonly Payment[]>;
  /**
   * `writtenNames`: deposits of this amount that name exactly this order, one per notation: upper case, no prefix,
   * white space, bytes, with a wallet's own words.
   */
  payWritten?(payer: string, wish: TransferWish): Promise<readonly Payment[]>;
  /** `namedDepositors`: a payment in the first currency that names `depositor`, who neither pays nor signs. */
  payNaming?(payer: string, depositor: string, amount: bigint, orderId: OrderId): Promise<Payment>;
  /** `signedTexts`: a user's signature of a text. */
  signText?(user: string, text: string): Promise<string>;
  /**
   * Sends minimal amounts without an order, `times` to the depository and `times` to the first lane's signer; resolves
   * when all are in blocks.
   */
  touch(times: number): Promise<void>;
  /** `depositAddresses`: a plain transfer, as any wallet or exchange makes it. Exactly the amount arrives. */
  payAddress?(payer: string, transfer: AddressTransfer): Promise<Payment>;
  /**
   * `depositAddresses`: a transfer arrives by another transaction than the one its payer sent, whose id the kit cannot
   * know.
   */
  readonly arrivesElsewhere?: true;
  /**
   * Transactions that seem to pay a deposit address and transfer nothing of a configured currency: reverted, of an
   * unconfigured currency, of a token with a configured one's name. Absent: the family has none.
   */
  payAddressWithoutEffect?(payer: string, transfer: AddressTransfer): Promise<readonly Payment[]>;
  /** `paymentReplacement`: replaces an unconfirmed payment, which can then never be included. */
  replacePayment?(payment: Payment, steps: readonly DepositStep[]): Promise<Payment>;

  /**
   * Canonical addresses whose funds no one can ever spend, one per kind: sentinels, programs, token accounts of
   * others. Absent: only the native sentinel.
   */
  swallowing?(): Promise<readonly string[]>;

  /** `turningRecipients`: new ones, one per way in which an account can change its kind. */
  turning?(): Promise<readonly TurningRecipient[]>;
  /**
   * `recipientCode`: new ones, paid in native coin, with code that burns work or refuses: always, only outside of
   * trials, sometimes, only after they turned.
   */
  liars?(): Promise<readonly TurningRecipient[]>;

  /** `rawCalls`: another one each time. */
  callee?(): Promise<Callee>;
  /** `permits`: another one each time. */
  permitPayer?(): Promise<PermitPayer>;
  /** `nonceMappings`: another one each time. */
  mappingPayer?(): Promise<MappingPayer>;

  /** Makes at least one block, until all that waits is included and has taken effect. */
  include(): Promise<void>;
  mine(blocks: number): Promise<void>;
  /** Makes blocks until the present head is final. */
  finalize(): Promise<void>;
  /** `reorgs`: the replacement is at least as long, and the providers follow it. */
  reorg?(request: ReorgRequest): Promise<void>;
  /** Depth of a reorg that is still allowed right after `include`; at least 1 with `reorgs`. */
  readonly reorgDepth: number;
  /** `forgottenHistory`: from now on providers show nothing in final blocks; resulting balances stay. */
  forget?(): Promise<void>;
  /** `keyExpiry`: until no transaction prepared before can ever be included, and that is final. */
  expireKeys?(): Promise<void>;
  /** `messageExpiry`: until no transaction prepared before can ever be included; its key stays usable. */
  expireMessages?(): Promise<void>;
  /** Maximum legs of one transaction; 1 without `batches`. */
  readonly mostLegs: number;

  head(): Promise<BlockRef>;
  /** The newest block that can never be replaced. */
  finalized(): Promise<BlockRef>;
  /** At the head, smallest unit. */
  balance(address: string, currency: string): Promise<bigint>;
  /** At the head. */
  depositoryBalance(currency: string): Promise<bigint>;
  /**
   * - `spellings`: other spellings with their canonical text, at least one account and one currency; canonical texts
   *   where a family has one spelling.
   * - `refused`: at least one near-address: cut short, one letter too many, wrong checksum.
   */
  readonly addresses: {
    readonly spellings: readonly { readonly text: string; readonly canonical: string }[];
    readonly refused: readonly string[];
  };

  /** Lets the solver's time pass: a pause on a real chain, the clock's on a simulated one. */
  pass(ms: number): Promise<void>;
  /**
   * Puts the clocks of all processes, also later ones, ahead without waiting; the chain is unaffected. On real time
   * use `clockAhead`.
   */
  skip(ms: number): Promise<void>;
  /** Makes blocks until the head's timestamp is at or past `time`. The kit asks for a minute at most. */
  advanceTo(time: UnixMs): Promise<void>;
}
