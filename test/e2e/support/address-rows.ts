export interface Paying {
  /** Of the quoted amount, or of as much value in the chain's token. */
  readonly percent: number;
  readonly in?: 'token';
  readonly by?: 'another payer';
}

/** What one deposit address is asked for and paid, and what the result must be. */
export interface Row {
  readonly name: string;
  readonly type: 'strict' | 'open';
  readonly body?: Readonly<Record<string, unknown>>;
  /** The quoted currency. Default: the chain's coin. */
  readonly input?: 'token';
  /** Paid by the quote's own step, as a wallet does; otherwise by a transfer without it. */
  readonly isByStep?: true;
  /** Paid after the validity of the quote. */
  readonly isLate?: true;
  /** The recipient is blocked between quote and payment. */
  readonly isBlocked?: true;
  /** Where money goes back to, besides the sender. Default: a refund address. */
  readonly named?: 'refund and recovery address' | 'nothing';
  /** Each in a transaction of its own, one after the other. */
  readonly pays: readonly Paying[];
  /**
   * Status, fail reason and refund fail reason of every request that has a transfer, in any order: the quote's own of a strict
   * address, and children.
   */
  readonly ends: readonly string[];
  /** What is refunded: value in percent of the quoted amount, before its costs. Default: nothing. */
  readonly back?: Paying;
  /** What is delivered, in percent of the quoted output; to the unit where that is 100 and the address strict. */
  readonly delivered?: number;
}

const WHOLE: Paying = { percent: 100 };
const IN_TOKEN: Paying = { percent: 100, in: 'token' };
const FORCED = { referrer: 'debug-force-refund' };

export const ROWS: readonly Row[] = [
  { name: 'the exact amount', type: 'strict', pays: [WHOLE], ends: ['success'], delivered: 100 },
  {
    name: 'the exact amount by its step',
    type: 'strict',
    isByStep: true,
    pays: [WHOLE],
    ends: ['success'],
    delivered: 100,
  },
  {
    name: 'the exact amount of a token by its step',
    type: 'strict',
    input: 'token',
    isByStep: true,
    pays: [WHOLE],
    ends: ['success'],
    delivered: 100,
  },
  {
    name: 'an exact output',
    type: 'strict',
    body: { tradeType: 'EXACT_OUTPUT' },
    pays: [WHOLE],
    ends: ['success'],
    delivered: 100,
  },
  {
    name: 'more',
    type: 'strict',
    pays: [{ percent: 150 }],
    ends: ['success'],
    back: { percent: 50 },
    delivered: 100,
  },
  {
    name: 'less',
    type: 'strict',
    pays: [{ percent: 90 }],
    ends: ['refund DEPOSITED_AMOUNT_TOO_LOW_TO_FILL'],
    back: { percent: 90 },
  },
  {
    name: 'another currency',
    type: 'strict',
    pays: [IN_TOKEN],
    ends: ['refund INCORRECT_DEPOSIT_CURRENCY'],
    back: IN_TOKEN,
  },
  {
    name: 'the same again',
    type: 'strict',
    pays: [WHOLE, WHOLE],
    ends: ['success', 'refund DOUBLE_SPEND'],
    back: WHOLE,
    delivered: 100,
  },
  { name: 'it late', type: 'strict', isLate: true, pays: [WHOLE], ends: ['success'], delivered: 100 },
  {
    name: 'it past the time to live that was asked for',
    type: 'strict',
    isLate: true,
    body: { ttl: 1 },
    pays: [WHOLE],
    ends: ['refund TTL_EXPIRED'],
    back: WHOLE,
  },
  {
    name: 'what cannot be filled',
    type: 'strict',
    body: FORCED,
    pays: [WHOLE],
    ends: ['refund UNKNOWN'],
    back: WHOLE,
  },
  {
    name: 'it for a recipient who was blocked, with a recovery address',
    type: 'strict',
    isBlocked: true,
    named: 'refund and recovery address',
    pays: [WHOLE],
    ends: ['refund BLOCKED_WALLET'],
    back: WHOLE,
  },
  {
    name: 'it for a recipient who was blocked, without a recovery address',
    type: 'strict',
    isBlocked: true,
    pays: [WHOLE],
    ends: ['failure BLOCKED_WALLET MANUAL_REFUND_REQUIRED'],
  },
  { name: 'the quoted amount', type: 'open', pays: [WHOLE], ends: ['success'], delivered: 100 },
  {
    name: 'twice by one payer',
    type: 'open',
    pays: [{ percent: 60 }, { percent: 40 }],
    ends: ['success', 'success'],
    delivered: 100,
  },
  {
    name: 'by two payers',
    type: 'open',
    pays: [WHOLE, { percent: 100, by: 'another payer' }],
    ends: ['success', 'success'],
    delivered: 200,
  },
  { name: 'another currency', type: 'open', pays: [WHOLE, IN_TOKEN], ends: ['success', 'success'], delivered: 200 },
  { name: 'late', type: 'open', isLate: true, pays: [WHOLE], ends: ['success'], delivered: 100 },
  {
    name: 'what cannot be filled',
    type: 'open',
    body: FORCED,
    pays: [WHOLE],
    ends: ['refund UNKNOWN'],
    back: WHOLE,
  },
  {
    name: 'what cannot be filled, without a refund address',
    type: 'open',
    body: FORCED,
    named: 'nothing',
    pays: [WHOLE],
    ends: ['failure UNKNOWN MANUAL_REFUND_REQUIRED'],
  },
  {
    name: 'for a recipient who was blocked, with a recovery address',
    type: 'open',
    isBlocked: true,
    named: 'refund and recovery address',
    pays: [WHOLE],
    ends: ['refund BLOCKED_WALLET'],
    back: WHOLE,
  },
];

export function needsToken({ pays, input }: Pick<Row, 'pays' | 'input'>): boolean {
  return input === 'token' || pays.some((one) => one.in === 'token');
}
