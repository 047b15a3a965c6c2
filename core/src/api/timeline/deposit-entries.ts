import type { DepositRow } from '../../contract/store-rows.js';
import { balanceValue } from '../../domain/app-balance.js';
import { microUsdText } from '../../domain/money.js';
import type { StatusEventData } from '../../events/status-event.js';
import type { TimelineEntry } from '../schemas/timeline.js';
import type { TimelineFacts } from './facts.js';
import { inWords, sumOf } from './sums.js';

/** What arrived, with what its value needs; then what was decided of it. */
export function depositEntries(facts: TimelineFacts): readonly TimelineEntry[] {
  return facts.deposits.flatMap((deposit) => [seen(facts, deposit), ...decided(facts, deposit)]);
}

function seen({ chains, headOf }: TimelineFacts, row: DepositRow): TimelineEntry {
  const { fundingKey, chainId, currency, amount, transactionHash, depositor, state, height, valueUsd } = row;
  const arrived = sumOf(chains, chainId, currency, amount);
  const head = headOf(chainId);
  const needed = chains.get(chainId)?.acceptDepth(BigInt(valueUsd)) ?? null;
  const isDeepening = state === 'included' && height !== null && head !== null;
  const confirmations = isDeepening ? Math.max(0, head - height) : null;
  return {
    at: row.seenAt,
    kind: 'depositSeen',
    text: `${inWords(chains, arrived)} arrived${standing(state, confirmations, needed)}`,
    deposit: {
      ...{ fundingKey, arrived, txHash: transactionHash, depositor, state, block: height },
      ...{ valueUsd: microUsdText(BigInt(valueUsd)), confirmations, neededConfirmations: needed },
    },
  };
}

function standing(state: DepositRow['state'], confirmations: number | null, needed: number | null): string {
  if (state === 'mempool') return ' and is in no block yet';
  if (state === 'vanished') return ' and is gone from its chain';
  if (state === 'final' || confirmations === null) return ' and is final';
  return `; ${confirmations} of ${needed ?? 'an unknown number of'} needed blocks are on top of it`;
}

/** When and why, by what the same change set wrote: the deposit's legs, or the success of a deposit that was credited. */
function decided(facts: TimelineFacts, deposit: DepositRow): readonly TimelineEntry[] {
  const { fundingKey, decision } = deposit;
  if (decision === 'waiting') return [];
  const at = decidedAt(facts, deposit);
  if (at === undefined) return [];
  const { subject } = facts;
  const reason = 'failReason' in subject && decision !== 'fill' ? subject.failReason : null;
  const credited = decision === 'credit' ? creditedBy(facts, deposit) : undefined;
  const what =
    credited === undefined ? `${decision}${reason === null ? '' : `, because of ${reason}`}` : words(credited);
  return [
    {
      at,
      kind: 'decided',
      text: `the deposit was decided: ${what}`,
      decision: { fundingKey, decision, reason, ...(credited === undefined ? {} : { creditedUsd: credited }) },
    },
  ];
}

const words = (creditedUsd: string): string => `it added ${creditedUsd} US dollars to an app balance`;

function decidedAt({ legs, events }: TimelineFacts, { fundingKey, decision }: DepositRow): number | undefined {
  if (decision === 'credit') return events.findLast(({ payload }) => statusIn(payload) === 'success')?.createdAt;
  const own = legs.filter((leg) => leg.fundingKey === fundingKey).map(({ createdAt }) => createdAt);
  return own.length === 0 ? undefined : Math.min(...own);
}

const statusIn = (payload: string): string => (JSON.parse(payload) as { readonly data: StatusEventData }).data.status;

/** Undefined for a currency that left the config. */
function creditedBy({ chains }: TimelineFacts, { chainId, currency, amount }: DepositRow): string | undefined {
  const known = chains.get(chainId)?.currency(currency);
  return known && microUsdText(balanceValue(amount, known.decimals));
}
