import type { ChainAdapter } from '../../contract/chain-adapter.js';
import type { Currency } from '../../contract/currency.js';
import type { LegRow } from '../../contract/store-rows.js';
import { legId } from '../../domain/accounts.js';
import { joinedOf } from '../../domain/joined.js';
import { factsOf } from '../../domain/leg-facts.js';
import { chainOf, type EngineContext } from '../base/context.js';
import { isReleased } from '../base/leg-marks.js';
import type { UnitOfWork } from '../base/unit-of-work.js';
import { type GasPriced, inCurrency } from './gas-price.js';

type Net =
  /** `work`: bound that the withheld gas pays for; null: none. */
  | { readonly ok: true; readonly amount: bigint; readonly work: bigint | null }
  /** `nothingLeft`: gas takes all. `unpriceable`: never priced. `notYet`: no fee or price now. */
  | { readonly ok: false; readonly why: 'nothingLeft' | 'unpriceable' | 'notYet' };

/**
 * What a refund pays out: its part of the deposit, less the gas of sending it and the cost of its and the fill's failed
 * transactions. Current prices, rounded up.
 *
 * @param more work beyond a plain refund, in the chain's unit.
 */
export function refundAmount(context: EngineContext, unit: Pick<UnitOfWork, 'get'>, leg: LegRow, more = 0n): Net {
  // For a leg that an operator released, the service bears the gas.
  if (isReleased(leg)) return { ok: true, amount: leg.covers, work: null };
  const chain = chainOf(context, leg.chainId);
  const currency = chain.currency(leg.currency);
  if (!currency) return { ok: false, why: 'unpriceable' };
  const cost = chain.legCost(factsOf(leg).sentAs, leg.currency, leg.recipient);
  if (!cost) return { ok: false, why: 'notYet' };
  const beyond = more === 0n ? 0n : chain.workCost?.(more);
  if (beyond === undefined) return { ok: false, why: 'notYet' };
  const sweep = sweepCost(unit, chain, leg);
  if (sweep === undefined) return { ok: false, why: 'notYet' };
  const here = inCurrency(
    context,
    chain,
    currency,
    /* guard: refund-bears-failed-gas */ cost.native + beyond + sweep + leg.spent,
  );
  if (!here.ok) return here;
  const there = failed(context, unit, leg, currency);
  if (!there.ok) return there;
  const amount = leg.covers - here.gas - there.gas;
  return amount > 0n
    ? { ok: true, amount, work: cost.work === undefined ? null : cost.work + more }
    : { ok: false, why: 'nothingLeft' };
}

/** Sweeps of a transfer to a deposit address and of those joined to it; native smallest unit. */
function sweepCost(unit: Pick<UnitOfWork, 'get'>, chain: ChainAdapter, leg: LegRow): bigint | undefined {
  const deposit = leg.fundingKey === null ? undefined : unit.get('deposits', leg.fundingKey);
  if (deposit?.depositAddress == null || chain.capabilities.depositAddresses?.sweeps !== true) return 0n;
  const each = chain.legCost('sweep', leg.currency)?.native;
  return each === undefined ? undefined : each * BigInt(1 + joinedOf(leg).transfers.length);
}

/** Failed transactions of the fill or top-up that this leg replaces. */
function failed(context: EngineContext, unit: Pick<UnitOfWork, 'get'>, leg: LegRow, currency: Currency): GasPriced {
  if (leg.orderId === null) return { ok: true, gas: 0n };
  const extra = unit.get('legs', legId.topUp(leg.orderId));
  const instead = factsOf(leg).replacesFill ? unit.get('legs', legId.fill(leg.orderId)) : extra;
  const isOf = instead?.fundingKey === leg.fundingKey && (instead !== extra || instead.state === 'closed');
  if (!instead || !isOf || instead.spent === 0n) return { ok: true, gas: 0n };
  const chain = context.chains.get(instead.chainId);
  return chain ? inCurrency(context, chain, currency, instead.spent) : { ok: true, gas: 0n };
}
