import type { ChainAdapter } from '../../contract/chain-adapter.js';
import type { Clock, Random } from '../../contract/clock.js';
import type { DepositStep } from '../../contract/deposits.js';
import type { BlockRef, ChainId, FundingKey, Hex, OrderId, UnixMs, UnixSeconds } from '../../contract/ids.js';
import type { Alerts, Logger } from '../../contract/observability.js';
import type { FakeCode } from './contracts.js';
import type { FakeSwap, Reserves } from './pools.js';
import type { FakeExecute, FakeRawCall, FakeSwapIn } from './transaction.js';

/**
 * How a chain locks one transaction against another.
 * - `nonce`: account and sequence number, replaceable.
 * - `expiring`: the exact message until its last valid height is final; no replacement. No contract, so payments are
 *   not once-only. Tokens need paid accounts, nodes accept without a trial, nothing unconfirmed is shown, some blocks
 *   are never confirmed.
 * - `utxo`: a common input; public mempool, replaceable, several legs per transaction.
 * - `async`: wallet sequence number and valid-until; effects arrive or bounce blocks later.
 */
export type FakeProfileName = 'nonce' | 'expiring' | 'utxo' | 'async';

export interface FakeCurrencyOptions {
  readonly symbol: string;
  readonly decimals: number;
  /** Asset group; default: the symbol in lower case. */
  readonly group?: string;
  /** Whether quotes simulate a transfer. */
  readonly transferCheck?: boolean;
  /** Accepted only through a swap. */
  readonly swappedIn?: boolean;
}

export interface FakePoolSide {
  readonly symbol: string;
  readonly holds: bigint;
}

export interface FakeChainOptions {
  readonly id: ChainId;
  /** Unique over the service; default `fake-<id>`. */
  readonly name?: string;
  readonly profile?: FakeProfileName;
  readonly clock: Clock;
  readonly random: Random & { fork(name: string): Random };
  /** Default 2,000. */
  readonly blockTimeMs?: number;
  /** Blocks come as a Poisson-like process; default: steady. */
  readonly irregular?: boolean;
  /** Blocks below the head that are final; default 6. */
  readonly finalityDepth?: number;
  readonly providers?: number;
  /** Default `FAKE` with 18 decimals. */
  readonly native?: FakeCurrencyOptions;
  /** Default: one token `USDF` with 6 decimals in group `usd`. */
  readonly tokens?: readonly FakeCurrencyOptions[];
  /** Pending fills share transactions, and a failing one is left out alone; default: none do. */
  readonly shares?: boolean;
  /**
   * The depository is an account of the solver that sends and pays fees, also per accepted deposit; default: a
   * contract.
   */
  readonly vault?: boolean;
  /** Leading order-id bytes that deposits show; default: all. The chain itself keeps whole ids for judges. */
  readonly orderIdBytes?: number;
  /**
   * Users can pay deposit addresses: forwarders that anyone's call empties (`nonce`), accounts of which only the
   * service's sweeper moves amounts (`expiring`, `async`), or outputs spent where they are (`utxo`). Default: false.
   */
  readonly addresses?: boolean;
  /** An executor makes calls for others and sends deposits that their payers signed; only `nonce`. Default: false. */
  readonly calls?: boolean;
  /** Plain token transfers whose order a signature names; only `nonce`. Default: false. */
  readonly mappings?: boolean;
  /** Users execute same-chain orders; default: false. */
  readonly payerSwaps?: boolean;
  /** Users also swap into the depository and on refunds; only with `payerSwaps`. Default: false. */
  readonly swapDeposits?: boolean;
  /** Pools of two currencies by symbol, with reserves; default none. */
  readonly pools?: readonly (readonly [FakePoolSide, FakePoolSide])[];
  /** The signer's initial funds per symbol; default 10^6 whole units of each. */
  readonly inventory?: Readonly<Record<string, bigint>>;
  /** Confirmations for a deposit of this value; default none. */
  readonly acceptDepth?: (valueMicroUsd: bigint) => number;
  /** Providers that must confirm a deposit from this value on; default: the followed provider alone. */
  readonly quorum?: { readonly aboveMicroUsd: bigint; readonly providers: number };
  /** Initial price per unit of work; default 10. */
  readonly baseFee?: bigint;
  /** Pool capacity; the worst paid is evicted. Default 5,000. */
  readonly poolSize?: number;
  /** Maximum price per unit of work; default 1,000. */
  readonly feeCap?: bigint;
  /** Virtual block delay, drawn per block and process; default 1 to 50 ms. */
  readonly propagationMs?: readonly [least: number, most: number];
  /** Virtual time of a call; default none. */
  readonly latencyMs?: readonly [least: number, most: number];
}

export interface FakeProcessDeps {
  readonly clock: Clock;
  readonly random: Random;
  /** Ends the adapter's background work. */
  readonly signal: AbortSignal;
  readonly log?: Logger;
  readonly alerts?: Alerts;
  /**
   * Awaited before each provider call; undefined while the process runs. Never resolves for a dead process, on resume
   * for a paused one.
   */
  readonly gate?: () => Promise<void> | undefined;
}

export interface FakeAdapter extends ChainAdapter {
  /** Resolves once values are cached or at the end of the process. */
  readonly ready: Promise<void>;
}

export interface FakeCall {
  readonly chainId: ChainId;
  readonly provider: number;
  readonly method: FakeMethod;
}

export type FakeMethod = 'head' | 'scan' | 'state' | 'check' | 'send' | 'look' | 'describe' | 'balance';

/** Fault of one call. Times in virtual milliseconds. */
export type FakeFault =
  /** The call never arrives; the connection fails after `ms`. */
  | { readonly kind: 'dropBefore'; readonly ms: number }
  /** The call is served and its reply is lost. */
  | { readonly kind: 'dropAfter'; readonly ms: number }
  /** Served at once, answered late. */
  | { readonly kind: 'slow'; readonly ms: number }
  /** Served late, answered at once. */
  | { readonly kind: 'delayed'; readonly ms: number }
  /** Refused with an unknown text, not served. */
  | { readonly kind: 'oddError'; readonly message: string }
  /** Served and answered with an unknown text. */
  | { readonly kind: 'oddReply'; readonly message: string };

/** Called once per call; undefined: no fault. Must be deterministic. */
export type FaultPlan = (call: FakeCall) => FakeFault | undefined;

export interface FakeProviderControls {
  readonly index: number;
  down: boolean;
  lag: number;
  /** Blocks that receipts lag; kept below finality. */
  receiptsLate: number;
  /** Blocks that deposit events lag behind their block. */
  eventsLate: number;
  /** Refuses every send with an unknown text. */
  refusing: boolean;
  /** Refuses every send as invalid. */
  rejecting: boolean;
  poolBlind: boolean;
  /** Forks `depth` blocks below the head, with one block per deposit and nothing else. */
  diverge(depth: number, deposits?: readonly FakeDepositInput[]): void;
  rejoin(): void;
  readonly head: BlockRef;
  readonly finalized: BlockRef;
  /** Highest block it treated as final while on a fork; 0: none. */
  readonly firm: number;
  /** Newest height shared with the common chain. */
  readonly forkHeight: number;
  /** Deposits only on its fork, newest block first. */
  apart(): readonly FakeDeposit[];
}

export interface FakeDepositInput {
  readonly from: string;
  readonly currency: string;
  readonly amount: bigint;
  readonly orderId: OrderId | null;
  readonly price?: bigint;
  /** Depositor shown by the chain, where it is not the payer. */
  readonly depositor?: string;
  /** To an account of the owner that no book covers. */
  readonly stray?: true;
  /** An unconfirmed transaction whose change it spends; only with outputs. */
  readonly parent?: string;
}

export interface FakeUserTransaction {
  readonly hash: string;
  readonly from: string;
  /** Of its deposits, then of its transfers. */
  readonly fundingKeys: readonly FundingKey[];
}

export interface ReorgOptions {
  /** Hashes that vanish, also from the pool; `all`; default none: they wait again. */
  readonly drop?: 'all' | readonly string[];
  /** New blocks; default one more than removed. */
  readonly length?: number;
  /** Hashes that are included first. */
  readonly first?: readonly string[];
  /** Leading empty blocks; default 0. */
  readonly empty?: number;
}

interface OnChain {
  readonly hash: string;
  readonly block: BlockRef;
}

export interface FakeDeposit extends OnChain {
  readonly fundingKey: FundingKey;
  readonly from: string;
  readonly depositor: string;
  readonly currency: string;
  readonly amount: bigint;
  readonly orderId: OrderId | null;
  /** Swap input; absent: deposited directly. */
  readonly paid?: { readonly currency: string; readonly amount: bigint };
  /** Native coin charged to the depository; absent: none. */
  readonly cost?: bigint;
}

/** A payment to an account other than the depository; only with `FakeChainOptions.addresses`. */
export interface FakeTransfer extends OnChain {
  readonly fundingKey: FundingKey;
  readonly from: string;
  readonly to: string;
  readonly currency: string;
  readonly amount: bigint;
  /** Events name its transaction and payer; otherwise only the balance shows it. */
  readonly shown: boolean;
}

export interface FakeSweep extends OnChain {
  /** Null for a third party's call. */
  readonly useKey: Hex | null;
  readonly address: string;
  readonly currency: string;
  /** What it moved to the depository. */
  readonly amount: bigint;
}

export interface FakeMadeCall extends OnChain {
  readonly useKey: Hex;
  readonly from: string;
  readonly to: string;
  readonly data: Hex;
}

export interface FakeExecution extends OnChain {
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

export type FakeRiddle = OnChain;

export interface FakeFill extends OnChain {
  readonly orderId: OrderId;
  readonly filler: string;
  readonly currency: string;
  readonly recipient: string;
  readonly amount: bigint;
  readonly deadline: UnixSeconds;
  readonly brought?: { readonly currency: string; readonly amount: bigint };
}

export interface FakeWithdrawal extends OnChain {
  readonly useKey: Hex;
  readonly currency: string;
  readonly recipient: string;
  readonly amount: bigint;
  readonly brought?: { readonly currency: string; readonly amount: bigint };
}

/** One planned action. `work`: its own use, where actions are reported separately. */
export interface FakeCarried {
  readonly name: string;
  readonly rent: bigint;
  readonly work?: bigint;
  /** It alone failed. */
  readonly leftOut?: true;
}

/** Fee in native smallest units. `ok` is false for a revert. */
export interface FakeFee extends OnChain {
  readonly signer: string;
  readonly fee: bigint;
  readonly work: bigint;
  /**
   * Orders and once-only keys it was to fill, execute or withdraw, whatever the result, with rent of accounts opened
   * for them.
   */
  readonly carries: readonly FakeCarried[];
  readonly ok: boolean;
}

/** The canonical chain for oracles: live arrays in chain order, rewritten by reorgs above `finalized` only. */
export interface FakeHistory {
  readonly head: BlockRef;
  readonly finalized: BlockRef;
  readonly deposits: readonly FakeDeposit[];
  readonly fills: readonly FakeFill[];
  readonly withdrawals: readonly FakeWithdrawal[];
  readonly fees: readonly FakeFee[];
  readonly executions: readonly FakeExecution[];
  readonly transfers: readonly FakeTransfer[];
  readonly sweeps: readonly FakeSweep[];
  /** Those that took effect. */
  readonly calls: readonly FakeMadeCall[];
  /** Counts reorgs; between them the arrays only grow. */
  readonly reorgs: number;
}

/** A chain that outlives service processes, with its test controls. */
export interface FakeChain {
  readonly id: ChainId;
  readonly profile: FakeProfileName;
  readonly signer: string;
  readonly depository: string;
  /** Pays for sweeps; absent without any. */
  readonly sweeper?: string;
  /** Makes calls for others; absent without any. */
  readonly executor?: string;
  currencyOf(symbol: string): string;

  /** A separate adapter with its own memory for one process. */
  adapter(deps: FakeProcessDeps): FakeAdapter;

  readonly providers: readonly FakeProviderControls[];
  faults: FaultPlan | undefined;

  /** Makes blocks by the clock until the signal aborts. */
  start(signal: AbortSignal): void;
  /** Stops clocked blocks; `mine` still works. */
  halted: boolean;
  mine(count?: number): void;
  /**
   * Newest blocks that no node has treated as final. A forked node may have been ahead; a deeper reorg breaks
   * finality for its reader.
   */
  readonly reachable: number;
  /** @throws when the reorg would reach a final block. */
  reorg(depth: number, options?: ReorgOptions): void;
  /** Price per unit of work, from the next block. */
  baseFee: bigint;
  /** Share of slots with an unconfirmed block, losing half of its transactions; default 0. */
  forking: number;

  deposit(input: FakeDepositInput): FakeUserTransaction;
  execute(from: string, action: FakeExecute): string;
  /** As a stranger who saw it does. */
  call(from: string, action: FakeRawCall, price?: bigint): FakeUserTransaction;
  /** Funds and makes one transaction of any number of swaps into the depository. */
  swapIn(from: string, actions: readonly FakeSwapIn[], price?: bigint): FakeUserTransaction;
  pay(steps: readonly DepositStep[], price?: bigint): FakeUserTransaction;
  /** A plain transfer as any wallet makes it. */
  transfer(from: string, to: string, currency: string, amount: bigint, price?: bigint): FakeUserTransaction;
  /** A third party's call of a forwarder. */
  forward(from: string, salt: Hex, currency: string): string;
  /** Replaces a user's transaction at a better price, with a deposit or none. Undefined when it comes too late. */
  replaceDeposit(
    hash: string,
    instead: Omit<FakeDepositInput, 'from'> | null,
    price?: bigint,
  ): FakeUserTransaction | undefined;
  /**
   * Reorgs `depth` blocks and includes a rival of one of their transactions. @returns its hash, or undefined where no
   * rival is possible.
   * @throws when that would reach a final block.
   */
  doubleSpend(hash: string, depth: number): string | undefined;
  /** Evicts an unconfirmed transaction everywhere. False when not in the pool. */
  evict(hash: string): boolean;
  rebroadcast(hash: string): boolean;
  prepay(from: string, price?: bigint): string;
  /** Remaining value of a deposit's output; undefined without outputs. */
  coin(fundingKey: FundingKey): bigint | undefined;
  trade(from: string, swap: FakeSwap, price?: bigint): string;
  /** Reserves at the head; zero without a pool. */
  reserves(input: string, output: string): Reserves;
  pool(): readonly string[];
  /** Whether a payment under an order id or once-only key is in the pool. */
  waits(name: string): boolean;
  /** @param from default: the signer. */
  useSignerElsewhere(to: string, currency: string, amount: bigint, from?: string): string;
  /** Creates funds that no reorg removes. */
  fund(account: string, currency: string, amount: bigint): void;
  closeAccount(owner: string, currency: string): void;
  giveAway(owner: string, currency: string, to: string): void;
  riddle(from: string): void;
  deploy(recipient: string, code: FakeCode): void;
  block(recipient: string): void;
  unblock(recipient: string): void;

  history(): FakeHistory;
  balance(account: string, currency: string): bigint;
  now(): UnixMs;
}
