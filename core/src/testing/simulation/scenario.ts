import type { TradeType } from '../../domain/quote.js';
import type { FakeProfileName } from '../fake-chain/fake-chain-types.js';

/** What a user does with its quote. */
export const USER_KINDS = [
  /** Pays the quote at once. */
  'honest',
  'payingTwice',
  /** Two accounts pay the same order. */
  'twoPayers',
  'underpaying',
  'overpaying',
  /** Pays after the quote's validity, before the order's deadline. */
  'late',
  /** Pays after its own `ttl`. */
  'pastTtl',
  'pastDeadline',
  'wrongCurrency',
  'wrongChain',
  'unknownOrder',
  'noOrder',
  'replacing',
  'withdrawing',
  'rejectingRecipient',
  'rejectingRefund',
  'refundWanted',
  /** Pays too little for a refund after gas. */
  'dust',
  /** Bids too low; raises later for the same order, or never. */
  'cheap',
  /** Every node evicts its payment; it may resend. */
  'forgotten',
  /** Pays with the change of an unconfirmed, replaceable transaction. */
  'descending',
  /** Double-spends its unconfirmed payment, for another order or none. */
  'doubleSpending',
] as const;

export const POOL_USERS: readonly UserKind[] = ['cheap', 'forgotten', 'descending', 'doubleSpending'];

export type UserKind = (typeof USER_KINDS)[number];

export const FAULT_KINDS = [
  /** The process dies at a call; another starts later. */
  'crash',
  /** Clean stop and start. */
  'restart',
  /** The process pauses past its leases and resumes. */
  'pause',
  /** A second process runs; one of the two pauses past its leases and resumes. */
  'twins',
  'restoredDatabase',
  'rpcDropBefore',
  'rpcDropAfter',
  'rpcSlow',
  'rpcOddError',
  'rpcOddReply',
  'rpcStaleHead',
  /** One provider follows a fork. */
  'rpcContradiction',
  'rpcDown',
  'depositReorg',
  'fillReorg',
  /** Gas prices jump and transactions wait. */
  'feeJump',
  'chainHalt',
  'priceJump',
  'priceOutage',
  /** Inventory runs out until a top-up. */
  'drought',
  /** Gas coin runs out until a top-up. */
  'gasDrought',
  /** A process's wall clock moves by up to an hour. */
  'wallJump',
  /** A commit has no effect, unknown to its caller. */
  'commitLost',
  /** A commit has effect, unknown to its caller. */
  'commitUnheard',
  'readFails',
  'storeSlow',
  /** The solver's key is used outside the service. */
  'foreignUse',
  /** An operator pauses a chain or everything. */
  'operatorPause',
  /** An operator refunds, releases a hold or resumes a lane. */
  'operatorCommand',
  /** Two processes start on a restored database. */
  'restoredTwins',
  /** A database is restored while later sends are in flight. */
  'restoredInFlight',
  /** One provider follows a fork during a reorg of the common chain. */
  'loneReorg',
  /** Unconfirmed blocks: their transactions land later or are lost. */
  'droppedForks',
  /** Recipients close their token accounts. */
  'accountsClosed',
  /** Nodes evict much of the pool; some is resent. */
  'poolLoss',
  /** The deepest possible reorg removes a deposit and includes its rival. */
  'doubleSpendReorg',
  /** The screener is down. Drawn only with a screener. */
  'screeningDown',
] as const;

export const POOL_FAULTS: readonly FaultKind[] = ['poolLoss', 'doubleSpendReorg'];

export type FaultKind = (typeof FAULT_KINDS)[number];

export const ATTACK_KINDS = [
  /** Sends worthless or almost valid payments under a victim's order id. */
  'frontRunning',
  /** Sends one unit repeatedly, with foreign order ids and without. */
  'dustSpam',
  /** Deposits maximum amounts of its own token. */
  'madeUpToken',
  /** Unreadable transactions on the depository. */
  'riddling',
  /** Gives its token account away before or during a payment. */
  'accountGivenAway',
  /** Closes its token account for the rent. */
  'accountCycling',
  /** Its code burns work, always or only after the trial. */
  'gasBurning',
  'refundBurning',
  /** Pays into an account of the service that no book covers. */
  'strayPaying',
  /** Pays with a depegged member of an asset group. */
  'depegTrading',
  /** Takes many quotes and pays the best by the later market. */
  'bestOfMany',
  /** Pays late, at expensive gas. */
  'lateAtHighGas',
  'refundCircles',
  /** Uses limits up with orders that fail. */
  'limitExhausting',
  /** Deposits another user's money in its own transaction. */
  'jointPaying',
  'poolMoving',
  /** Repeats top-ups with minimal outputs, refusing one and burning the other's gas. */
  'topUpCircles',
  /** Refuses or burns its payment in a shared transaction. */
  'shareSpoiling',
  /** Executes foreign orders, reports foreign reverts, and executes its own order wrongly. */
  'foreignExecuting',
  /** Fixes many rates and pays only the profitable ones. */
  'firmOption',
  /** Moves pools under its own swap and under refund swaps. */
  'swapSpoiling',
  /** Swaps for foreign orders: too little, too much, or unquoted. */
  'foreignSwapping',
  /** Replays one swap. */
  'swapReplaying',
] as const;

export const SWAP_IN_ATTACKS: readonly AttackKind[] = ['swapSpoiling', 'foreignSwapping', 'swapReplaying'];

export const POOL_ATTACKS: readonly AttackKind[] = ['poolMoving', ...SWAP_IN_ATTACKS];

export type AttackKind = (typeof ATTACK_KINDS)[number];

export interface ChainPlan {
  readonly id: number;
  readonly profile: FakeProfileName;
  readonly blockTimeMs: number;
  readonly finalityDepth: number;
  readonly acceptDepth: number;
  /** Irregular block times; absent: steady. */
  readonly irregular?: true;
  /** See `FakeChainOptions.payerSwaps`. */
  readonly own?: true;
  /** Users also swap into the depository and on refunds; only with `own`. */
  readonly swapsIn?: true;
  /** See `FakeChainOptions.shares`. */
  readonly shares?: true;
  /** See `FakeChainOptions.vault`. */
  readonly vault?: true;
  /** See `FakeChainOptions.orderIdBytes`. */
  readonly orderIdBytes?: number;
  /** See `FakeChainOptions.addresses`. */
  readonly addresses?: true;
  /** See `FakeChainOptions.calls`. */
  readonly calls?: true;
}

/** Asks for a deposit address and pays it, instead of the depository. */
export interface AddressWishes {
  readonly type: 'strict' | 'open';
  /** Names a refund address, as strict addresses require. */
  readonly refunds: boolean;
  /** Names a recovery address as well. */
  readonly recovers?: true;
}

/** What an integrator's app balance and executors do for its user. */
export interface GaslessWishes {
  /** What sends the deposit: the service, by the payer's signature or by a call for others, or the payer. */
  readonly by: 'permit' | 'call' | 'payer';
  /** The app balance pays the fees. */
  readonly sponsored: boolean;
  /** Asks for a fill before the deposit is deep enough. */
  readonly fast: boolean;
}

export interface UserPlan {
  /** Its draws depend on this and the seed alone, so leaving others out changes nothing for it. */
  readonly id: number;
  readonly kind: UserKind;
  /** Virtual milliseconds since the start. */
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
  /** Requests the pool token with these wishes; absent: a solver currency. */
  readonly swaps?: SwapWishes;
  /** Fixed rate, with a key. */
  readonly fixed?: true;
  /** Asks with a key; absent: only for a fixed rate. */
  readonly keyed?: true;
  /** Gas top-up, micro-USD; absent: none. */
  readonly topUp?: number;
  /** Absent: pays the depository. */
  readonly address?: AddressWishes;
  /** Only on chains with an executor; absent: neither. */
  readonly gasless?: GaslessWishes;
  /** Coin for a call in its fill, smallest unit; absent: no call. */
  readonly coinForCall?: number;
}

export interface SwapWishes {
  readonly fallback: boolean;
  readonly exact: boolean;
  /** Basis points. */
  readonly slippageBps: number;
  /** Only the measured source. */
  readonly measured: boolean;
}

export interface TradePlan {
  readonly at: number;
  readonly chain: number;
  readonly symbol: string;
  /** Buys the pool token, otherwise sells it. */
  readonly buys: boolean;
  /** Micro-USD. */
  readonly value: number;
}

export interface AttackPlan extends Omit<UserPlan, 'kind'> {
  readonly kind: AttackKind;
}

export interface ShopPlan {
  readonly id: number;
  /** Basis points. */
  readonly feeBps: number;
  /** Claim times, virtual milliseconds. */
  readonly at: readonly number[];
}

/** What is called: `turning` refuses after it was tried, `burning` needs more work than it did then. */
export const CALLEES = ['well', 'well', 'well', 'refusing', 'turning', 'burning'] as const;

/** A call for others that no quote names. */
export interface RawCallPlan {
  readonly id: number;
  /** Virtual milliseconds. */
  readonly at: number;
  readonly chain: number;
  readonly key: number;
  readonly callee: (typeof CALLEES)[number];
  /** Repeats it under an `Idempotency-Key`. */
  readonly repeats: boolean;
}

/** What a key may sponsor, micro-USD. */
export interface LimitPlan {
  readonly key: number;
  readonly maxPerCall?: number;
  readonly maxPerUser?: number;
  readonly maxPerDay?: number;
}

/** A payment that is meant for an app balance. */
export interface BalancePlan {
  readonly id: number;
  readonly at: number;
  readonly chain: number;
  readonly integrator: number;
  /** Names the integrator, or comes from its linked address; `neither`: belongs to no balance. */
  readonly names: 'id' | 'address' | 'neither';
  readonly pays: string;
  /** Micro-USD. */
  readonly value: number;
}

export const MOODS = [
  'well',
  'failing',
  /** Lets most requests time out; may accept some of them. */
  'hanging',
  'slow',
  /** Accepts while its sender sees a failure. */
  'losing',
  /** All of these, with requests for later retries. */
  'mixed',
  'gone',
] as const;

export type Mood = (typeof MOODS)[number];

export type EndpointAct = 'change' | 'rotate' | 'replay' | 'test' | 'disable' | 'enable' | 'remove';

export interface EndpointPlan {
  readonly id: number;
  /** Integrator that registers it; null: a configured notifier. */
  readonly integrator: number | null;
  /** Registration time, virtual milliseconds. */
  readonly at: number;
  /** Subscribed statuses; empty: all. */
  readonly statuses: readonly string[];
  readonly chains: readonly number[];
  readonly keys: readonly string[];
  /** Moods by start time until the world is healthy; `well` before the first. */
  readonly moods: readonly { readonly at: number; readonly mood: Mood }[];
  readonly acts: readonly { readonly at: number; readonly act: EndpointAct }[];
  /** Its owner enables it again once the world is healthy. */
  readonly returns: boolean;
}

/** Blocked users with start times, virtual milliseconds. */
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
  readonly ms: number;
  readonly chain: number;
}

export interface FixedRatePlan {
  readonly validityMs: number;
  /** Open fixed-rate value in micro-USD, per key and in total. */
  readonly perKey: number;
  readonly all: number;
}

export interface PolicyPlan {
  readonly orderTtlMs: number;
  /** Absent where irrelevant. */
  readonly confirmationTimeoutMs?: number;
  readonly inclusionWindowMs: number;
  readonly fillConfirmations: number;
  readonly gasReserveFills: number;
  readonly maxUnfinalUsd: number | null;
  /** Absent: none. */
  readonly maxDailyUsd?: number;
  /** Micro-USD; absent: nothing is dust. */
  readonly dustMicroUsd?: number;
  /** Fixed-rate terms; absent: none. */
  readonly fixedRate?: FixedRatePlan;
  /** Open unpaid quotes per payer; absent: unlimited. */
  readonly mostUnpaidQuotes?: number;
}

export interface Scenario {
  readonly seed: number;
  readonly chains: readonly ChainPlan[];
  readonly policy: PolicyPlan;
  readonly users: readonly UserPlan[];
  readonly faults: readonly FaultPlan[];
  readonly attacks?: readonly AttackPlan[];
  readonly shops?: readonly ShopPlan[];
  /** Traders; absent: no pools. */
  readonly trades?: readonly TradePlan[];
  /** Receivers of the dispatcher; absent: none. */
  readonly endpoints?: readonly EndpointPlan[];
  /** Absent: no app balances and no calls for others. */
  readonly gasless?: {
    readonly calls: readonly RawCallPlan[];
    readonly balances: readonly BalancePlan[];
    /** Absent in older scenarios: none. */
    readonly limits?: readonly LimitPlan[];
  };
  /** Absent: no screener. */
  readonly screening?: ScreeningPlan;
}

/** Allowed content of runs; default everything. */
export interface Profile {
  readonly profiles?: readonly FakeProfileName[];
  readonly users?: readonly UserKind[];
  readonly faults?: readonly FaultKind[];
  /** Default: all attackers, in most runs. */
  readonly attacks?: readonly AttackKind[];
  readonly also?: readonly FaultKind[];
  /** Random block times, deeper finality and longer order lives. */
  readonly irregular?: true;
  /** Pools on call-making chains in every run. */
  readonly pools?: true;
  /** Swap deposits in every run; only with `pools`. */
  readonly swapsIn?: true;
  /** Receivers; default: in some runs. */
  readonly endpoints?: boolean;
  /** Account depositories on all chains without outputs. */
  readonly vaults?: true;
  /** Deposit addresses on all chains, paid by most users; absent: none. */
  readonly addresses?: true;
  /** App balances, calls for others, permits and fast fills, on chains that make calls; absent: none. */
  readonly gasless?: true;
  /** A screener with blocked users and outages in every run; absent: none. */
  readonly screening?: true;
  /** Shortened order ids on all chains. */
  readonly shortForms?: true;
  readonly requests?: readonly [least: number, most: number];
}
