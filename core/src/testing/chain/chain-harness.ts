import type { ChainAdapter } from '../../contract/chain-adapter.js';
import type { DepositStep } from '../../contract/deposits.js';
import type { BlockRef, OrderId, UnixMs } from '../../contract/ids.js';
import type { Refusals } from '../proxies/refusals.js';
import type { KitHarness } from '../report-types.js';

/**
 * What a chain family may be unable to express. Whatever a harness lacks it says with a reason, and the cases that
 * need it are reported as not applicable with that reason. Everything that is not listed here every family has.
 */
export type ChainAbility =
  /** A transfer to the depository can carry no order id: `payOrphan`. */
  | 'orphans'
  /** A currency that is not configured can be paid to where the depository's currencies are: `payForeign`. */
  | 'foreignCurrencies'
  /** One transaction can make several deposits: `payTogether`. */
  | 'depositsTogether'
  /** A payer's unconfirmed transaction can be replaced by another of theirs: `replacePayment`. */
  | 'paymentReplacement'
  /** Unconfirmed payments are observed with state `mempool`. */
  | 'mempool'
  /** The chain under test can be made to replace blocks: `reorg`. */
  | 'reorgs'
  /** A transaction can execute differently when it is included again: `payShifting`. */
  | 'shiftingEvents'
  /** Nothing enters a block unless the harness makes one. */
  | 'heldPool'
  /** Providers tell of a transaction of ours that waits for inclusion. */
  | 'poolTold'
  /** Two different transactions can have one single-use key: two prepares from one position do. */
  | 'sharedKeys'
  /** Keys end by history: one does not exclude what else was signed from its position. Nobody else lacks `sharedKeys`. */
  | 'signerHistory'
  /** Several transactions of a lane can wait for inclusion at once. */
  | 'pipeline'
  /** Replacing one transaction of a lane leaves those behind it as good as they were. */
  | 'independentKeys'
  /** The adapter has `replace`, and nodes take what it makes in place of what waits. */
  | 'replacement'
  /** A key becomes useless by time alone: `expireKeys`. */
  | 'keyExpiry'
  /** A transaction runs out and its key does not: `expireMessages`. */
  | 'messageExpiry'
  /** A transaction can carry several legs: `most` of `batches`. */
  | 'batches'
  /** A transaction of ours can be included and fail. */
  | 'reverts'
  /** The chain refuses a second fill of an order. */
  | 'fillOnce'
  /** The chain refuses a second withdrawal with the same use key. */
  | 'withdrawOnce'
  /** The chain refuses a fill after the order's deadline. */
  | 'fillDeadline'
  /** Money can seem to be paid into the depository, and be where no book of the service has it: `payStrays`. */
  | 'strays'
  /** A transaction that would deposit can be included without effect: `payFailing`. */
  | 'failedDeposits'
  /** A transfer can name somebody else than who pays as its depositor: `payNaming`. */
  | 'namedDepositors'
  /** Accounts sign texts, and the adapter has `verifyMessage`: `signText`. */
  | 'signedTexts'
  /** What a recipient is can change between the check of a payment and the payment: `turning`. */
  | 'turningRecipients'
  /** Whoever is paid can run code then, which costs work: `liars`. */
  | 'recipientCode'
  /** A fill can make calls, and the adapter has `capabilities.destinationCalls`; payers of the lane hold native coin. */
  | 'destinationCalls'
  /** Those of a fill in a token can spend native coin that comes with it (`DestinationCalls.carriesCoin`). */
  | 'coinForCalls'
  /** Tokens can keep a part of what they move: `keeping`. */
  | 'keepingTokens'
  /** A payment can carry what is nearly the name of an order: `payGarbled`. */
  | 'garbledNames'
  /** People write the names of orders in several ways: `payWritten`. */
  | 'writtenNames'
  /** Providers can throw the past away: `forget`. */
  | 'forgottenHistory'
  /** The adapter takes several providers: `openBeside`. Only families with one provider lack it. */
  | 'secondProvider'
  /** A provider of another chain can be among them, and says so where it is asked: `openBeside('elsewhere')`. */
  | 'strangeProvider'
  /** A provider can refuse one question and answer all others: `openRefusing`. Only families without providers lack it. */
  | 'refusedQuestions';

/** In which way a transaction gets lost; see `ChainHarness.loseNext`. */
export type LostSend = 'request' | 'reply' | 'page';

/**
 * How a provider is wrong. `behind`: it always lacks the newest blocks, one to three of them, and answers as of the last one that it
 * has. `elsewhere`: it serves another chain of the same kind, on which nothing of ours ever happened. `apart`: it follows a fork, with
 * other blocks in the place of the newest ones. `refusing`: it answers every transaction that it is sent as nodes of the family answer
 * one that is not valid, and never passes it on.
 */
export type WrongProvider = 'behind' | 'elsewhere' | 'apart' | 'refusing';

/** A service process of the solver, as far as the chain sees it. */
export interface ChainProcess {
  /** Started: `status()` is healthy and the warm values are there. */
  readonly adapter: ChainAdapter;
  /** As if the process had died: its background work ends, and nothing of its memory is kept. */
  stop(): Promise<void>;
}

/** A process with one provider, which can be made to refuse a question. Those of other processes answer all. */
export interface RefusedProcess extends ChainProcess, Refusals {}

/** A payer's transaction. Opaque to the kit: only its own harness reads it. */
export interface Payment {
  /** The payer's transaction as the chain names it before inclusion. */
  readonly id: string;
}

export interface ReorgRequest {
  /** Newest blocks to replace. Never reaches a final block. */
  readonly depth: number;
  /**
   * What becomes of the transactions of those blocks. `gone`: they are neither in a block nor in the pool afterwards.
   * `later`: they are included again, in order, in another block than before, before the promise resolves.
   */
  readonly transactions: 'gone' | 'later';
  /** With `later`: these payments of the replaced blocks come before all others in the new block. */
  readonly first?: readonly Payment[];
}

export interface TransferWish {
  readonly currency: string;
  readonly amount: bigint;
  readonly orderId: OrderId;
}

/** A recipient who can be paid until it turns. Its owner means harm. */
export interface TurningRecipient {
  /** In which way it turns, for messages. */
  readonly how: string;
  /** Canonical, never paid before. */
  readonly address: string;
  /** Canonical address of a configured currency, which the lane holds, and which it is paid in. */
  readonly currency: string;
  /** Resolves when it has turned, in a block. Called once. */
  turn(): Promise<void>;
}

/**
 * What the author of a chain adapter writes once, so that the conformance kit can drive the adapter on a chain, real
 * or simulated. Says what to do to the chain and what is true on it, in no family's terms, and never asks the adapter
 * under test for it.
 *
 * Everything resolves when the chain has done it, not when an adapter has noticed. Time: the kit waits only with
 * `pass`; calls of an adapter must come to an end by themselves, so a harness with a simulated clock keeps it running
 * while the kit awaits an adapter.
 */
export interface ChainHarness extends KitHarness {
  readonly lacks: Readonly<Partial<Record<ChainAbility, string>>>;

  // The solver

  /** Another process of the same solver: the same chain, configuration and keys. The first lane is the one tested. */
  open(): Promise<ChainProcess>;
  /**
   * `secondProvider`: a process with two providers, of which the first in its configuration is wrong from now on and the second is the
   * one that `open` has. Both must tell of the largest deposits (`ChainDeposits.quorum`). With `strangeProvider` for either way.
   *
   * @param from with `apart`: height of the lowest block in whose place it has another one. It is not final, and what is in it is not
   *   in the other one, or not at that height.
   * @returns undefined where the process refuses to start, as it may beside a provider of another chain.
   */
  openBeside?(wrong: WrongProvider, from?: number): Promise<ChainProcess | undefined>;
  /** `refusedQuestions`: a process with a provider of its own, which refuses nothing yet. Several are open at once. */
  openRefusing?(): Promise<RefusedProcess>;
  /** Calls that all processes made to their providers so far. */
  requests(): number;
  /**
   * What happens to the next transaction that any process sends, once: `request`: it never reaches the chain, `reply`: it does and the
   * answer is lost. For the sender both look the same. `page`: it never reaches the chain, and something on the way answers instead of
   * the provider, as a gateway that is full or wants to be paid does: with an error of HTTP, not in the provider's words.
   */
  loseNext(what: LostSend): void;
  /** While true, no provider answers any process. */
  silence(on: boolean): void;

  // What can be moved

  /** Canonical addresses of at least one configured currency, the native coin first where it can be paid. */
  readonly currencies: readonly string[];
  /** `keepingTokens`: the address of a configured one, not among `currencies`, that keeps a part of each transfer. Payers hold plenty. */
  readonly keeping?: string;
  /** Smallest amount that may be moved without dust or rent rules; the kit moves 1 to 1,000 of them, plus less than one. */
  unit(currency: string): bigint;

  // Users

  /** Canonical address of payer `n` (1 to 3), who holds plenty of each currency. */
  user(n: number): string;
  /** Canonical address of a recipient (any `n`) who never received anything and can receive each currency. */
  recipient(n: number): string;
  /**
   * Signs and sends the items of deposit steps as a wallet would, in order, and resolves when the last one waits for
   * inclusion. Earlier items may be included on the way.
   */
  pay(payer: string, steps: readonly DepositStep[]): Promise<Payment>;
  /** `orphans`: a payment that carries no order id. */
  payOrphan?(payer: string, currency: string, amount: bigint): Promise<Payment>;
  /** `foreignCurrencies`: pays with a currency that no configuration lists. @returns its canonical address too. */
  payForeign?(payer: string, amount: bigint, orderId: OrderId): Promise<Payment & { readonly currency: string }>;
  /** `depositsTogether`: all of it in one transaction, in this order. The depositor may be another party than the payer. */
  payTogether?(payer: string, wishes: readonly TransferWish[]): Promise<Payment>;
  /**
   * `shiftingEvents`: a transaction that makes the second deposit alone where it is included now, and both, in this
   * order, where it is included again after a reorg.
   */
  payShifting?(payer: string, first: TransferWish, second: TransferWish): Promise<Payment>;
  /**
   * `strays`: whatever the family knows of transfers that carry this order and are no deposit of it, each in a transaction of
   * its own: to other accounts in the vault's name, past the contract, events of somebody else's contract.
   */
  payStrays?(payer: string, orderId: OrderId): Promise<readonly Payment[]>;
  /**
   * `failedDeposits`: transactions that would make this deposit, and that a block includes without their doing so: one of each way
   * that the family knows, such as too little work paid for, or another part of them that cannot be done.
   */
  payFailing?(payer: string, wish: TransferWish): Promise<readonly Payment[]>;
  /**
   * `garbledNames`: deposits of this amount whose transactions carry nearly the name of this order, each in a way of its own: a half
   * of it, halves that do not belong together, more than it, the name of something else.
   */
  payGarbled?(payer: string, wish: TransferWish): Promise<readonly Payment[]>;
  /**
   * `writtenNames`: deposits of this amount whose transactions name this order and no other, each as a person or a wallet may write it:
   * upper-case digits, without a prefix, with white space, as bytes, next to words of the wallet's own.
   */
  payWritten?(payer: string, wish: TransferWish): Promise<readonly Payment[]>;
  /** `namedDepositors`: a payment in the first currency that names `depositor`, who neither pays nor signs it. */
  payNaming?(payer: string, depositor: string, amount: bigint, orderId: OrderId): Promise<Payment>;
  /** `signedTexts`: what a user's wallet makes of a text. */
  signText?(user: string, text: string): Promise<string>;
  /**
   * Somebody without an order sends least amounts, as many times to the depository as to the first lane's signer, and resolves
   * when all of it is in blocks.
   */
  touch(times: number): Promise<void>;
  /** `paymentReplacement`: another payment in place of an unconfirmed one, which can then never be included. */
  replacePayment?(payment: Payment, steps: readonly DepositStep[]): Promise<Payment>;

  /**
   * Canonical addresses from which no one could ever spend what they are paid in any currency, one of each way that the family knows:
   * sentinels, programs, accounts that hold the tokens of others. Absent: it knows of none beside the native sentinel.
   */
  swallowing?(): Promise<readonly string[]>;

  // Recipients who mean harm

  /** `turningRecipients`: new ones, one of each way in which an account of the family can become another thing. */
  turning?(): Promise<readonly TurningRecipient[]>;
  /**
   * `recipientCode`: new ones, paid in native coin, with code that burns work or refuses: always, only where the payment is no
   * trial, only sometimes, only after they turned.
   */
  liars?(): Promise<readonly TurningRecipient[]>;

  // Blocks

  /** Makes blocks until all that waits is included and has taken effect. At least one. */
  include(): Promise<void>;
  /** Makes this many blocks. */
  mine(blocks: number): Promise<void>;
  /** Makes blocks until the present head is final. */
  finalize(): Promise<void>;
  /** `reorgs`: the replacement is at least as long as what it replaces, and the providers follow it. */
  reorg?(request: ReorgRequest): Promise<void>;
  /** Depth of a reorg that is still allowed right after `include`; at least 1 where the family has `reorgs`. */
  readonly reorgDepth: number;
  /** `forgottenHistory`: from now on no provider tells of anything that is in final blocks; what it came to is told as before. */
  forget?(): Promise<void>;
  /** `keyExpiry`: until no transaction prepared before can ever be included, and that is final. */
  expireKeys?(): Promise<void>;
  /** `messageExpiry`: until no transaction prepared before can ever be included, though another may take its key. */
  expireMessages?(): Promise<void>;
  /** Most legs of one transaction; 1 without `batches`. */
  readonly mostLegs: number;

  // Truth

  head(): Promise<BlockRef>;
  /** The newest block that can never be replaced. */
  finalized(): Promise<BlockRef>;
  /** At the head, smallest unit. */
  balance(address: string, currency: string): Promise<bigint>;
  /** What the depository holds at the head. */
  depositoryBalance(currency: string): Promise<bigint>;
  /**
   * Texts of addresses.
   *
   * `spellings`: other spellings and the canonical text of each, one of an account and one of a configured currency at least; of a
   * family with a single spelling, its canonical texts. `refused`: texts that are close to an address and are none, one at least: cut
   * short, with a letter too many, with a letter that the checksum does not fit.
   */
  readonly addresses: {
    readonly spellings: readonly { readonly text: string; readonly canonical: string }[];
    readonly refused: readonly string[];
  };

  // Time

  /** Time passes for the solver: on a real chain a pause, on a simulated one the clock's. */
  pass(ms: number): Promise<void>;
  /**
   * The clocks of all processes, also of those that are opened later, are so much ahead of what they showed before, and nobody waits for
   * it. The chain knows nothing of it. On real time give adapters the clock of `clockAhead`.
   */
  skip(ms: number): Promise<void>;
  /** Makes blocks until the head's timestamp is at or past `time`. The kit asks for a minute at most. */
  advanceTo(time: UnixMs): Promise<void>;
}
