import type { DeliveryRow } from '../../contract/delivery-rows.js';
import type { FeedRow } from '../../contract/store.js';
import type { HoldRow } from '../../contract/store-rows.js';
import type { QuoteBody } from '../../domain/quote.js';
import { paidSide } from '../../domain/swap-in.js';
import { deliveredSide } from '../../domain/swap-out.js';
import type { StatusEventData } from '../../events/status-event.js';
import type { TimelineEntry } from '../schemas/timeline.js';
import type { TimelineFacts } from './facts.js';
import { inWords, sumOf } from './sums.js';

/** Empty for what no quote was made for: calls for others, and transfers without an order. */
export function quoteEntries({ subject, chains }: TimelineFacts): readonly TimelineEntry[] {
  const body = JSON.parse(subject.body) as QuoteBody;
  if (body.unquoted || body.tombstone || body.order.inputs.length === 0) return [];
  const { swapIn, swapOut, terms, fees } = body;
  const [paid, got] = [paidSide(body), deliveredSide(body)];
  const pays = sumOf(chains, paid.chainId, paid.currency, BigInt(swapIn?.amount ?? body.sent ?? body.amountIn));
  const gets = sumOf(chains, got.chainId, got.currency, BigInt(swapOut?.expected ?? body.amountOut));
  return [
    {
      at: subject.createdAt,
      kind: 'quoted',
      text: `quoted: ${inWords(chains, pays)} for ${inWords(chains, gets)}`,
      quoted: {
        ...{ pays, gets, least: swapOut?.least ?? body.minimumAmount },
        prices: { origin: terms.inUsd, destination: terms.outUsd, ...(body.prices ? { sources: body.prices } : {}) },
        fees: { relayerGas: fees.relayerGas, relayerService: fees.relayerService, app: fees.app },
        ...{ slippageBps: body.slippageBps, expiresAt: body.expiresAt, deadlineAt: body.deadlineAt },
      },
    },
  ];
}

export function holdEntries({ holds, chains }: TimelineFacts): readonly TimelineEntry[] {
  return holds.map((hold: HoldRow) => {
    const held = sumOf(chains, hold.chainId, hold.currency, hold.amount);
    const { id, reason, state } = hold;
    return {
      at: hold.createdAt,
      kind: 'held' as const,
      text: `${inWords(chains, held)} was held: ${reason} (${state} now)`,
      hold: { id, held, reason, state },
    };
  });
}

export function statusEntries({ events }: TimelineFacts): readonly TimelineEntry[] {
  return events.map(({ sequence, payload, createdAt }: FeedRow) => {
    const { data } = JSON.parse(payload) as { readonly data: StatusEventData };
    const failReason = orNull(data.failReason);
    const change = {
      ...{ sequence, status: data.status, failReason, refundFailReason: orNull(data.refundFailReason) },
    } as NonNullable<TimelineEntry['change']>;
    return {
      at: createdAt,
      kind: 'status' as const,
      text: `status ${data.status}${failReason === null ? '' : `: ${failReason}`}`,
      change,
    };
  });
}

function orNull(reason: string): string | null {
  return reason === 'N/A' ? null : reason;
}

const DELIVERY_WORDS: Readonly<Record<DeliveryRow['state'], string>> = {
  due: 'not accepted yet',
  behind: 'waits for an earlier one',
  delivered: 'delivered',
  failed: 'abandoned',
  again: 'to be posted again',
};

export function deliveryEntries({ deliveries }: TimelineFacts): readonly TimelineEntry[] {
  return deliveries.map((row: DeliveryRow) => {
    const { endpointId, sequence, state, attempts, answerStatus, lastError } = row;
    const tries = `${attempts} ${attempts === 1 ? 'attempt' : 'attempts'}`;
    const answered = answerStatus === null ? '' : `, answered ${answerStatus}`;
    return {
      at: row.updatedAt,
      kind: 'delivery' as const,
      text: `status change ${sequence} for endpoint ${endpointId}: ${DELIVERY_WORDS[state]} after ${tries}${answered}`,
      delivery: {
        ...{ endpointId, sequence, state, attempts, answerStatus },
        ...(lastError === null ? {} : { lastError }),
      },
    };
  });
}
