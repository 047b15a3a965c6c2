import type { PostingRow } from '../../contract/store-rows.js';
import { divide } from '../../domain/decimal.js';
import { priceExactInput, topUpCharge } from '../../domain/fees.js';
import { BPS } from '../../domain/percent.js';
import type { QuoteBody } from '../../domain/quote.js';
import { WITHOUT_EFFECT } from '../books/inclusion.js';
import type { Measure } from './outcomes.js';

export interface Measured {
  readonly measure: Measure;
  /** Smallest unit of the posting's currency. */
  readonly amount: bigint;
}

type Line = Pick<PostingRow, 'groupId' | 'account' | 'amount' | 'legId'>;

const FILLS = new Set(['fill', 'topup']);
const PAYBACKS = new Set(['refund', 'excess']);

/**
 * What one line of the books adds to a report. Reversals of a reorg count negative.
 *
 * @param quote of the line's request. @param isLost the line took back a deposit whose fill stays.
 */
export function measuresOf(line: Line, quote: QuoteBody | undefined, isLost: boolean): readonly Measured[] {
  const { account, amount, legId, groupId } = line;
  const kind = account.slice(0, account.indexOf(':'));
  const leg = legId === null ? '' : legId.slice(0, legId.indexOf(':'));
  switch (kind) {
    case 'owed':
      if (FILLS.has(leg)) return [{ measure: 'volume', amount }];
      if (PAYBACKS.has(leg)) return [{ measure: 'refunded', amount }];
      return isLost ? [{ measure: 'reorged', amount }] : [];
    case 'paid':
      return [{ measure: 'paid', amount }];
    case 'earned':
      if (PAYBACKS.has(leg)) return [{ measure: 'refundGas', amount: -amount }];
      if (leg === 'fill') return partsOf(-amount, quote);
      if (leg === 'claim') return [{ measure: 'gasCharged', amount: -amount }];
      // Of a payer's own execution.
      return legId === null ? [{ measure: 'fees', amount: -amount }] : [];
    case 'appFees':
      if (leg === 'claim') return [{ measure: 'appFeesClaimed', amount }];
      return [{ measure: 'appFees', amount: -amount }];
    case 'gas':
      return [{ measure: groupId.endsWith(`:${WITHOUT_EFFECT}`) ? 'failed' : 'gas', amount }];
    case 'transferFees':
      return [{ measure: 'transferFees', amount }];
    case 'sponsored':
    case 'inflow':
      return [{ measure: kind, amount: -amount }];
    case 'withdrawn':
      return [{ measure: kind, amount }];
    default:
      return [];
  }
}

/** Of what a fill earned: what it charged for service, price risk and gas. The rest is what it paid out. */
function partsOf(earned: bigint, quote: QuoteBody | undefined): readonly Measured[] {
  if (quote === undefined || earned === 0n) return [];
  const sign = earned < 0n ? -1n : 1n;
  const settled = sign * earned;
  const { terms, spreadBps = 0 } = quote;
  // App fees are a part of the input, and not of what is earned.
  const input = inputOf(settled, quote);
  const priced = priceExactInput(input, terms);
  if (!priced.ok) return [];
  const { relayerService, relayerGas } = priced.amounts;
  const risk = divide(input * BigInt(spreadBps), BPS, 'floor');
  const spread = risk < relayerService ? risk : relayerService;
  const all = [
    { measure: 'fees', amount: relayerService - spread },
    { measure: 'spread', amount: spread },
    { measure: 'gasCharged', amount: relayerGas },
  ] as const;
  return all.map(({ measure, amount }) => ({ measure, amount: sign * amount }));
}

/** The input that leaves `settled` after app fees: the quoted one if it does, else scaled in proportion. */
function inputOf(settled: bigint, { terms, amountIn }: QuoteBody): bigint {
  const quoted = BigInt(amountIn);
  const priced = priceExactInput(quoted, terms);
  const app = priced.ok ? priced.amounts.app.reduce((sum, one) => sum + one, 0n) : 0n;
  const extra = topUpCharge(terms);
  if (quoted - app - extra === settled) return quoted;
  const bps = BigInt(terms.appFees.reduce((sum, one) => sum + one.bps, 0));
  return bps < BPS ? divide(settled * BPS, BPS - bps, 'floor') + extra : settled;
}
