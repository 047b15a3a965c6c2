import type { ChainId } from '../../../contract/ids.js';
import type { LegRow } from '../../../contract/store-rows.js';
import { legId } from '../../../domain/accounts.js';
import type { FakeDeposit } from '../../fake-chain/fake-chain-types.js';
import { increment } from '../increment.js';
import type { World } from '../world.js';
import type { ChainWatch } from './chain-watch.js';
import { holdsOf, outcomesOf } from './outcomes.js';
import { mostIn, type Promised } from './promised.js';

const OVER: ReadonlySet<string> = new Set(['success', 'failure', 'refund', 'fallback']);
/** States of movements that are not finished. */
export const OPEN: ReadonlySet<string> = new Set(['blocked', 'short', 'owed', 'bound']);

const OUT_OF_INVENTORY: ReadonlySet<string> = new Set(['fill', 'topUp', 'claim']);

/** Unfinished work in words; empty at quiescence. */
export function unfinished(world: World): string[] {
  const open: string[] = [];
  const { whole } = holdsOf(world.ledger);
  const beyond = new Set<string>();
  for (const leg of world.ledger.rows('legs')) {
    if (!OPEN.has(leg.state)) continue;
    if (leg.kind === 'sweep' && world.addresses.isCheap(leg.chainId, leg.currency, leg.amount)) continue;
    if (isBeyondRepair(world, leg)) beyond.add(leg.requestId ?? '');
    else open.push(`movement ${leg.id} is ${leg.state}${leg.reason === null ? '' : `, ${leg.reason}`}`);
  }
  for (const watch of world.watches.values()) {
    for (const deposit of watch.deposits.values()) {
      if (deposit.cost !== undefined && !watch.isFinal(deposit))
        open.push(`deposit ${deposit.fundingKey} is not final, so its cost is unreported`);
      if (outcomesOf(world, whole, watch, deposit).length > 0) continue;
      if (world.economy.mayBeIgnored(deposit, watch) || world.addresses.isStranded(deposit, watch)) continue;
      if (beyond.has(world.ledger.row('deposits', deposit.fundingKey)?.requestId ?? '?')) continue;
      const { fundingKey, amount, currency, orderId } = deposit;
      open.push(`deposit ${fundingKey} of ${amount} ${currency}, order ${orderId}: ${rowsOf(world, fundingKey)}`);
    }
  }
  for (const request of world.ledger.rows('requests')) {
    if (OVER.has(request.status) || beyond.has(request.id)) continue;
    // An open address waits for ever, as does a strict one that no one pays.
    if (request.depositAddress !== null && request.fundingKey === null && request.status === 'waiting') continue;
    open.push(`request ${request.id} is ${request.status}: ${rowsOf(world, request.fundingKey ?? '')}`);
  }
  for (const id of world.rates.overdue()) open.push(`the reservation for ${id} has not ended`);
  for (const key of world.ledger.rows('keys')) if (key.state === 'open') open.push(`key ${key.id} is open`);
  // An idle halted lane books no receipts: its halt must end without a command.
  for (const lane of world.ledger.rows('lanes'))
    if (lane.halted !== null) open.push(`lane ${lane.id} is halted: ${lane.halted}`);
  return open;
}

/**
 * A restored database may have lost withdrawals, whose money cannot be collected again. The shortage waits for an
 * operator, who sees it in the audit.
 */
export function isBeyondRepair(world: World, leg: LegRow): boolean {
  if (!world.restored || OUT_OF_INVENTORY.has(leg.kind) || leg.state === 'bound') return false;
  if (leg.kind === 'sweep') return false;
  const chain = world.chain(leg.chainId);
  // A completed payment is detected eventually.
  const refundOf = (kind: 'refund' | 'excess') => world.watch(leg.chainId).refundOf(leg.fundingKey ?? '', kind);
  if ((leg.kind === 'refund' || leg.kind === 'excess') && refundOf(leg.kind)) return false;
  const coin = chain.coin(leg.fundingKey ?? '');
  const left = chain.balance(chain.depository, leg.currency) + world.addresses.held(leg.chainId, leg.currency);
  return leg.kind === 'collect' || (coin !== undefined && coin < left ? coin : left) < leg.amount;
}

function rowsOf(world: World, fundingKey: string): string {
  const deposit = world.ledger.row('deposits', fundingKey);
  if (!deposit) return 'unknown to the ledger';
  const legs = [...world.ledger.rows('legs')].filter((leg) => leg.fundingKey === fundingKey);
  const lanes = [...world.ledger.rows('lanes')]
    .filter((lane) => lane.halted !== null)
    .map((lane) => `lane ${lane.id} halted`);
  const movements = legs.map((leg) => `${leg.kind} ${leg.state}${leg.reason === null ? '' : ` (${leg.reason})`}`);
  return [`deposit ${deposit.state}, ${deposit.decision}`, ...movements, ...lanes].join(', ');
}

/** Final check: chains against promises, ledger against chains. */
export function judgeAll(world: World): void {
  depositsHaveOneOutcome(world);
  world.economy.judge();
  world.claims.judgeAll();
  world.topUps.judgeAll();
  world.payerSwapJudge.judgeAll();
  world.rates.judgeAll();
  world.screened.judgeAll();
  world.swapsIn.judgeAll();
  world.addresses.judgeAll();
  world.gasless.judgeAll();
  for (const chain of world.chains.values())
    for (const { brought } of chain.history().withdrawals) if (brought) increment(world.users, 'swapped back');
  for (const chain of world.chains.values())
    for (const { cost } of chain.history().deposits) if (cost !== undefined) world.seen('taken at a cost');
  for (const chain of world.chains.values())
    for (const { carries } of chain.history().fees) if (carries.some(({ leftOut }) => leftOut)) world.seen('left out');
  statusesReportTheTruth(world);
  eventsArrived(world);
  potsAgree(world);
}

function depositsHaveOneOutcome(world: World): void {
  const { findings, promises, watches } = world;
  const { whole, excess } = holdsOf(world.ledger);
  for (const watch of watches.values()) {
    const consumed = new Map<string, number>();
    for (const deposit of watch.deposits.values()) {
      // Duplicates below the dust limit are ignored.
      const isDuplicate = deposit.orderId !== null && watch.depositsOf(deposit.orderId).length > 1;
      if (isDuplicate && world.economy.mayBeIgnored(deposit, watch)) continue;
      const outcomes = outcomesOf(world, whole, watch, deposit);
      // Payments lost by a restore are put on hold once more for an operator.
      if (outcomes.length > 1 && !world.restored)
        findings.say('two-outcomes', `deposit ${deposit.fundingKey}: ${outcomes.join(' and ')}`);
      if (outcomes[0] !== 'consumed' || deposit.orderId === null) continue;
      consumed.set(deposit.orderId, (consumed.get(deposit.orderId) ?? 0) + 1);
      const promise = promises.get(deposit.orderId);
      if (promise) excessGoesBack(world, watch, deposit, promise, excess);
    }
    for (const [orderId, count] of consumed)
      if (count > 1 && !world.restored)
        findings.say('deposit-kept', `order ${orderId} was filled once and ${count} deposits were retained for it`);
  }
}

function excessGoesBack(
  world: World,
  watch: ChainWatch,
  deposit: FakeDeposit,
  promise: Promised,
  held: ReadonlyMap<string, unknown>,
): void {
  if (deposit.amount <= mostIn(promise) || held.has(deposit.fundingKey)) return;
  if (watch.refundOf(deposit.fundingKey, 'excess') || world.addresses.isStranded(deposit, watch)) return;
  const leg = world.ledger.row('legs', legId.excess(deposit.fundingKey));
  if (leg && OPEN.has(leg.state) && isBeyondRepair(world, leg)) return;
  world.findings.say('excess-kept', `deposit ${deposit.fundingKey} paid ${deposit.amount} for ${promise.amountIn}`);
}

function statusesReportTheTruth(world: World): void {
  const { findings, ledger, promises, watches } = world;
  const { whole } = holdsOf(ledger);
  for (const request of ledger.rows('requests')) {
    const say = (what: string) => findings.say('status-lies', `request ${request.id} is ${request.status}: ${what}`);
    if (world.gasless.judges(request)) continue;
    const { fundingKey } = request;
    const watch = [...watches.values()].find((one) => fundingKey !== null && one.deposits.has(fundingKey));
    const deposit = fundingKey === null ? undefined : watch?.deposits.get(fundingKey);
    const isOpen = promises.get(request.orderId)?.address?.type === 'open';
    const isOrder = (request.parentRequestId === null || isOpen) && promises.has(request.orderId);
    if (isOrder && promises.get(request.orderId)?.payerSwap !== undefined && request.status === 'success') continue;
    const fill = isOrder ? watches.get(request.destinationChainId)?.fills.get(request.orderId) : undefined;
    const filled = fill !== undefined;
    // Without a swap, the client's fallback applied.
    const isFallback = filled && fill.brought === undefined && promises.get(request.orderId)?.swap !== undefined;
    const delivered = isFallback ? 'fallback' : 'success';
    if (request.status === 'success' && (!filled || isFallback)) say('its order was not filled so');
    if (request.status === 'fallback' && !isFallback) say('its order did not fall back');
    const held = fundingKey !== null && whole.has(fundingKey);
    const isRefunded = watch !== undefined && deposit !== undefined && wasRefunded(world, watch, deposit);
    // Of several transfers, the lost part may have refunded the one that the restored ledger lists first.
    const kept = watch?.depositsOf(request.orderId).some((one) => !watch.refundOf(one.fundingKey, 'refund'));
    const otherKept = world.restored && isRefunded && kept;
    if (filled && deposit && !held && !otherKept && request.status !== delivered) say('its order was filled');
    if (request.status === 'refund' && !isRefunded) say('nothing was refunded');
    if (request.status !== 'refund' && isRefunded && !(held && world.restored)) say('its deposit was refunded');
  }
}

function wasRefunded({ joined }: World, watch: ChainWatch, { fundingKey }: FakeDeposit): boolean {
  return watch.refundOf(fundingKey, 'refund') !== undefined || joined.isPaid(watch, fundingKey);
}

function eventsArrived(world: World): void {
  for (const { id, eventCount } of world.ledger.rows('requests')) {
    const heard = world.reader.heard(id);
    if (heard !== eventCount)
      world.findings.say('event-lost', `request ${id} has ${eventCount} events, ${heard} were read`);
  }
}

/** Book balances equal chain balances, except for foreign use of the key. */
function potsAgree(world: World): void {
  const sums = new Map<string, bigint>();
  for (const [account, amount] of world.ledger.pots) {
    if (account.startsWith('#')) {
      const kept = account.startsWith('#reserved:') ? world.rates.keptIn(account) : 0n;
      if (/^#(reserved|unfinal):/.test(account) && amount !== kept)
        world.findings.say('counter-left', `${account} is ${amount} with nothing left to do`);
      continue;
    }
    const parts = account.split(':');
    const chainId = Number(parts[1]);
    const currency = account.slice(account.lastIndexOf(':') + 1);
    sums.set(`${chainId}:${currency}`, (sums.get(`${chainId}:${currency}`) ?? 0n) + amount);
    const chain = world.chains.get(chainId);
    if (!chain) continue;
    const signer = [chain.sweeper, chain.executor].find((one) => one !== undefined && one === parts[2]) ?? chain.signer;
    const owner = parts[0] === 'inventory' ? signer : parts[0] === 'depository' ? chain.depository : undefined;
    if (owner === undefined) continue;
    const atAddresses = owner === chain.depository ? world.addresses.held(chainId, currency) : 0n;
    const holds = chain.balance(owner, currency) + atAddresses;
    // A top-up compensates for foreign use and is booked without it; a lane that resumes books the use that halted it.
    const stolen = parts[0] === 'inventory' ? unbooked(taken(world, chainId, owner, currency)) : NO_THEFT;
    // Restored books lack later withdrawals; the audit reports the difference.
    if (world.restored && owner === chain.depository && holds < amount) continue;
    // Fees of lost sends may fall due after lane matching; the audit reports them.
    const isGas = parts[0] === 'inventory' && currency === nativeOf(world, chainId);
    const spent = isGas ? lostFees(world, chainId, owner) : 0n;
    if (world.restored && [...stolen].some((part) => holds < amount && amount - holds - part <= spent)) continue;
    // Receipts without a deposit are booked once they have persisted.
    const ignored = owner === chain.depository ? world.economy.ignored(chainId, currency) : 0n;
    if (ignored > 0n && holds > amount && holds - amount <= ignored) continue;
    if (!stolen.has(amount - holds))
      world.findings.say('pot-differs', `${account} is ${amount} in the books and ${holds} on the chain`);
  }
  for (const [currency, sum] of sums)
    if (sum !== 0n) world.findings.say('books-unbalanced', `all accounts of ${currency} add up to ${sum}`);
}

const NO_THEFT: ReadonlySet<bigint> = new Set([0n]);

/** Amounts by which the books may exceed the chain: each foreign use is either booked or not. */
function unbooked(parts: readonly bigint[]): ReadonlySet<bigint> {
  const sums = new Set([0n]);
  for (const part of parts) for (const sum of [...sums]) sums.add(sum + part);
  return sums;
}

/** What each foreign use of a lane's key took of a currency. */
function taken(world: World, chainId: ChainId, owner: string, currency: string): readonly bigint[] {
  const chain = world.chain(chainId);
  const native = nativeOf(world, chainId);
  return chain.history().fees.flatMap(({ hash, signer, fee, ok }) => {
    const use = world.foreign.get(hash);
    if (use === undefined || signer !== owner) return [];
    const moved = ok && use.currency === currency ? use.amount : 0n;
    return [moved + (currency === native ? fee : 0n)];
  });
}

function lostFees(world: World, chainId: ChainId, owner: string): bigint {
  const chain = world.chain(chainId);
  const known = new Set([...world.ledger.rows('attempts')].map(({ hash }) => hash));
  const lost = chain.history().fees.filter(({ signer, hash }) => signer === owner && !known.has(hash));
  return lost.reduce((sum, { fee }) => sum + fee, 0n);
}

function nativeOf(world: World, chainId: ChainId): string {
  return world.spectator(chainId).facts.currency.address;
}
