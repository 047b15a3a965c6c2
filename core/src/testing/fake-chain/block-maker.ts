import type { BlockTree, FakeBlock, FakeMessage, LeftOut, Receipt } from './block-tree.js';
import { cheapHash } from './cheap-hash.js';
import type { Contracts, Paid } from './contracts.js';
import { Execution, maySweep, perform, stateKey, swappedInName } from './execution.js';
import type {
  FakeCarried,
  FakeDeposit,
  FakeExecution,
  FakeFee,
  FakeFill,
  FakeMadeCall,
  FakeRiddle,
  FakeSweep,
  FakeTransfer,
  FakeWithdrawal,
} from './fake-chain-types.js';
import { NATIVE } from './native.js';
import { signedDeposit, signedExecution } from './raw-calls.js';
import type { Rules } from './rules.js';
import {
  BASE_UNITS,
  type FakeAction,
  type FakeExecute,
  type FakeTransaction,
  isDeposit,
  isPayment,
  mostWorkOf,
  takenBy,
  workOf,
} from './transaction.js';

export interface BlockPlan {
  readonly parent: FakeBlock;
  readonly timestamp: number;
  readonly baseFee: bigint;
  readonly candidates: readonly FakeTransaction[];
  readonly most: number;
  readonly serial: number;
}

export interface BlockSite {
  readonly tree: BlockTree;
  readonly rules: Rules;
  readonly contracts: Contracts;
  readonly native: string;
}

interface Draft {
  readonly execution: Execution;
  readonly ref: { readonly height: number; readonly timestamp: number; id: string };
  readonly receipts: Receipt[];
  readonly deposits: FakeDeposit[];
  readonly fills: FakeFill[];
  readonly withdrawals: FakeWithdrawal[];
  readonly fees: FakeFee[];
  readonly executions: FakeExecution[];
  readonly messages: FakeMessage[];
  readonly strays: FakeDeposit[];
  readonly riddles: FakeRiddle[];
  readonly transfers: FakeTransfer[];
  readonly sweeps: FakeSweep[];
  readonly calls: FakeMadeCall[];
}

export function genesis(height: number, timestamp: number, baseFee: bigint, name: string): FakeBlock {
  const none = {
    receipts: [],
    deposits: [],
    fills: [],
    withdrawals: [],
    fees: [],
    executions: [],
    messages: [],
    strays: [],
    riddles: [],
    transfers: [],
    sweeps: [],
    calls: [],
  };
  return { height, timestamp, baseFee, id: cheapHash(`genesis:${name}`), parent: null, writes: new Map(), ...none };
}

const NO_WRITES: FakeBlock['writes'] = new Map();
const NONE: readonly never[] = [];
const NO_PARTS: ReadonlyMap<number, Part> = new Map();

export function makeBlock(site: BlockSite, plan: BlockPlan): FakeBlock {
  const { parent, timestamp, baseFee } = plan;
  const height = parent.height + 1;
  // Serials are unique over all branches.
  const name = `${site.contracts.chainId}|${height}|${timestamp}|${plan.serial}`;
  const due = arriving(site, parent, height);
  if (plan.candidates.length === 0 && due.length === 0) {
    const nothing = { receipts: NONE, deposits: NONE, fills: NONE, withdrawals: NONE, fees: NONE, messages: NONE };
    return {
      ...nothing,
      executions: NONE,
      strays: NONE,
      riddles: NONE,
      transfers: NONE,
      sweeps: NONE,
      calls: NONE,
      height,
      timestamp,
      baseFee,
      parent,
      id: cheapHash(name),
      writes: NO_WRITES,
    };
  }
  const execution = new Execution(site.contracts, height, timestamp, (key) => site.tree.read(parent, key));
  const paid = { deposits: [], fills: [], withdrawals: [], fees: [] };
  const besides = { executions: [], messages: [], strays: [], riddles: [], transfers: [], sweeps: [], calls: [] };
  const lists = { ...paid, ...besides, receipts: [] };
  const draft: Draft = { ...lists, execution, ref: { height, timestamp, id: '' } };
  const block: { -readonly [K in keyof FakeBlock]: FakeBlock[K] } = {
    ...lists,
    height,
    timestamp,
    baseFee,
    parent,
    id: '',
    writes: NO_WRITES,
  };
  for (const message of due) arrive(execution, block, draft, message);
  include(site, execution, block, draft, plan);
  const hashes = draft.receipts.map(({ transaction }) => transaction.hash.slice(0, 18));
  block.id = cheapHash(`${name}|${hashes.join()}`);
  draft.ref.id = block.id;
  block.writes = execution.writes();
  return block;
}

function include(
  site: BlockSite,
  execution: Execution,
  block: FakeBlock,
  draft: Draft,
  { candidates, most, baseFee }: BlockPlan,
): void {
  const left = new Set(candidates);
  let progress = true;
  while (progress && left.size > 0) {
    progress = false;
    for (const transaction of left) {
      if (draft.receipts.length >= most) return;
      if (transaction.price < baseFee) continue;
      const ready = site.rules.ready(transaction, execution);
      if (ready === 'later') continue;
      left.delete(transaction);
      if (ready === 'now' && execute(site, execution, block, draft, transaction)) progress = true;
    }
  }
}

/** False when no such block can include it. */
function execute(
  site: BlockSite,
  execution: Execution,
  block: FakeBlock,
  draft: Draft,
  transaction: FakeTransaction,
): boolean {
  const { rules, native } = site;
  const offered = block.baseFee + transaction.tip;
  const price = offered < transaction.price ? offered : transaction.price;
  execution.price = price;
  const fee = workOf(transaction) * price;
  execution.paid.length = 0;
  if (!rules.failuresLand) {
    const failure = execution.attempt(() => {
      if (!execution.take(transaction.from, native, fee)) return 'no means to pay';
      rules.consume(transaction, execution);
      return performAll(execution, transaction) ?? makeCoins(execution, transaction, rules);
    });
    if (failure !== null) return false;
    const made = { paid: [...execution.paid], rents: new Map(), parts: NO_PARTS };
    finish(draft, block, transaction, { fee, work: workOf(transaction), ...made }, null);
    return true;
  }
  const most = mostWorkOf(transaction) * price;
  if (!execution.take(transaction.from, native, most)) return false;
  rules.consume(transaction, execution);
  const { locked, worked } = execution;
  execution.lockedFor.clear();
  execution.brought.clear();
  const shared = rules.apart && isShared(transaction) ? performApart(execution, transaction, price) : NO_PARTS;
  const parts = new Map(shared);
  const failure = execution.attempt(() => {
    if (shared.size > 0) return null;
    return rules.hops > 0 ? launchAll(execution, draft, transaction, parts) : performAll(execution, transaction);
  });
  const work = workOf(transaction) + execution.worked - worked;
  execution.add(transaction.from, native, most - work * price);
  // Rents of opened accounts count as its cost.
  const rents = new Map(execution.lockedFor);
  const spent = { fee: work * price + execution.locked - locked, work, rents };
  const brought = new Map(execution.brought);
  const paid = [...execution.paid];
  finish(draft, block, transaction, { ...spent, brought, parts, paid }, failure, rules.hops > 0);
  return true;
}

function performAll(execution: Execution, transaction: FakeTransaction): string | null {
  for (const [n, action] of transaction.actions.entries()) {
    execution.action = n;
    const failure = perform(execution, transaction.from, action);
    if (failure !== null) return failure;
  }
  return null;
}

function isShared({ actions }: FakeTransaction): boolean {
  return actions.length > 1 && actions.every((action) => action.do === 'fill');
}

interface Part {
  readonly work: bigint;
  readonly out?: LeftOut;
}

/** A failed one changes nothing but uses its work. */
function performApart(
  execution: Execution,
  { from, actions }: FakeTransaction,
  price: bigint,
): ReadonlyMap<number, Part> {
  const parts = new Map<number, Part>();
  for (const [n, action] of actions.entries()) {
    const before = execution.worked;
    execution.action = n;
    const failure = execution.attempt(() => perform(execution, from, action));
    const shared = BASE_UNITS / BigInt(actions.length) + 1n;
    const work = workOf({ actions: [action] }) - BASE_UNITS + shared + execution.worked - before;
    parts.set(n, failure === null ? { work } : { work, out: { failure, fee: work * price } });
  }
  return parts;
}

function makeCoins(execution: Execution, transaction: FakeTransaction, { coins }: Rules): null {
  let nth = 0;
  for (const action of coins ? transaction.actions : []) {
    if (action.do !== 'deposit') continue;
    execution.set(stateKey.coin(fundingKeyOf(transaction, nth)), action.amount);
    nth += 1;
  }
  for (const { fundingKey, to, amount } of coins ? transfersOf(execution.paid, transaction, execution.contracts) : []) {
    execution.set(stateKey.coin(fundingKey), amount);
    execution.set(stateKey.owner(fundingKey), BigInt(to));
  }
  return null;
}

interface Spent extends Pick<FakeFee, 'fee' | 'work'> {
  readonly rents: ReadonlyMap<string, bigint>;
  readonly parts: ReadonlyMap<number, Part>;
  readonly paid: readonly Paid[];
  readonly brought?: ReadonlyMap<string, NonNullable<FakeFill['brought']>>;
}

function finish(
  draft: Draft,
  block: FakeBlock,
  transaction: FakeTransaction,
  { fee, work, rents, brought, parts, paid }: Spent,
  failure: string | null,
  later = false,
): void {
  const { hash, from: signer } = transaction;
  const ok = failure === null;
  const leftOut = new Map([...parts].flatMap(([n, { out }]) => (out === undefined ? [] : [[n, out] as const])));
  draft.receipts.push({ transaction, block, ok, fee, failure, leftOut });
  const carries = transaction.actions.flatMap((action, n): FakeCarried[] => {
    if (action.do === 'execute') return [{ name: action.orderId, rent: 0n }];
    if (action.do === 'sweep') return action.useKey === null ? [] : [{ name: action.useKey, rent: 0n }];
    if (action.do === 'call') return [{ name: action.useKey, rent: 0n }];
    if (action.do !== 'fill' && action.do !== 'withdraw') return [];
    const part = parts.get(n);
    const own = { ...(part ? { work: part.work } : {}), ...(part?.out ? { leftOut: true as const } : {}) };
    return [{ name: action.do === 'fill' ? action.orderId : action.useKey, rent: rents.get(action.to) ?? 0n, ...own }];
  });
  draft.fees.push({ hash, block: draft.ref, signer, fee, work, carries, ok });
  if (failure !== null || later) return;
  const place = { hash, block: draft.ref };
  for (const transfer of transfersOf(paid, transaction, draft.execution.contracts))
    draft.transfers.push({ ...place, ...transfer });
  let [deposits, swaps] = [0, 0];
  for (const [n, action] of transaction.actions.entries()) {
    if (leftOut.has(n)) continue;
    if (action.do === 'sweep') recordSweep(draft, transaction, action, paid.find((one) => one.action === n)?.amount);
    const swapped = brought?.get(action.do === 'swapIn' ? swappedInName(swaps) : nameOf(action));
    record(draft, transaction, action, deposits, swapped);
    if (isDeposit(action)) deposits += 1;
    if (action.do === 'swapIn') swaps += 1;
  }
}

function nameOf(action: FakeAction): string {
  if (action.do === 'call') return signedExecution(action.data)?.action.orderId ?? '';
  return action.do === 'execute' || action.do === 'fill'
    ? action.orderId
    : action.do === 'withdraw'
      ? action.useKey
      : '';
}

/** @param nth index among the transaction's deposits; with the hash a reorg-stable name. */
function record(
  draft: Draft,
  transaction: FakeTransaction,
  action: FakeAction,
  nth: number,
  brought?: NonNullable<FakeFill['brought']>,
): void {
  const place = { hash: transaction.hash, block: draft.ref };
  if (action.do === 'deposit') {
    const { depositor, currency, amount, orderId } = action;
    const fundingKey = fundingKeyOf(transaction, nth);
    const from = transaction.from;
    const deposit = { ...place, fundingKey, from, depositor, currency, amount, orderId };
    if (action.stray) draft.strays.push(deposit);
    else draft.deposits.push({ ...deposit, ...charged(draft, currency) });
  }
  if (action.do === 'swapIn') {
    const { orderId, depositor, swap } = action;
    const named = { fundingKey: fundingKeyOf(transaction, nth), from: transaction.from, depositor, orderId };
    const amount = brought?.amount ?? 0n;
    const paid = { currency: swap.input, amount: swap.amount };
    draft.deposits.push({ ...place, ...named, currency: swap.output, amount, paid, ...charged(draft, swap.output) });
  }
  if (action.do === 'call') {
    const { useKey, to, data } = action;
    draft.calls.push({ ...place, useKey, from: transaction.from, to, data });
    const executed = signedExecution(data);
    if (executed) draft.executions.push(executionOf(draft, transaction, executed.payer, executed.action, brought));
    const deposit = signedDeposit(data);
    if (deposit === undefined) return;
    const { payer, currency, amount, orderId } = deposit;
    const fundingKey = fundingKeyOf(transaction, nth);
    const paid = { fundingKey, from: payer, depositor: payer, currency, amount, orderId };
    draft.deposits.push({ ...place, ...paid, ...charged(draft, currency) });
  }
  if (action.do === 'riddle') draft.riddles.push(place);
  if (action.do === 'execute')
    draft.executions.push(executionOf(draft, transaction, transaction.from, action, brought));
  if (action.do === 'fill') {
    const { orderId, currency, to, amount, deadline } = action;
    const filled = { ...place, orderId, filler: transaction.from, currency, recipient: to, amount, deadline };
    draft.fills.push({ ...filled, ...(brought === undefined ? {} : { brought }) });
    if (action.topUp) draft.fills.push({ ...filled, ...action.topUp, currency: NATIVE });
  }
  if (action.do === 'withdraw') {
    const { useKey, currency, to, amount } = action;
    const withdrawn = { ...place, useKey, currency, recipient: to, amount };
    draft.withdrawals.push({ ...withdrawn, ...(brought === undefined ? {} : { brought }) });
  }
}

function executionOf(
  draft: Draft,
  { chainId, hash }: FakeTransaction,
  payer: string,
  action: FakeExecute,
  brought: NonNullable<FakeFill['brought']> | undefined,
): FakeExecution {
  const { orderId, to: recipient, input, output, feeTo, fee } = action;
  const amounts = { amountIn: takenBy(action), amountOut: brought?.amount ?? 0n };
  const id = `${chainId}:${hash}:${orderId}:0`;
  return { hash, block: draft.ref, id, orderId, payer, recipient, input, output, feeTo, fee, ...amounts };
}

function recordSweep(
  draft: Draft,
  { hash }: FakeTransaction,
  { useKey, from: address, currency }: Extract<FakeAction, { do: 'sweep' }>,
  amount = 0n,
): void {
  draft.sweeps.push({ hash, block: draft.ref, useKey, address, currency, amount });
}

type Transfer = Omit<FakeTransfer, 'hash' | 'block'>;

/** Payments to others than the depository; the place within the transaction is a reorg-stable name. */
function transfersOf(
  paid: readonly Paid[],
  transaction: FakeTransaction,
  { depository, native }: Pick<Contracts, 'depository' | 'native'>,
): readonly Transfer[] {
  const counts = new Map<number, number>();
  return paid.flatMap(({ action, from, to, currency, amount }): Transfer[] => {
    const nth = counts.get(action) ?? 0;
    counts.set(action, nth + 1);
    if (amount === 0n || to === depository) return [];
    // What contracts pay in native coin leaves no event.
    const shown = currency !== native || transaction.actions[action]?.do === 'transfer';
    return [{ fundingKey: transferKeyOf(transaction, action, nth), from, to, currency, amount, shown }];
  });
}

export function transferKeyOf(transaction: FakeTransaction, action: number, nth: number): string {
  return `${transaction.chainId}:${transaction.hash}:to${action}.${nth}`;
}

export function isTransferKey(fundingKey: string): boolean {
  return fundingKey.includes(':to');
}

/** An account depository pays for accepting a deposit from its whole balance. */
function charged({ execution }: Draft, currency: string): Pick<FakeDeposit, 'cost'> {
  const { depository, native } = execution.contracts;
  const cost = execution.contracts.takingCosts(currency);
  return cost > 0n && execution.take(depository, native, cost) ? { cost } : {};
}

export function fundingKeyOf(transaction: FakeTransaction, nth: number): string {
  return `${transaction.chainId}:${transaction.hash}:${nth}`;
}

export function messageId(hash: string, action: number): string {
  return `${hash}/${action}`;
}

/** Value leaves the account at once and takes effect on arrival. An unpayable send is skipped alone. */
function launchAll(
  execution: Execution,
  draft: Draft,
  transaction: FakeTransaction,
  parts: Map<number, Part>,
): string | null {
  const { hash, from, actions } = transaction;
  const { depository, allocator } = execution.contracts;
  if (actions.some((action) => action.do === 'withdraw') && from !== allocator) return 'not allowed';
  if (actions.some((action) => action.do === 'sweep' && !maySweep(execution.contracts, from, action)))
    return 'not allowed';
  for (const [index, action] of actions.entries()) {
    if (!isPayment(action)) continue;
    const payer = action.do === 'withdraw' ? depository : action.do === 'sweep' ? action.from : from;
    if (execution.take(payer, action.currency, action.amount)) {
      draft.messages.push({ id: messageId(hash, index), transaction, action: index, bounced: false });
    } else parts.set(index, { work: 0n, out: { failure: 'balance too low', fee: 0n } });
  }
  return null;
}

/** Messages sent some blocks ago on this branch. */
function arriving({ rules, tree }: BlockSite, parent: FakeBlock, height: number): readonly FakeMessage[] {
  const due = height - rules.hops;
  return rules.hops === 0 || due < tree.firstHeight ? NONE : tree.ancestor(parent, due).messages;
}

function arrive(execution: Execution, block: FakeBlock, draft: Draft, message: FakeMessage): void {
  const { transaction, bounced } = message;
  const action = transaction.actions[message.action];
  if (action === undefined || !isPayment(action)) return;
  const { depository, stray, blocked, addresses } = execution.contracts;
  const sender = action.do === 'withdraw' ? depository : action.do === 'sweep' ? action.from : transaction.from;
  if (bounced) {
    execution.add(sender, action.currency, action.amount);
    return;
  }
  const to = action.do !== 'deposit' ? action.to : action.stray ? stray : depository;
  const refused = blocked.has(to);
  execution.set(stateKey.arrived(message.id), BigInt(block.height) * 2n + (refused ? 1n : 0n));
  if (refused) {
    draft.messages.push({ ...message, bounced: true });
    return;
  }
  execution.add(to, action.currency, action.amount);
  if (action.do === 'fill') execution.set(stateKey.filled(action.orderId), 1n);
  if (action.do === 'withdraw' || (action.do === 'sweep' && action.useKey !== null))
    execution.set(stateKey.used(action.useKey as string), 1n);
  if (action.do === 'sweep') recordSweep(draft, transaction, action, action.amount);
  else if (addresses !== undefined) {
    const paid = { action: message.action, from: sender, to, currency: action.currency, amount: action.amount };
    const place = { hash: transaction.hash, block: draft.ref };
    for (const one of transfersOf([paid], transaction, execution.contracts)) draft.transfers.push({ ...place, ...one });
  }
  const before = transaction.actions.slice(0, message.action).filter((one) => one.do === 'deposit').length;
  record(draft, transaction, action, before);
}
