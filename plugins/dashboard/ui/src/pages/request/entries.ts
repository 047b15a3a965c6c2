import { countOf, duration, usdText } from '../../format.js';
import type { TimelineEntry } from '../../generated/api.js';
import type { Tone } from '../../parts/badge.js';

type Fact = readonly [string, string];
type Sum = NonNullable<TimelineEntry['quoted']>['pays'];

/** One thing that happened to a request, with its evidence as pairs of words and value. */
export interface Happened {
  readonly title: string;
  readonly tone: Tone;
  readonly hash?: { readonly chainId: number; readonly value: string };
  readonly facts: readonly Fact[];
}

const BAD = new Set(['failure', 'failed', 'reverted', 'vanished', 'fallback']);
const DECIDED_WELL = new Set(['fill', 'credit']);
const GOOD = new Set(['success', 'final', 'done', 'delivered', 'included', 'released']);

/** What the entry shows; its own text repeats the evidence. */
export function shown(entry: TimelineEntry): Happened {
  const { kind, quoted, deposit, decision, payment, attempt, hold, change, delivery } = entry;
  if (quoted) return { title: 'Quoted', tone: 'none', facts: quotedFacts(quoted, entry.at) };
  if (deposit) {
    const hash = hashOf(deposit.arrived.chainId, deposit.txHash);
    return { title: 'Deposit arrived', tone: toneOf(deposit.state), ...hash, facts: depositFacts(deposit) };
  }
  if (decision) {
    const facts: readonly Fact[] = [
      ...(decision.reason ? [['Reason', decision.reason] as const] : []),
      ...(decision.creditedUsd ? [['Credited', `${usdText(decision.creditedUsd)} to an app balance`] as const] : []),
    ];
    return {
      title: `Decided: ${decision.decision}`,
      tone: DECIDED_WELL.has(decision.decision) ? 'good' : 'warn',
      facts,
    };
  }
  if (attempt) {
    const hash = hashOf(attempt.chainId, attempt.txHash);
    return { title: 'Transaction signed', tone: toneOf(attempt.state), ...hash, facts: attemptFacts(attempt) };
  }
  if (payment) {
    const paid = kind === 'included';
    return {
      title: `${paid ? (isCall(payment) ? 'Made' : 'Paid') : 'Owed'}: ${payment.for}`,
      tone: paid ? 'good' : toneOf(payment.state),
      facts: paymentFacts(payment),
    };
  }
  if (hold) return { title: 'Held', tone: hold.state === 'open' ? 'warn' : 'good', facts: holdFacts(hold) };
  if (change)
    return {
      title: `Status: ${change.status}`,
      tone: change.status === 'refund' ? 'warn' : toneOf(change.status),
      facts: changeFacts(change),
    };
  if (delivery) return { title: 'Webhook', tone: toneOf(delivery.state), facts: deliveryFacts(delivery) };
  return { title: entry.text, tone: 'none', facts: [] };
}

const toneOf = (state: string): Tone => (BAD.has(state) ? 'bad' : GOOD.has(state) ? 'good' : 'busy');

/** A chain that shows no hash gives none. */
const hashOf = (chainId: number, value: string) => (value === '' ? {} : { hash: { chainId, value } });

export const sumText = ({ amount, amountFormatted, symbol, currency }: Sum): string =>
  `${amountFormatted ?? amount} ${symbol ?? currency}`;

type Sourced = NonNullable<NonNullable<TimelineEntry['quoted']>['prices']['sources']>['origin'];

const sourceText = ({ source, usd, at }: Sourced, quotedAt: number): string =>
  `${usdText(usd)} by ${source}, ${duration(Math.max(0, quotedAt - at))} old`;

function quotedFacts(quoted: NonNullable<TimelineEntry['quoted']>, at: number): readonly Fact[] {
  const { pays, gets, prices, slippageBps, expiresAt } = quoted;
  return [
    ['Pays', sumText(pays)],
    ['Gets', sumText(gets)],
    ['Prices', `${usdText(prices.origin)} in, ${usdText(prices.destination)} out`],
    ...(prices.sources
      ? [
          ['Price in', sourceText(prices.sources.origin, at)] as const,
          ['Price out', sourceText(prices.sources.destination, at)] as const,
        ]
      : []),
    ['Slippage', `${slippageBps} bps`],
    ['Valid for', duration(expiresAt - at)],
  ];
}

function depositFacts({
  arrived,
  depositor,
  state,
  block,
  valueUsd,
  confirmations,
  neededConfirmations,
}: NonNullable<TimelineEntry['deposit']>): readonly Fact[] {
  return [
    ['Arrived', `${sumText(arrived)} (${usdText(valueUsd)})`],
    ['From', depositor],
    ['State', block === null ? state : `${state} in block ${block}`],
    ...(neededConfirmations === null
      ? []
      : [
          [
            'Confirmations',
            confirmations === null
              ? `${neededConfirmations} needed`
              : `${confirmations} of ${neededConfirmations} needed`,
          ] as const,
        ]),
  ];
}

type Payment = NonNullable<TimelineEntry['payment']>;

/** It pays nothing. */
const isCall = ({ for: kind, pays }: Payment): boolean => pays.amount === '0' && kind !== 'fill';

function paymentFacts(payment: Payment): readonly Fact[] {
  const { pays, brought, recipient, state, reason } = payment;
  return [
    ...(isCall(payment) ? [] : [['Amount', sumText(pays)] as const]),
    ...(brought ? [['Swapped for', sumText(brought)] as const] : []),
    ['To', recipient],
    ['State', state],
    ...(reason ? [['Why', reason] as const] : []),
  ];
}

function attemptFacts({
  signer,
  key,
  attempt,
  state,
  block,
  message,
}: NonNullable<TimelineEntry['attempt']>): readonly Fact[] {
  return [
    ['Attempt', `${attempt}, ${state}${block === null ? '' : ` in block ${block}`}`],
    ['Signer', signer],
    ['Key', key],
    ...(message ? [['The node said', message] as const] : []),
  ];
}

function holdFacts({ held, reason, state }: NonNullable<TimelineEntry['hold']>): readonly Fact[] {
  return [
    ['Amount', sumText(held)],
    ['Why', reason],
    ['State', state],
  ];
}

function changeFacts({ failReason, refundFailReason }: NonNullable<TimelineEntry['change']>): readonly Fact[] {
  return [
    ...(failReason ? [['Reason', failReason] as const] : []),
    ...(refundFailReason ? [['Why it is not refunded', refundFailReason] as const] : []),
  ];
}

function deliveryFacts({
  endpointId,
  state,
  attempts,
  answerStatus,
  lastError,
}: NonNullable<TimelineEntry['delivery']>): readonly Fact[] {
  return [
    ['Endpoint', endpointId],
    ['State', `${state}, ${countOf(attempts, 'attempt')}${answerStatus === null ? '' : `, answered ${answerStatus}`}`],
    ...(lastError ? [['Error', lastError] as const] : []),
  ];
}
