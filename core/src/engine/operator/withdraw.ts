import type { ChainAdapter } from '../../contract/chain-adapter.js';
import type { Currency } from '../../contract/currency.js';
import type { LegRow } from '../../contract/store-rows.js';
import { counter } from '../../domain/accounts.js';
import { formatUnits, valueMicroUsd } from '../../domain/money.js';
import { WITHDRAWAL_ID, withdrawalLegId, withdrawalOrderId } from '../../domain/withdrawal.js';
import { decideAndCommit, type EngineContext, type WorkContext } from '../base/context.js';
import { FRESH } from '../base/leg-marks.js';
import { isPaused } from '../base/pauses.js';
import { UnitOfWork } from '../base/unit-of-work.js';
import { Budget } from '../books/budget.js';
import { recipientOn } from './claimable.js';
import { refused } from './operator.js';
import type { Refusal, WithdrawalAsk, WithdrawalOutcome } from './outcomes.js';
import {
  type Debts,
  freeMicroUsd,
  owedToAppBalances,
  readDebts,
  type Withdrawable,
  withdrawableOf,
} from './withdrawable.js';

/**
 * Owes a payment of the operator's own money to an address that the operator names. Idempotent by its id.
 *
 * Invariants: the leg is signed by the filling lane, under its next key, as every payment; its id is the fill id on the
 * chain, so that a repeated command, also to a restored ledger, pays once (G1, G15). The inventory that stays covers
 * what is owed, reserved, promised and not final (G2, G12).
 *
 * Not guaranteed: app balances are dollars, covered only while prices of what is held are known.
 *
 * @param promised what undecided deposits will claim.
 */
export async function withdraw(
  context: WorkContext,
  promised: Debts['promised'],
  ask: WithdrawalAsk,
): Promise<WithdrawalOutcome> {
  const outcome = await decideAndCommit<WithdrawalOutcome>(context, 'engine.withdraw', async () => {
    const unit = new UnitOfWork();
    const end = (result: WithdrawalOutcome) => ({ work: new UnitOfWork(), result });
    const named = await partiesOf(context, ask);
    if (!named.ok) return end(named);
    const { chain, currency, recipient } = named;
    const id = withdrawalLegId(ask.id);
    const [known] = await context.store.legs([id]);
    if (known) return end(progressOf(known, ask, named));
    const waits = await refuseNow(context, chain);
    if (waits) return end(waits);
    const decided = await context.store.pot(counter.withdrawals);
    const debts = await readDebts(context, promised);
    const free = (await withdrawableOf(context, chain, debts))?.get(currency.address);
    if (free === undefined)
      return end(refused('notSafe', 'too many payments of this chain are under way: repeat it when they are final'));
    const amount = ask.amount ?? free.free;
    const lacks = (await refuseAmount(context, debts, named, amount, free)) ?? refuseFill(named, amount);
    if (lacks) return end(lacks);
    const leg = unit.insert(
      'legs',
      legOf(context, { id, amount, recipient, currency, chain, withdrawal: ask.id }, free),
    );
    const budget = await Budget.load(context);
    if (!budget.reserve(unit, leg, free.promised + free.owed + free.unfinal))
      return end(refused('notSafe', 'the inventory is in use at this moment: repeat it'));
    // guard: withdraw-one-at-a-time
    unit.count({ account: counter.withdrawals, by: 1n, atMost: decided + 1n });
    const message = `${textOf(amount, currency)} to ${recipient} on ${chain.facts.displayName} is owed`;
    return { work: unit, result: { ok: true, state: 'owed', message, legId: id, amount } };
  });
  if (outcome.ok && outcome.state === 'owed') {
    context.log.info({ withdrawal: ask.id, chainId: ask.chainId, amount: outcome.amount }, 'the operator withdrew');
    context.wake(ask.chainId);
  }
  return outcome;
}

interface Named {
  readonly ok: true;
  readonly chain: ChainAdapter;
  readonly currency: Currency;
  readonly recipient: string;
}

async function partiesOf(context: EngineContext, ask: WithdrawalAsk): Promise<Named | Refusal> {
  const invalid = (field: NonNullable<Refusal['field']>, message: string): Refusal => ({
    ok: false,
    code: 'invalid',
    field,
    message,
  });
  if (!WITHDRAWAL_ID.test(ask.id)) return invalid('withdrawalId', 'must be 1 to 64 letters, digits, `-` or `_`');
  const chain = context.chains.get(ask.chainId);
  if (!chain) return invalid('chainId', `chain ${ask.chainId} is not configured`);
  const currency = currencyNamed(chain, ask.currency);
  if (!currency) return invalid('currency', `is not served on ${chain.facts.displayName}`);
  if (ask.amount !== null && ask.amount <= 0n) return invalid('amount', 'must be above zero');
  const recipient = await recipientOn(context, chain, ask.recipient);
  return recipient.ok
    ? { ok: true, chain, currency, recipient: recipient.value }
    : invalid('recipient', recipient.reason);
}

/** By address, or by a symbol that no other currency of the chain has. */
export function currencyNamed(chain: ChainAdapter, text: string): Currency | undefined {
  const byAddress = chain.currency(text);
  if (byAddress) return byAddress;
  const named = chain.currencies().filter(({ symbol }) => symbol === text);
  return named.length === 1 ? named[0] : undefined;
}

async function refuseNow(context: EngineContext, chain: ChainAdapter): Promise<Refusal | undefined> {
  const { id, displayName } = chain.facts;
  const scope = isPaused(context, id, id);
  if (scope !== null) return refused('notSafe', `${displayName} is paused: resume it first, payments wait until then`);
  const halted = (await context.store.lanes()).find((lane) => lane.chainId === id && lane.halted !== null);
  // guard: withdraw-not-while-halted
  if (halted) return refused('notSafe', `the lane of ${halted.signer} is halted: its balance is not certain`);
  if (!context.compared(id)) return refused('notSafe', `${displayName} is not compared with the ledger yet: repeat it`);
  return undefined;
}

async function refuseAmount(
  context: EngineContext,
  debts: Debts,
  { currency }: Named,
  amount: bigint,
  { free, held, reserved, gas, promised, owed, unfinal }: Withdrawable,
): Promise<Refusal | undefined> {
  const text = (units: bigint) => formatUnits(units, currency.decimals);
  // guard: withdraw-only-free
  if (amount > free || free === 0n) {
    const parts = `${text(held)} held, less ${text(reserved)} reserved, ${text(gas)} for gas, ${text(promised)} promised, ${text(owed)} owed, ${text(unfinal)} not final`;
    const message = `no more than ${textOf(free, currency)} (${free}) may be withdrawn: ${parts}`;
    return { ...refused('notSafe', message), field: 'amount' };
  }
  const balances = owedToAppBalances(debts);
  if (balances <= 0n) return undefined;
  const all = await freeMicroUsd(context, debts);
  const price = context.prices.price(currency);
  const worth = price.ok ? valueMicroUsd(amount, currency.decimals, price.usd, 'ceil') : 0n;
  // guard: withdraw-covers-app-balances
  if (all === undefined || all - worth < balances) {
    const dollars = (micro: bigint) => `$${formatUnits(micro, 6)}`;
    const rest = all === undefined ? 'an unknown value' : dollars(all > worth ? all - worth : 0n);
    return refused('notSafe', `integrators have ${dollars(balances)} in app balances, and ${rest} would be left`);
  }
  return undefined;
}

function refuseFill({ chain, currency, recipient }: Named, amount: bigint): Refusal | undefined {
  const refusal = chain.refuseFill?.({ currency: currency.address, amount, recipient });
  if (!refusal) return undefined;
  const field = refusal.why === 'recipient' ? 'recipient' : refusal.why === 'amount' ? 'amount' : 'currency';
  return { ...refused('invalid', refusal.message), field };
}

interface Drafted {
  readonly id: string;
  readonly withdrawal: string;
  readonly amount: bigint;
  readonly recipient: string;
  readonly currency: Currency;
  readonly chain: ChainAdapter;
}

function legOf({ service, clock }: EngineContext, drafted: Drafted, { signer }: Withdrawable): LegRow {
  const { id, withdrawal, amount, recipient, currency, chain } = drafted;
  const now = clock.now();
  return {
    ...{ id, version: 1, requestId: null, fundingKey: null, kind: 'withdrawal', state: 'owed' },
    ...{ chainId: chain.facts.id, signer, currency: currency.address, amount, covers: amount, recipient },
    ...{ orderId: withdrawalOrderId(service, withdrawal), deadlineAt: null, key: null, reason: null, dueAt: now },
    ...{ includedAt: null, claimedAt: null, work: null, spent: 0n, ...FRESH, joined: null, createdAt: now },
  };
}

function progressOf(leg: LegRow, ask: WithdrawalAsk, { chain, currency, recipient }: Named): WithdrawalOutcome {
  const { id: legId, state, amount } = leg;
  if (state === 'held') {
    const message = `the withdrawal may have been paid before (${leg.reason ?? 'unknown'}): look for it on the chain`;
    return refused('notSafe', message);
  }
  const isSame =
    leg.chainId === chain.facts.id &&
    leg.currency === currency.address &&
    leg.recipient === recipient &&
    (ask.amount === null || ask.amount === amount);
  if (!isSame) {
    const message = `the id ${ask.id} belongs to another withdrawal: ${amount} of ${leg.currency} to ${leg.recipient} on chain ${leg.chainId}`;
    return { ...refused('notApplicable', message), field: 'withdrawalId' };
  }
  const what = `${textOf(amount, currency)} to ${recipient} on ${chain.facts.displayName}`;
  if (state === 'void' || state === 'closed')
    return refused(
      'notApplicable',
      `${what} was abandoned (${leg.reason ?? 'not sent'}): nothing was paid; use another id`,
    );
  return state === 'done'
    ? { ok: true, state: 'alreadyDone', message: `${what} was paid, and is final`, legId, amount }
    : { ok: true, state: 'inProgress', message: `${what} is being paid`, legId, amount };
}

function textOf(amount: bigint, { decimals, symbol }: Currency): string {
  return `${formatUnits(amount, decimals)} ${symbol}`;
}
