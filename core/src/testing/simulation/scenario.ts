import type { TradeType } from '../../domain/quote.js';
import type { FakeProfileName } from '../fake-chain/fake-chain-types.js';

/** What a user does with the quote it got. */
export const USER_KINDS = [
  /** Pays what was asked, at once. */
  'honest',
  /** Pays the same order twice. */
  'payingTwice',
  /** Pays the same order from two accounts. */
  'twoPayers',
  'underpaying',
  'overpaying',
  /** Pays after the quote's validity, before the order's deadline. */
  'late',
  /** Pays after its own `ttl`. */
  'pastTtl',
  /** Pays after the order's deadline. */
  'pastDeadline',
  /** Pays in another currency than was asked. */
  'wrongCurrency',
  /** Pays on another chain than was asked. */
  'wrongChain',
  /** Carries an order id that nobody gave. */
  'unknownOrder',
  /** Carries no order id. */
  'noOrder',
  /** Pays, and replaces its payment by another one while it waits. */
  'replacing',
  /** Pays, and takes the payment back while it waits. */
  'withdrawing',
  /** Its recipient refuses what it is sent. */
  'rejectingRecipient',
  /** Wants a refund, to an account that refuses it. */
  'rejectingRefund',
  /** Asks for a refund of whatever arrives. */
  'refundWanted',
  /** Pays so little that no refund is left after gas. */
  'dust',
  /** Offers too little for a block; raises it later, for the same order, or never does. */
  'cheap',
  /** Its payment is forgotten by every node, and it sends it again, or does not. */
  'forgotten',
  /** Pays with the change of a transaction that waits itself, and may be replaced. */
  'descending',
  /** Spends what it paid with elsewhere, for another order or none, while the payment waits. */
  'doubleSpending',
] as const;

/** What only a public pool makes a difference to. */
export const POOL_USERS: readonly UserKind[] = ['cheap', 'forgotten', 'descending', 'doubleSpending'];

export type UserKind = (typeof USER_KINDS)[number];

export const FAULT_KINDS = [
  /** The process ends at a call, and another one starts later. */
  'crash',
  /** The process stops cleanly, and another one starts. */
  'restart',
  /** The process is stopped past its leases, and goes on. */
  'pause',
  /** A second process runs beside the first; one of them is stopped past its leases, and goes on. */
  'twins',
  /** An old database is put back. */
  'restoredDatabase',
  'rpcDropBefore',
  'rpcDropAfter',
  'rpcSlow',
  'rpcOddError',
  'rpcOddReply',
  /** One provider stays behind. */
  'rpcStaleHead',
  /** One provider goes on alone on another chain. */
  'rpcContradiction',
  /** Every provider of a chain is down. */
  'rpcDown',
  'depositReorg',
  'fillReorg',
  /** Transactions wait: the price of work jumps. */
  'feeJump',
  'chainHalt',
  'priceJump',
  'priceOutage',
  /** The solver runs out of what it pays with, until it is topped up. */
  'drought',
  /** The signer runs out of coin for gas, until it is topped up. */
  'gasDrought',
  /** The wall clock of a process moves, by up to an hour. */
  'wallJump',
  /** A commit takes no effect, and nobody knows. */
  'commitLost',
  /** A commit takes effect, and nobody knows. */
  'commitUnheard',
  'readFails',
  'storeSlow',
  /** The solver's key is used outside the service. */
  'foreignUse',
  /** An operator pauses a chain or everything. */
  'operatorPause',
  /** An operator pays back, releases a hold or resumes a lane, whatever comes of it. */
  'operatorCommand',
  /** An old database is put back, and two processes start on it together. */
  'restoredTwins',
  /** An old database is put back while what was sent since is still under way. */
  'restoredInFlight',
  /** One provider goes on alone on another chain while the common one is reorganised. */
  'loneReorg',
  /** Blocks of a chain with forks are not confirmed: what was in them comes in another one, or is lost. */
  'droppedForks',
  /** Recipients close the accounts that they are to be paid into. */
  'accountsClosed',
  /** Nodes forget much of what waits; some of it is sent again. */
  'poolLoss',
  /** A reorg takes a deposit, as deep as it may, and a rival of it is in the new blocks. */
  'doubleSpendReorg',
  /** Whoever says who is blocked does not answer. Drawn only where somebody is asked. */
  'screeningDown',
] as const;

/** What happens to chains whose pool is public and whose transactions spend outputs. */
export const POOL_FAULTS: readonly FaultKind[] = ['poolLoss', 'doubleSpendReorg'];

export type FaultKind = (typeof FAULT_KINDS)[number];

export const ATTACK_KINDS = [
  /** Sends something worthless, or as good as, under the order id of somebody who is about to pay. */
  'frontRunning',
  /** Sends one unit again and again, with order ids that others were given and with none. */
  'dustSpam',
  /** Deposits the largest amounts there are of a token of its own making. */
  'madeUpToken',
  /** Touches the depository in forms that nobody can read. */
  'riddling',
  /** Gives the account that it is to be paid into to somebody else, before or while it is paid. */
  'accountGivenAway',
  /** Closes the account that it is to be paid into, for what that locks up. */
  'accountCycling',
  /** Its code takes more work than others do, from the beginning, or once it has been tried. */
  'gasBurning',
  /** The same, with what is paid back to it. */
  'refundBurning',
  /** Pays into an account of the service's that is no pot. */
  'strayPaying',
  /** Pays with a member of an asset group that is worth less than the others. */
  'depegTrading',
  /** Takes many quotes, and pays the one that the market has made the best. */
  'bestOfMany',
  /** Pays late, when filling has become dear. */
  'lateAtHighGas',
  /** Has everything paid back to itself, again and again. */
  'refundCircles',
  /** Uses up limits with orders that come to nothing. */
  'limitExhausting',
  /** Pays somebody else's money in, in a transaction of its own. */
  'jointPaying',
  /** Moves pools under fills of its own and of others, and back. */
  'poolMoving',
  /** Asks for coin beside little else over and over, refuses one of the two, and burns the gas of the other. */
  'topUpCircles',
  /** Refuses, or burns, what it is paid among others in one transaction. */
  'shareSpoiling',
  /** Executes under orders of others, tells of what reverted for them, and executes its own otherwise than was promised. */
  'foreignExecuting',
  /** Has many rates fixed, and pays those alone that the market has moved in its favour. */
  'firmOption',
  /** Moves the pools under its own swap on the way in, and under exchanges on the way back. */
  'swapSpoiling',
  /** Swaps on the way in under orders of others: too little, too much, or what nobody quoted. */
  'foreignSwapping',
  /** Swaps by one entry more than once. */
  'swapReplaying',
] as const;

/** Drawn only where deposits may be swapped, and there alone. */
export const SWAP_IN_ATTACKS: readonly AttackKind[] = ['swapSpoiling', 'foreignSwapping', 'swapReplaying'];

/** Drawn only where there are pools. */
export const POOL_ATTACKS: readonly AttackKind[] = ['poolMoving', ...SWAP_IN_ATTACKS];

export type AttackKind = (typeof ATTACK_KINDS)[number];

export interface ChainPlan {
  readonly id: number;
  readonly profile: FakeProfileName;
  readonly blockTimeMs: number;
  readonly finalityDepth: number;
  /** Blocks that every deposit waits for. */
  readonly acceptDepth: number;
  /** Blocks come when they come, some at once and some late; absent: at steady times. */
  readonly irregular?: true;
  /** Users execute by themselves what stays within it; see `FakeChainOptions.ownSwaps`. */
  readonly own?: true;
  /** They swap on their way into the depository what is not taken, and on the way back; only with `own`. */
  readonly swapsIn?: true;
  /** Fills that are due together share transactions; see `FakeChainOptions.shares`. */
  readonly shares?: true;
  /** Its depository is an account that sends and pays fees; see `FakeChainOptions.vault`. */
  readonly vault?: true;
  /** Its deposits show no more of an order id; see `FakeChainOptions.orderIdBytes`. */
  readonly orderIdBytes?: number;
}

export interface UserPlan {
  /** Its random draws depend on this and the seed alone, so that leaving others out changes nothing for it. */
  readonly id: number;
  readonly kind: UserKind;
  /** Virtual milliseconds since the beginning. */
  readonly at: number;
  /** Chain ids. */
  readonly origin: number;
  readonly destination: number;
  /** Symbols. */
  readonly pays: string;
  readonly gets: string;
  /** Micro-USD. */
  readonly value: number;
  readonly tradeType: TradeType;
  /** Asks for what only pools have, with these wishes; absent: for what the solver holds. */
  readonly swaps?: SwapWishes;
  /** Has a key, and its rate fixed. */
  readonly fixed?: true;
  /** Asks with a key; absent: only where its rate is fixed. */
  readonly keyed?: true;
  /** Native coin that it asks for beside its output, micro-USD; absent: none. */
  readonly topUp?: number;
  /** Has its fill call somebody with some of that coin, smallest unit; absent: nobody. */
  readonly coinForCall?: number;
}

export interface SwapWishes {
  readonly fallback: boolean;
  readonly exact: boolean;
  /** Hundredths of a per cent. */
  readonly slippageBps: number;
  /** From the source alone whose swaps have to be measured. */
  readonly measured: boolean;
}

/** Somebody who exchanges in a pool, for reasons of its own. */
export interface TradePlan {
  readonly at: number;
  readonly chain: number;
  readonly symbol: string;
  /** What it wants is what only pools have; else it brings that. */
  readonly buys: boolean;
  /** Micro-USD. */
  readonly value: number;
}

/** What an attacker works with; what it does is its kind. */
export interface AttackPlan extends Omit<UserPlan, 'kind'> {
  readonly kind: AttackKind;
}

/** Somebody who brings payers, takes a fee of what they pay, and claims it from time to time. */
export interface ShopPlan {
  readonly id: number;
  /** Hundredths of a per cent. */
  readonly feeBps: number;
  /** When it claims, virtual milliseconds. */
  readonly at: readonly number[];
}

/** How a receiver answers for a while. */
export const MOODS = [
  'well',
  /** Refuses most, and takes none of what it refuses. */
  'failing',
  /** Lets most wait until its sender gives up; some of that it takes all the same, then or later. */
  'hanging',
  /** Takes everything, seconds later. */
  'slow',
  /** Takes what its sender is told has failed. */
  'losing',
  /** All of that, and asks to come back later. */
  'mixed',
  /** Wants nothing any more. */
  'gone',
] as const;

export type Mood = (typeof MOODS)[number];

/** What the owner of an endpoint does with it. */
export type EndpointAct = 'change' | 'rotate' | 'replay' | 'test' | 'disable' | 'enable' | 'remove';

/** Somebody who is told of events. */
export interface EndpointPlan {
  readonly id: number;
  /** Number of the integrator that registers it; null: a notifier of the config. */
  readonly integrator: number | null;
  /** When it is registered, virtual milliseconds. */
  readonly at: number;
  /** What it is told of alone; empty: of all. */
  readonly statuses: readonly string[];
  readonly chains: readonly number[];
  readonly keys: readonly string[];
  /** From which time on it answers how, until the world is healthy; well before the first. */
  readonly moods: readonly { readonly at: number; readonly mood: Mood }[];
  readonly acts: readonly { readonly at: number; readonly act: EndpointAct }[];
  /** Its owner has it told again, once the world is healthy, where it is disabled then. */
  readonly returns: boolean;
}

/** Whom a screener blocks, and from when on, virtual milliseconds. */
export interface ScreeningPlan {
  readonly blocks: readonly {
    readonly user: number;
    readonly account: 'wallet' | 'recipient' | 'refunds';
    readonly at: number;
  }[];
}

export interface FaultPlan {
  readonly id: number;
  readonly kind: FaultKind;
  readonly at: number;
  /** How long it lasts where it lasts. */
  readonly ms: number;
  /** The chain it happens to, where it happens to one. */
  readonly chain: number;
}

export interface FixedRatePlan {
  readonly validityMs: number;
  /** Micro-USD, kept at one time for one key, and for all. */
  readonly perKey: number;
  readonly all: number;
}

export interface PolicyPlan {
  readonly orderTtlMs: number;
  /** Absent where nothing depends on it. */
  readonly confirmationTimeoutMs?: number;
  readonly inclusionWindowMs: number;
  readonly fillConfirmations: number;
  readonly gasReserveFills: number;
  readonly maxUnfinalUsd: number | null;
  /** Absent: none. */
  readonly maxDailyUsd?: number;
  /** Micro-USD; absent: nothing is dust. */
  readonly dustMicroUsd?: number;
  /** On which terms rates are fixed; absent: none are. */
  readonly fixedRate?: FixedRatePlan;
  /** Live quotes that one payer may leave unpaid; absent: any number. */
  readonly mostUnpaidQuotes?: number;
}

/** A whole run as data, drawn from its seed before anything happens. */
export interface Scenario {
  readonly seed: number;
  readonly chains: readonly ChainPlan[];
  readonly policy: PolicyPlan;
  readonly users: readonly UserPlan[];
  readonly faults: readonly FaultPlan[];
  /** Absent: nobody means harm. */
  readonly attacks?: readonly AttackPlan[];
  /** Absent: nobody takes app fees. */
  readonly shops?: readonly ShopPlan[];
  /** Chains that make calls have pools, and these trade there; absent: there are none. */
  readonly trades?: readonly TradePlan[];
  /** Processes have a dispatcher, which tells these; absent: nobody is told. */
  readonly endpoints?: readonly EndpointPlan[];
  /** Processes have a screener; absent: nobody is screened. */
  readonly screening?: ScreeningPlan;
}

/** What runs may contain; default everything. */
export interface Profile {
  readonly profiles?: readonly FakeProfileName[];
  readonly users?: readonly UserKind[];
  readonly faults?: readonly FaultKind[];
  /** Whoever means harm; default: everybody, in most runs. */
  readonly attacks?: readonly AttackKind[];
  /** Faults that every run has besides what it draws. */
  readonly also?: readonly FaultKind[];
  /** Chains whose blocks come at random, deeper finality, and orders that live as long as that takes. */
  readonly irregular?: true;
  /** Every run has pools, where a chain makes calls. */
  readonly pools?: true;
  /** Chains that have pools swap deposits, in every run; only with `pools`. */
  readonly swapsIn?: true;
  /** Whether somebody is told of events; default: in a part of the runs. */
  readonly endpoints?: boolean;
  /** Depositories of all chains that are no chains of outputs are accounts which send and pay fees. */
  readonly vaults?: true;
  /** A screener blocks some users in the course of every run, and is away at times; absent: there is none. */
  readonly screening?: true;
  /** Deposits on all chains show no more than the first bytes of an order id. */
  readonly shortForms?: true;
  /** Requests per run. */
  readonly requests?: readonly [least: number, most: number];
}
