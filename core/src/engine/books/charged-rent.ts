import type { ChainAdapter } from '../../contract/chain-adapter.js';
import type { LegInstruction } from '../../contract/legs.js';
import type { LegRow } from '../../contract/store-rows.js';
import { convert } from '../../domain/money.js';
import type { EngineContext } from '../base/context.js';
import type { Refused } from '../base/leg-rules.js';

/** One part in this many is tolerated: prices may have moved by a tenth since the claim. */
const TOLERANCE_DIVISOR = 10n;

/**
 * The payout of a claim with a bound for the rent of its recipient's account: what the claim's fee is worth beyond the
 * gas. The recipient may have closed an account since then, and would get the rent of the next one.
 */
export function withChargedRent(
  context: Pick<EngineContext, 'prices'>,
  chain: ChainAdapter,
  { currency: address, covers, amount, recipient }: Pick<LegRow, 'currency' | 'covers' | 'amount' | 'recipient'>,
  whole: LegInstruction,
): LegInstruction | Refused {
  const [currency, cost] = [chain.currency(address), chain.legCost('fill', address, recipient)];
  const coin = chain.facts.currency;
  if (cost === undefined || currency === undefined) return unknown('its network fee');
  if (cost.rent === undefined || whole.kind !== 'fill') return whole;
  const sent = chain.transferFee?.(address)?.sentFor(amount) ?? amount;
  const charged = covers > sent ? covers - sent : 0n;
  const [paid, native] = [context.prices.price(currency), context.prices.price(coin)];
  if (!paid.ok || !native.ok) return unknown('its price');
  const worth = convert(charged, currency.decimals, paid.usd, coin.decimals, native.usd, 'floor');
  const rent = worth - (cost.native - cost.rent);
  const most = rent > 0n ? rent + rent / TOLERANCE_DIVISOR : 0n;
  return { ...whole, /* guard: claims-bear-rent */ mostRent: most };
}

function unknown(what: string): Refused {
  return { ok: false, kind: 'unavailable', reason: 'UNKNOWN', message: `${what} is not known now` };
}
