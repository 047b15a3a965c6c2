import type { DepositRow } from '../../contract/store-rows.js';
import { microUsdText } from '../../domain/money.js';
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

/** The legs of a deposit are written by the change set that decides it. */
function decided({ subject, legs }: TimelineFacts, { fundingKey, decision }: DepositRow): readonly TimelineEntry[] {
  if (decision === 'waiting') return [];
  const own = legs.filter((leg) => leg.fundingKey === fundingKey);
  const [first] = own.map(({ createdAt }) => createdAt).sort((a, b) => a - b);
  if (first === undefined) return [];
  const reason = 'failReason' in subject && decision !== 'fill' ? subject.failReason : null;
  return [
    {
      at: first,
      kind: 'decided',
      text: `the deposit was decided: ${decision}${reason === null ? '' : `, because of ${reason}`}`,
      decision: { fundingKey, decision, reason },
    },
  ];
}
