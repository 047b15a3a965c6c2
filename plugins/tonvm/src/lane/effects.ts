import { divide, type Hex, type LegEffect, type LegFailure, type LegInstruction, type OrderId } from '@causeway/core';
import { Address } from '@ton/core';
import { accountOf, textOf } from '../addresses.js';
import { nameOfLeg, type Payment } from './messages.js';
import type { Outcome, Trace } from './trace.js';

/** Effect of one leg, read from the chain: a sent payment proves nothing. */
export function effectOf({ transaction, outcomes }: Trace, leg: LegInstruction): LegEffect {
  const name = nameOfLeg(leg);
  const named = outcomes.filter(({ payment }) => payment?.name === name);
  const [outcome] = named;
  const isIt = outcome?.payment !== undefined && pays(outcome.payment, leg);
  if (isIt && /* guard: ton-returned-legs */ outcome.end === 'arrived') return arrived(leg, outcome.took ?? leg.amount);
  const nothing = { legId: leg.legId, done: false, moved: 0n } as const;
  // A payment to another party under this name, or a lost one, is for an operator.
  if (outcome !== undefined && (!isIt || /* guard: ton-lost-not-returned */ outcome.end !== 'returned')) return nothing;
  const failure = failureOf(leg, textOf(Address.parse(transaction.account)), outcome);
  // It bears the cost of its recipient's code, and at most its part of the rest: what others cost or lost is not shared.
  const part = divide(transaction.fees, BigInt(Math.max(outcomes.length, 1)), 'ceil');
  return { ...nothing, returned: true, failure, fee: (outcome?.cost ?? 0n) + part };
}

/**
 * A jetton may take a transfer fee, and a service wallet pays for its work: an underpaid recipient other than the
 * service is for an operator.
 */
function arrived(leg: LegInstruction, took: bigint): LegEffect {
  const { legId, amount } = leg;
  if (took === amount) return { legId, done: true, moved: amount };
  if (leg.kind === 'collect' || leg.kind === 'sweep') return { legId, done: true, moved: amount, arrived: took };
  return { legId, done: false, moved: 0n };
}

function pays({ currency, amount, recipient, swept }: Payment, leg: LegInstruction): boolean {
  const from = leg.kind === 'sweep' ? accountOf(leg.from.address).toRawString() : undefined;
  if (swept !== from) return false;
  // guard: ton-fill-recipient
  return currency === leg.currency && amount === leg.amount && recipient === accountOf(leg.recipient).toRawString();
}

function failureOf(leg: LegInstruction, from: string, outcome: Outcome | undefined): LegFailure {
  const data = `0x${Buffer.from(nameOfLeg(leg)).toString('hex')}` as Hex;
  const call = { from, to: leg.recipient, data, value: leg.amount.toString() };
  if (outcome === undefined)
    return {
      reason: 'TRANSFER_AMOUNT_EXCEEDS_BALANCE',
      message: 'the wallet left its message out: it could not pay for it',
      call,
    };
  const code = outcome.exitCode === undefined ? '' : ` with exit code ${outcome.exitCode}`;
  return { reason: 'TRANSFER_FAILED', message: `it was refused${code}, and came back`, call };
}

/** An order whose payment did not come back may be filled: software neither fills nor refunds it. */
export function filledBy({ outcomes }: Trace): readonly OrderId[] {
  return outcomes.flatMap(({ payment, end }) =>
    /* guard: ton-unproven-fills */ end !== 'returned' && payment?.name ? [payment.name] : [],
  );
}

export function failureOfAll({ transaction }: Trace, from: string): LegFailure {
  const code = transaction.exitCode;
  return {
    reason: 'TRANSACTION_REVERTED',
    message: `the wallet failed${code === undefined ? '' : ` with exit code ${code}`}`,
    call: { from, to: from, data: '0x', value: '0' },
  };
}
