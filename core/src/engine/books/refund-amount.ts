import { keptBySweeps } from '../../capabilities/deposit-addresses/kept-by-sweeps.js';
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
import { isIn } from './top-up-leg.js';

type Net =
  /** `work`: bound that the withheld gas pays for; null: none. */
  | { readonly ok: true; readonly amount: bigint; readonly work: bigint | null }
  /** `nothingLeft`: gas takes all. `unpriceable`: never priced. `notYet`: no fee or price now. */
  | { readonly ok: false; readonly why: 'nothingLeft' | 'unpriceable' | 'notYet' };

/**
 * What a refund pays out: its part of the deposit, less what a token charged for its sweep, the gas of sending it, of the
 * service's own transaction that made the deposit, and of the failed transactions of refund and fill. Current prices, rounded up.
 *
 * @param more work beyond a plain refund, in the chain's unit.
 */
export function refundAmount(context: EngineContext, unit: Pick<UnitOfWork, 'get'>, leg: LegRow, more = 0n): Net {
  // For a leg that an operator released, the service bears the gas.
  if (isReleased(leg)) return { ok: true, amount: leg.covers, work: null };
  const chain = chainOf(context, leg.chainId);
  const currency = chain.currency(leg.currency);
  if (!currency) return { ok: false, why: 'unpriceable' };
  // guard: refund-bears-outputs
  const of = leg.fundingKey ?? undefined;
  const cost = chain.legCost(factsOf(leg).sentAs, leg.currency, leg.recipient, of);
  if (!cost) return { ok: false, why: 'notYet' };
  const beyond = more === 0n ? 0n : chain.workCost?.(more);
  if (beyond === undefined) return { ok: false, why: 'notYet' };
  const sweep = sweepCost(unit, chain, leg);
  const permit = permitCost(unit, chain, leg);
  if (sweep === undefined || permit === undefined) return { ok: false, why: 'notYet' };
  const here = inCurrency(
    context,
    chain,
    currency,
    /* guard: refund-bears-failed-gas */ cost.native + beyond + sweep + permit + leg.spent,
  );
  if (!here.ok) return here;
  const there = failed(context, unit, leg, currency);
  if (!there.ok) return there;
  const deposit = leg.fundingKey === null ? undefined : unit.get('deposits', leg.fundingKey);
  const kept = /* guard: refund-bears-kept */ keptBySweeps(chain, deposit, leg);
  const amount = leg.covers - kept - here.gas - there.gas;
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

/**
 * Of the permit that made the deposit: only a fill's fee covers it. Native smallest unit; undefined while fees are unknown, or
 * while it may still land.
 */
function permitCost(unit: Pick<UnitOfWork, 'get'>, chain: ChainAdapter, leg: LegRow): bigint | undefined {
  const ofWhole = leg.requestId !== null && factsOf(leg).replacesFill ? legId.permit(leg.requestId) : undefined;
  const permit = ofWhole === undefined ? undefined : unit.get('legs', ofWhole);
  const { permits } = chain.capabilities;
  if (permit === undefined || permits === undefined) return 0n;
  if (!isIn(permit)) return permit.state === 'bound' ? undefined : 0n;
  // guard: refund-bears-permit
  return permits.cost(leg.currency)?.native;
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
