import type { Hex } from '../../../contract/ids.js';
import type {
  FakeChain,
  FakeDeposit,
  FakeExecution,
  FakeFill,
  FakeSweep,
  FakeTransfer,
  FakeWithdrawal,
} from '../../fake-chain/fake-chain-types.js';
import type { Promised } from './promised.js';
import type { Findings } from './violation.js';

/** A withdrawal's purpose, by its once-only key. */
export interface Purpose {
  readonly leg: 'refund' | 'excess' | 'sweep';
  readonly fundingKey: string;
}

export interface ChainNews {
  readonly deposits: readonly FakeDeposit[];
  readonly fills: readonly FakeFill[];
  readonly withdrawals: readonly FakeWithdrawal[];
  readonly sweeps: readonly FakeSweep[];
}

/** Receives what a reorg removed from its block, whether or not another block includes it. */
export type OnReorg = (transfers: readonly FakeTransfer[], sweeps: readonly FakeSweep[]) => void;

const NO_ROWS = { deposits: 0, fills: 0, withdrawals: 0, executions: 0, transfers: 0, sweeps: 0 };

/** Follows one canonical chain by purpose, independent of the service. A reorg causes a full reread. */
export class ChainWatch {
  readonly chain: FakeChain;
  readonly #findings: Findings;
  readonly #hash: (fundingKey: string, leg: string) => Hex;
  readonly #onReorg: OnReorg;
  readonly #useKeys = new Map<string, Hex>();
  #reorgs = -1;
  #counts = NO_ROWS;
  #transfers: FakeTransfer[] = [];
  #sweeps: FakeSweep[] = [];
  /** With transfers to deposit addresses. */
  readonly deposits = new Map<string, FakeDeposit>();
  /** Address of each such transfer, by funding key. */
  readonly places = new Map<string, string>();
  /** Promises by their deposit addresses. */
  readonly addresses = new Map<string, Promised>();
  /** Orders that transfers to open addresses ever had, newest last. */
  readonly assigned = new Map<string, string[]>();
  /** Recipients that an operator named for transfers to addresses, by funding key. */
  readonly named = new Map<string, string>();
  /** Amounts of transfers ever on the chain. */
  readonly #everArrived = new Map<string, bigint>();
  readonly fills = new Map<string, FakeFill>();
  readonly withdrawals = new Map<string, FakeWithdrawal>();
  readonly #ofOrder = new Map<string, FakeDeposit[]>();
  /** By once-only key, of every deposit ever seen. */
  readonly #purposes = new Map<string, Purpose>();
  /** Orders with a deposit ever on the chain, with its first amount. */
  readonly #everOfOrder = new Map<string, Map<string, bigint>>();
  readonly #everFilled = new Set<string>();
  readonly #executions = new Map<string, FakeExecution[]>();
  readonly #everExecuted = new Map<string, FakeExecution[]>();

  constructor(
    chain: FakeChain,
    findings: Findings,
    useKey: (fundingKey: string, leg: string) => Hex,
    onReorg: OnReorg = () => undefined,
  ) {
    this.chain = chain;
    this.#findings = findings;
    this.#hash = useKey;
    this.#onReorg = onReorg;
  }

  look(): ChainNews | undefined {
    const history = this.chain.history();
    const { deposits, fills, withdrawals, executions, transfers, sweeps, reorgs } = history;
    if (reorgs !== this.#reorgs) {
      this.#onReorg(missing(this.#transfers, transfers), missing(this.#sweeps, sweeps));
      this.#forget(reorgs);
    }
    const seen = this.#counts;
    const isUnchanged = seen.transfers === transfers.length && seen.sweeps === sweeps.length;
    const isStill = isUnchanged && seen.deposits === deposits.length && seen.fills === fills.length;
    if (isStill && seen.withdrawals === withdrawals.length && seen.executions === executions.length) return undefined;
    const news = {
      deposits: deposits.slice(seen.deposits),
      fills: fills.slice(seen.fills),
      withdrawals: withdrawals.slice(seen.withdrawals),
      sweeps: sweeps.slice(seen.sweeps),
    };
    const arrived = transfers.slice(seen.transfers);
    for (const transfer of arrived) this.#arrived(transfer);
    this.#transfers.push(...arrived);
    this.#sweeps.push(...news.sweeps);
    for (const one of executions.slice(seen.executions)) {
      for (const known of [this.#executions, this.#everExecuted])
        known.set(one.orderId, [...(known.get(one.orderId) ?? []), one]);
    }
    this.#counts = {
      deposits: deposits.length,
      fills: fills.length,
      withdrawals: withdrawals.length,
      executions: executions.length,
      transfers: transfers.length,
      sweeps: sweeps.length,
    };
    for (const deposit of news.deposits) this.#met(deposit);
    for (const fill of news.fills) {
      this.#once(this.fills, fill.orderId, fill, 'filled-twice', 'order');
      this.#everFilled.add(fill.orderId);
    }
    for (const one of news.withdrawals) this.#once(this.withdrawals, one.useKey, one, 'withdrawn-twice', 'withdrawal');
    return news;
  }

  #forget(reorgs: number): void {
    this.#reorgs = reorgs;
    this.#counts = NO_ROWS;
    this.#transfers = [];
    this.#sweeps = [];
    for (const map of [this.deposits, this.fills, this.withdrawals, this.#ofOrder, this.#executions]) map.clear();
  }

  /** Only payments to deposit addresses are followed. */
  #arrived({ to, shown: _, ...transfer }: FakeTransfer): void {
    const promise = this.addresses.get(to);
    if (promise === undefined) return;
    const orders = this.assigned.get(transfer.fundingKey) ?? [];
    this.places.set(transfer.fundingKey, to);
    this.#everArrived.set(transfer.fundingKey, transfer.amount);
    this.#met({ ...transfer, depositor: transfer.from, orderId: (orders.at(-1) ?? promise.orderId) as Hex });
  }

  promiseAt(address: string): Promised | undefined {
    return this.addresses.get(address);
  }

  /** Gives a transfer to an open address its order. */
  assign(fundingKey: string, orderId: string): void {
    const orders = this.assigned.get(fundingKey) ?? [];
    if (orders.at(-1) === orderId) return;
    this.assigned.set(fundingKey, [...orders.filter((one) => one !== orderId), orderId]);
    const deposit = this.deposits.get(fundingKey);
    if (deposit === undefined) return this.#noteEver(orderId, fundingKey, this.#everArrived.get(fundingKey) ?? 0n);
    // The transfer no longer counts for the address's first order. Orders that it was assigned before a restore still
    // count.
    const before = orders.length === 0 && deposit.orderId !== null ? deposit.orderId : undefined;
    if (before !== undefined)
      this.#ofOrder.set(
        before,
        this.depositsOf(before).filter((one) => one !== deposit),
      );
    const assigned = { ...deposit, orderId: orderId as Hex };
    this.deposits.set(fundingKey, assigned);
    this.#pays(assigned);
  }

  #met(deposit: FakeDeposit): void {
    const { fundingKey } = deposit;
    this.#once(this.deposits, fundingKey, deposit, 'funding-key-twice', 'funding key');
    for (const leg of ['refund', 'excess', 'sweep'] as const)
      this.#purposes.set(this.#useKey(fundingKey, leg), { leg, fundingKey });
    this.#pays(deposit);
  }

  #pays(deposit: FakeDeposit): void {
    const { fundingKey, orderId } = deposit;
    if (orderId === null) return;
    const others = this.#ofOrder.get(orderId);
    if (others) others.push(deposit);
    else this.#ofOrder.set(orderId, [deposit]);
    this.#noteEver(orderId, fundingKey, deposit.amount);
  }

  #noteEver(orderId: string, fundingKey: string, amount: bigint): void {
    const ever = this.#everOfOrder.get(orderId);
    if (ever === undefined) this.#everOfOrder.set(orderId, new Map([[fundingKey, amount]]));
    else if (!ever.has(fundingKey)) ever.set(fundingKey, amount);
  }

  #useKey(fundingKey: string, leg: string): Hex {
    const name = `${leg} ${fundingKey}`;
    const known = this.#useKeys.get(name);
    if (known !== undefined) return known;
    const made = this.#hash(fundingKey, leg);
    this.#useKeys.set(name, made);
    return made;
  }

  #once<T>(map: Map<string, T>, key: string, value: T, rule: string, what: string): void {
    if (map.has(key)) this.#findings.say(rule, `${what} ${key} on chain ${this.chain.id}`);
    map.set(key, value);
  }

  purpose(useKey: string): Purpose | undefined {
    return this.#purposes.get(useKey);
  }

  refundOf(fundingKey: string, leg: 'refund' | 'excess'): FakeWithdrawal | undefined {
    return this.withdrawals.get(this.#useKey(fundingKey, leg));
  }

  depositsOf(orderId: string): readonly FakeDeposit[] {
    return this.#ofOrder.get(orderId) ?? [];
  }

  /** True when an order's deposit vanished or changed its amount, as a reincluded swap can. */
  lost(orderId: string): boolean {
    const ever = [...(this.#everOfOrder.get(orderId) ?? [])];
    return ever.some(([key, amount]) => this.deposits.get(key)?.amount !== amount);
  }

  /** Also payments that a reorg removed. */
  wasPaid(orderId: string): boolean {
    return this.#everOfOrder.has(orderId);
  }

  /** Also fills that a reorg removed. */
  wasFilled(orderId: string): boolean {
    return this.#everFilled.has(orderId);
  }

  /** `ever` includes what a reorg removed. */
  executionsOf(orderId: string, when: 'now' | 'ever' = 'now'): readonly FakeExecution[] {
    return (when === 'now' ? this.#executions : this.#everExecuted).get(orderId) ?? [];
  }

  isFinal(deposit: FakeDeposit): boolean {
    return deposit.block.height <= this.chain.history().finalized.height;
  }
}

function missing<T extends FakeTransfer | FakeSweep>(before: readonly T[], now: readonly T[]): readonly T[] {
  const there = new Set(now.map(placeOf));
  return before.filter((one) => !there.has(placeOf(one)));
}

const placeOf = ({ hash, block }: FakeTransfer | FakeSweep): string => `${hash} ${block.id}`;
