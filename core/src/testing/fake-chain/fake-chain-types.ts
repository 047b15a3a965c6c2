import type { ChainAdapter } from '../../contract/chain-adapter.js';
import type { Clock, Random } from '../../contract/clock.js';
import type { DepositStep } from '../../contract/deposits.js';
import type { BlockRef, ChainId, FundingKey, Hex, OrderId, UnixMs, UnixSeconds } from '../../contract/ids.js';
import type { Alerts, Logger } from '../../contract/observability.js';
import type { FakeCode } from './execution.js';
import type { FakeSwap, Reserves } from './pools.js';
import type { FakeExecute, FakeSwapIn } from './transaction.js';

/**
 * How a chain locks one transaction against another.
 *
 * `nonce`: account and sequence number; another transaction under the same number may replace it.
 * `expiring`: the exact message, until its last valid height has passed at a final block; nothing replaces it. No contract:
 *   fills and withdrawals are payments that nothing keeps once-only. Tokens need accounts that somebody pays for, nodes take
 *   what they do not try, nothing is told before it is in a block, and not every block is confirmed.
 * `utxo`: at least one common input; the mempool is public; replaceable; several legs in one transaction.
 * `async`: wallet sequence number and valid-until; what a send does arrives blocks later, or bounces.
 */
export type FakeProfileName = 'nonce' | 'expiring' | 'utxo' | 'async';

export interface FakeCurrencyOptions {
  readonly symbol: string;
  readonly decimals: number;
  /** Asset group; default: the symbol in lower case. */
  readonly group?: string;
  /** Whether the service simulates a transfer when quoting. */
  readonly transferCheck?: boolean;
  /** It is taken only by way of a swap. */
  readonly swappedIn?: boolean;
}

export interface FakePoolSide {
  readonly symbol: string;
  /** Smallest unit. */
  readonly holds: bigint;
}

export interface FakeChainOptions {
  readonly id: ChainId;
  /** Unique over the service; default `fake-<id>`. */
  readonly name?: string;
  readonly profile?: FakeProfileName;
  /** The world's clock: time of blocks, delays of replies. Not a process's view of it. */
  readonly clock: Clock;
  /** Forked by the chain for each of its needs. */
  readonly random: Random & { fork(name: string): Random };
  /** Default 2,000. */
  readonly blockTimeMs?: number;
  /** Blocks come as independent events, as where they are found by luck; default: at steady times. */
  readonly irregular?: boolean;
  /** Blocks below the head that are final; default 6. */
  readonly finalityDepth?: number;
  /** Providers that the adapters use, in order of preference; default 2. */
  readonly providers?: number;
  /** The native coin; default `FAKE` with 18 decimals. */
  readonly native?: FakeCurrencyOptions;
  /** Default: one token `USDF` with 6 decimals in group `usd`. */
  readonly tokens?: readonly FakeCurrencyOptions[];
  /** Fills that are due together share transactions, and one that fails is left out of its transaction, alone; default: none do. */
  readonly shares?: boolean;
  /**
   * The depository is an account of the solver's, which sends what leaves it under numbers of its own and pays the fees, also for each
   * deposit that it takes; default: a contract.
   */
  readonly vault?: boolean;
  /** So many first bytes of an order id are all that its deposits show; default: whole ids. The chain itself, for judges, has whole ids. */
  readonly orderIdBytes?: number;
  /** Users execute by themselves what stays within the chain; default: nobody does. */
  readonly ownSwaps?: boolean;
  /** They swap on their way into the depository, too, and on the way back; only with `ownSwaps`. Default: nobody does. */
  readonly swapDeposits?: boolean;
  /** Pools of two currencies, by symbol, with what each side holds; default none. */
  readonly pools?: readonly (readonly [FakePoolSide, FakePoolSide])[];
  /** What the solver's signer holds at the start, per symbol; default 10^6 whole units of each. */
  readonly inventory?: Readonly<Record<string, bigint>>;
  /** Blocks that must follow a deposit of this value before it is acted upon; default none. */
  readonly acceptDepth?: (valueMicroUsd: bigint) => number;
  /** How many providers must tell of a deposit from this value on; default: whoever the watcher follows is believed. */
  readonly quorum?: { readonly aboveMicroUsd: bigint; readonly providers: number };
  /** Price of one unit of work at the start; default 10. */
  readonly baseFee?: bigint;
  /** Transactions that may wait for inclusion; beyond that the worst paid is forgotten. Default 5,000. */
  readonly poolSize?: number;
  /** Most that the adapter offers per unit of work; default 1,000. */
  readonly feeCap?: bigint;
  /** Virtual time that news of a block needs to a process, drawn per block and process; default 1 to 50 ms. */
  readonly propagationMs?: readonly [least: number, most: number];
  /** Virtual time of a call without fault; default none. */
  readonly latencyMs?: readonly [least: number, most: number];
}

/** What one service process brings: its own view of time, and the end of its life. */
export interface FakeProcessDeps {
  readonly clock: Clock;
  readonly random: Random;
  /** Ends the background work of the process's adapter. */
  readonly signal: AbortSignal;
  readonly log?: Logger;
  readonly alerts?: Alerts;
  /**
   * Awaited before each call to a provider; undefined while the process runs. Never resolves for a dead process, so
   * that nothing leaves it any more; for a stopped one when it goes on.
   */
  readonly gate?: () => Promise<void> | undefined;
}

export interface FakeAdapter extends ChainAdapter {
  /** Resolves once the warm values are there, or when the process ends. */
  readonly ready: Promise<void>;
}

/** One call of a process to one provider. */
export interface FakeCall {
  readonly chainId: ChainId;
  /** From 0. */
  readonly provider: number;
  readonly method: FakeMethod;
}

export type FakeMethod = 'head' | 'scan' | 'state' | 'check' | 'send' | 'look' | 'describe' | 'balance';

/** What goes wrong with one call. Times are virtual milliseconds. */
export type FakeFault =
  /** The call never arrives; the caller learns nothing for `ms`, then that the connection failed. */
  | { readonly kind: 'dropBefore'; readonly ms: number }
  /** The call is served and its reply is lost. */
  | { readonly kind: 'dropAfter'; readonly ms: number }
  /** The reply is made at once and comes late. */
  | { readonly kind: 'slow'; readonly ms: number }
  /** The call arrives late, and its reply at once after that. */
  | { readonly kind: 'delayed'; readonly ms: number }
  /** Refused with a text that means nothing to the adapter; the call is not served. */
  | { readonly kind: 'oddError'; readonly message: string }
  /** Served, then answered with such a text: "sent", in a way. */
  | { readonly kind: 'oddReply'; readonly message: string };

/** Asked once per call; undefined: nothing goes wrong. Must be deterministic. */
export type FaultPlan = (call: FakeCall) => FakeFault | undefined;

/** One node that adapters talk to. Its defects last until changed; faults of single calls come from the plan. */
export interface FakeProviderControls {
  readonly index: number;
  /** Nobody answers while true. */
  down: boolean;
  /** Blocks that it stays behind. */
  lag: number;
  /** Blocks that its receipts come late; kept below finality. */
  receiptsLate: number;
  /** Blocks that its deposit events come late although the block is there: the adapter must notice and wait. */
  eventsLate: number;
  /** Does not take transactions: every send is refused with a text that means nothing. */
  refusing: boolean;
  /** Does not take transactions: every send is refused as one that is not valid. */
  rejecting: boolean;
  /** Knows no unconfirmed transaction. */
  poolBlind: boolean;
  /**
   * Leaves the others' chain `depth` blocks below the head and goes on alone with blocks of its own, which hold the
   * `deposits`, one each, and nothing else.
   */
  diverge(depth: number, deposits?: readonly FakeDepositInput[]): void;
  /** Back to the common chain. */
  rejoin(): void;
  /** The newest block it knows. */
  readonly head: BlockRef;
  /** The newest block that it takes for final. */
  readonly finalized: BlockRef;
  /** Height of the newest block that it ever took for final while it went its own way; 0 where it never did. */
  readonly firm: number;
  /** Height of the newest block that it shares with the common chain. */
  readonly forkHeight: number;
  /** Deposits in the blocks that it has and the common chain has not, newest block first. */
  apart(): readonly FakeDeposit[];
}

export interface FakeDepositInput {
  readonly from: string;
  /** Canonical address or symbol. */
  readonly currency: string;
  readonly amount: bigint;
  /** What the transfer carries; null for an orphan. */
  readonly orderId: OrderId | null;
  /** Price per unit of work; default: enough for the next block. */
  readonly price?: bigint;
  /** Whom the chain shows as depositor, where that is not who pays. */
  readonly depositor?: string;
  /** Into an account of the depository's owner that is no pot. */
  readonly stray?: true;
  /** A transaction whose change it spends, which may wait itself; only where transactions spend outputs. */
  readonly parent?: string;
}

export interface FakeUserTransaction {
  readonly hash: string;
  readonly from: string;
  /** Funding keys of its deposits, as observations will name them. */
  readonly fundingKeys: readonly FundingKey[];
}

/** What becomes of the transactions of the blocks that a reorg removes. */
export interface ReorgOptions {
  /** Hashes that disappear, from the pool too; `all` of them; default none: the rest waits in the pool again. */
  readonly drop?: 'all' | readonly string[];
  /** New blocks; default one more than were removed. */
  readonly length?: number;
  /** Hashes that are included before all others. */
  readonly first?: readonly string[];
  /** How many of the new blocks are empty before what waits in the pool is included again; default 0. */
  readonly empty?: number;
}

interface OnChain {
  readonly hash: string;
  readonly block: BlockRef;
}

export interface FakeDeposit extends OnChain {
  readonly fundingKey: FundingKey;
  /** Whose money it was. */
  readonly from: string;
  readonly depositor: string;
  readonly currency: string;
  readonly amount: bigint;
  readonly orderId: OrderId | null;
  /** What the pool got that it came out of; absent: it was deposited as it is. */
  readonly paid?: { readonly currency: string; readonly amount: bigint };
  /** Native coin that the depository was charged for it; absent: nothing. */
  readonly cost?: bigint;
}

/** What somebody executed under an order's id. */
export interface FakeExecution extends OnChain {
  /** As observations name it. */
  readonly id: string;
  readonly orderId: OrderId;
  readonly payer: string;
  readonly recipient: string;
  readonly input: string;
  readonly amountIn: bigint;
  readonly output: string;
  readonly amountOut: bigint;
  readonly feeTo: string;
  readonly fee: bigint;
}

/** A transaction that touched the depository in a form that nobody can read. */
export type FakeRiddle = OnChain;

export interface FakeFill extends OnChain {
  readonly orderId: OrderId;
  readonly filler: string;
  readonly currency: string;
  readonly recipient: string;
  readonly amount: bigint;
  readonly deadline: UnixSeconds;
  /** What its calls exchanged that for, as its recipient got it. */
  readonly brought?: { readonly currency: string; readonly amount: bigint };
}

export interface FakeWithdrawal extends OnChain {
  readonly useKey: Hex;
  readonly currency: string;
  readonly recipient: string;
  readonly amount: bigint;
  /** What it was exchanged for, as its recipient got it. */
  readonly brought?: { readonly currency: string; readonly amount: bigint };
}

/** One thing that a transaction was to do. `work`: what it took of that, where each of several is told of by itself. */
export interface FakeCarried {
  readonly name: string;
  readonly rent: bigint;
  readonly work?: bigint;
  /** It alone failed. */
  readonly leftOut?: true;
}

/** Fee that a transaction paid, native smallest unit. `ok` is false for one that reverted. */
export interface FakeFee extends OnChain {
  readonly signer: string;
  readonly fee: bigint;
  /** What it took of the chain's work. */
  readonly work: bigint;
  /**
   * Orders that it was to fill or to execute, and once-only keys of what it was to withdraw, whatever came of it; and the part of the fee that
   * accounts lock up which it opened for them.
   */
  readonly carries: readonly FakeCarried[];
  readonly ok: boolean;
}

/**
 * The canonical chain, for oracles: live arrays in chain order, cut back and continued by a reorg. What is at or below
 * `finalized` never changes.
 */
export interface FakeHistory {
  readonly head: BlockRef;
  readonly finalized: BlockRef;
  readonly deposits: readonly FakeDeposit[];
  readonly fills: readonly FakeFill[];
  readonly withdrawals: readonly FakeWithdrawal[];
  readonly fees: readonly FakeFee[];
  readonly executions: readonly FakeExecution[];
  /** Counts reorgs: while it is the same, the arrays only grow. */
  readonly reorgs: number;
}

/** A chain that outlives the service processes, and everything a test does to it. */
export interface FakeChain {
  readonly id: ChainId;
  readonly profile: FakeProfileName;
  /** Address of the solver's signer. */
  readonly signer: string;
  readonly depository: string;
  /** Canonical address of a currency by its symbol. */
  currencyOf(symbol: string): string;

  /** An adapter for one service process: warm memory of its own, the same chain. */
  adapter(deps: FakeProcessDeps): FakeAdapter;

  readonly providers: readonly FakeProviderControls[];
  /** What goes wrong with single calls. Set to undefined for none. */
  faults: FaultPlan | undefined;

  /** Makes blocks by the clock from now on, until the signal aborts. */
  start(signal: AbortSignal): void;
  /** No blocks by the clock while true; `mine` still works. */
  halted: boolean;
  /** Makes blocks now. */
  mine(count?: number): void;
  /**
   * How many of the newest blocks no node has taken for final yet. One that went its own way may have been ahead, and told of a
   * block as final that the common chain can still replace: a reorg of more than this is deeper than finality to whoever asked it.
   */
  readonly reachable: number;
  /** Replaces the newest `depth` blocks. @throws when that would reach a final block. */
  reorg(depth: number, options?: ReorgOptions): void;
  /** Price of one unit of work, from the next block on. */
  baseFee: bigint;
  /** Share of the slots by the clock whose block nobody confirms, with half of its transactions lost; default 0. */
  forking: number;

  /** Puts a user's deposit into the mempool; the user is given the means. */
  deposit(input: FakeDepositInput): FakeUserTransaction;
  /** Somebody executes an order, with the means for it. Its hash. */
  execute(from: string, action: FakeExecute): string;
  /** Somebody swaps into the depository, as often as it likes in one transaction, with the means for it. */
  swapIn(from: string, actions: readonly FakeSwapIn[], price?: bigint): FakeUserTransaction;
  /** Executes what steps for a wallet say, as a wallet would, without waiting for inclusion. */
  pay(steps: readonly DepositStep[], price?: bigint): FakeUserTransaction;
  /**
   * Another transaction of the same user under the same single-use key, at a better price: with a deposit, or without
   * one to take it back. Undefined when it comes too late.
   */
  replaceDeposit(
    hash: string,
    instead: Omit<FakeDepositInput, 'from'> | null,
    price?: bigint,
  ): FakeUserTransaction | undefined;
  /**
   * Replaces the newest `depth` blocks by others that have a rival of one of their transactions. Its hash; undefined where nothing
   * can take its place. @throws when that would reach a final block.
   */
  doubleSpend(hash: string, depth: number): string | undefined;
  /** Forgets an unconfirmed transaction everywhere. False when it is not in the pool. */
  evict(hash: string): boolean;
  /** Somebody sends again what was evicted. False where no node takes it now. */
  rebroadcast(hash: string): boolean;
  /** A transaction of a user that moves nothing, for its change to be spent. Its hash. */
  prepay(from: string, price?: bigint): string;
  /** What is left of a deposit's own output, and of those that were spent with it; undefined where deposits are none. */
  coin(fundingKey: FundingKey): bigint | undefined;
  /** Somebody exchanges in a pool, with the means for it. Its hash. */
  trade(from: string, swap: FakeSwap, price?: bigint): string;
  /** What a pool holds at the head; nothing where there is none. */
  reserves(input: string, output: string): Reserves;
  /** Hashes that wait for inclusion. */
  pool(): readonly string[];
  /** Whether a payment under an order id or a once-only key waits for inclusion, as whoever reads the pool sees it. */
  waits(name: string): boolean;
  /** Somebody else uses the solver's key: a transfer to `to` under the next free single-use key. Its hash. */
  useSignerElsewhere(to: string, currency: string, amount: bigint): string;
  /** Gives an account funds, out of nothing and beyond any reorg. */
  fund(account: string, currency: string, amount: bigint): void;
  /** An owner closes its account for a token, where tokens need accounts. */
  closeAccount(owner: string, currency: string): void;
  /** An owner gives its account for a token away, at the same address. */
  giveAway(owner: string, currency: string, to: string): void;
  /** Somebody touches the depository in a form that nobody can read. */
  riddle(from: string): void;
  /** Gives a recipient code, which runs when it is paid in native coin. */
  deploy(recipient: string, code: FakeCode): void;
  /** The chain refuses transfers to it from the next block on. */
  block(recipient: string): void;
  unblock(recipient: string): void;

  history(): FakeHistory;
  /** Balance at the head. */
  balance(account: string, currency: string): bigint;
  /** Times of the chain, for deadlines. */
  now(): UnixMs;
}
