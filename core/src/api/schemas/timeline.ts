import { flag, integer, list, named, nullable, object, oneOf, type TypeOf, text } from '../schema.js';
import { CHAIN_ID, FAIL_REASON, INTENT_STATUS, REFUND_FAIL_REASON, REQUEST_ID, UNITS, UNIX_MS } from './common.js';

const HEIGHT = nullable(integer({ minimum: 0 }));
const HASH = text({ description: 'Of the transaction; empty where its chain shows none.' });

const SUM = object({
  chainId: CHAIN_ID,
  currency: text({ description: 'Address of the currency.' }),
  amount: UNITS,
  amountFormatted: nullable(text({ description: 'Whole units; null where the currency is not configured.' })),
  symbol: nullable(text()),
});

const SOURCED = object({
  source: text({ description: 'Id of the price source.' }),
  usd: text({ description: 'US dollars for a whole unit.' }),
  at: UNIX_MS,
});

const QUOTED = object({
  pays: SUM,
  gets: SUM,
  least: text({ pattern: '^[0-9]+$', description: 'Of the output, smallest unit.' }),
  prices: object(
    {
      origin: text({
        description:
          'US dollars for a whole unit of what is deposited, after a swap of the payer; as it was quoted by.',
      }),
      destination: text({ description: 'The same of what the service pays, before a swap for the recipient.' }),
    },
    {
      sources: object(
        { origin: SOURCED, destination: SOURCED },
        {},
        { description: 'What each source said, and when; absent where it is not known.' },
      ),
    },
  ),
  fees: object(
    { relayerGas: UNITS, relayerService: UNITS, app: UNITS },
    {},
    { description: 'Smallest unit of the origin currency.' },
  ),
  slippageBps: integer({ minimum: 0 }),
  expiresAt: UNIX_MS,
  deadlineAt: UNIX_MS,
});

const DEPOSIT = object({
  fundingKey: text({ description: 'What identifies the transfer on its chain.' }),
  arrived: SUM,
  txHash: HASH,
  depositor: text(),
  state: oneOf(['mempool', 'included', 'final', 'vanished']),
  block: HEIGHT,
  valueUsd: text({ description: 'When it was first seen.' }),
  confirmations: nullable(
    integer({ minimum: 0, description: 'Blocks on top of its own, now; null: not in a block, or final.' }),
  ),
  neededConfirmations: nullable(
    integer({ minimum: 0, description: 'What its value needs; null where its chain is not configured.' }),
  ),
});

const DECISION = object(
  {
    fundingKey: text(),
    decision: oneOf(['fill', 'refund', 'hold', 'credit']),
    reason: nullable(FAIL_REASON),
  },
  {
    creditedUsd: text({ description: 'US dollars that the deposit added to an app balance, where it was credited.' }),
  },
);

const PAYMENT = object(
  {
    id: text({ description: 'Unique: it is paid once.' }),
    for: text({ description: '`fill`, `refund`, `excess`, `topUp`, `sweep` and others.' }),
    pays: SUM,
    recipient: text(),
    state: text({ description: '`owed`, `bound` (signed), `done` (final), `held` and others.' }),
  },
  {
    reason: text({ description: 'What it waits for, or why it ended. For operators.' }),
    brought: {
      ...SUM,
      description:
        'What the recipient got, where `pays` was swapped on the way; where calls of the order spent it, the least that the swap brought.',
    },
  },
);

const ATTEMPT = object(
  {
    payments: list(text(), { description: 'Ids of payments of this request that it carries.' }),
    chainId: CHAIN_ID,
    txHash: HASH,
    signer: text(),
    key: text({ description: 'What its chain spends once, such as a nonce: of all attempts with it one can land.' }),
    attempt: integer({ minimum: 0, description: 'Attempts with the key before this one.' }),
    state: text({ description: '`signed`, `sent`, `included`, `final`, `reverted`, `replaced` and others.' }),
    block: HEIGHT,
    fee: nullable(text({ pattern: '^[0-9]+$', description: 'Paid, native smallest unit; null until it is included.' })),
  },
  { message: text({ description: 'What a node said of it. For operators.' }) },
);

const HELD = object({
  id: text(),
  held: SUM,
  reason: text(),
  state: oneOf(['open', 'released']),
});

const CHANGE = object({
  sequence: integer({ minimum: 0 }),
  status: INTENT_STATUS,
  failReason: nullable(FAIL_REASON),
  refundFailReason: nullable(REFUND_FAIL_REASON),
});

const DELIVERY = object(
  {
    endpointId: text(),
    sequence: integer({ minimum: 0, description: 'Of the status change that it reports.' }),
    state: text({
      description: '`due`: to be posted; `behind`: waits for an earlier one; `again`: replayed; `delivered`, `failed`.',
    }),
    attempts: integer({ minimum: 0 }),
    answerStatus: nullable(integer({ minimum: 0 })),
  },
  { lastError: text() },
);

const KINDS = [
  ...(['quoted', 'depositSeen', 'decided', 'owed', 'signed', 'included'] as const),
  ...(['held', 'status', 'delivery'] as const),
] as const;

export const TIMELINE_ENTRY = named(
  'TimelineEntry',
  object(
    {
      at: UNIX_MS,
      kind: oneOf(KINDS, { description: 'Names the evidence below that comes with it.' }),
      text: text({ description: 'The same in words, for people. Not stable.' }),
    },
    {
      quoted: QUOTED,
      deposit: DEPOSIT,
      decision: DECISION,
      payment: PAYMENT,
      attempt: ATTEMPT,
      hold: HELD,
      change: CHANGE,
      delivery: DELIVERY,
    },
  ),
);

export type TimelineEntry = TypeOf<typeof TIMELINE_ENTRY>;
export type Sum = TypeOf<typeof SUM>;

export const TIMELINE = named(
  'Timeline',
  object(
    {
      requestId: REQUEST_ID,
      status: INTENT_STATUS,
      parentRequestId: nullable(REQUEST_ID),
      entries: list(TIMELINE_ENTRY, {
        description: 'Oldest first. What happened at the same time is in causal order.',
      }),
      truncated: flag({ description: 'More than 1,000 entries: the newest are left out.' }),
    },
    { waitsFor: text({ description: 'Why it is not settled. For operators.' }) },
  ),
);
