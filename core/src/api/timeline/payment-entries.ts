import type { OpenKey } from '../../contract/store.js';
import type { KeyRow, LegRow } from '../../contract/store-rows.js';
import type { TimelineEntry } from '../schemas/timeline.js';
import type { Reader, TimelineFacts } from './facts.js';
import { inWords, nameOf, sumOf } from './sums.js';

/** What is owed, each transaction that was signed for it, and its inclusion. */
export function paymentEntries(facts: TimelineFacts, reader: Reader): readonly TimelineEntry[] {
  const legs = new Map(facts.legs.map((leg) => [leg.id, leg]));
  return [
    ...facts.legs.map((leg) => owed(facts, leg, reader)),
    ...facts.keys.flatMap((open) => open.attempts.map((attempt) => signed(facts, open, attempt, legs, reader))),
    ...facts.legs.flatMap((leg) => included(facts, leg)),
  ];
}

function owed({ chains }: TimelineFacts, leg: LegRow, reader: Reader): TimelineEntry {
  const pays = sumOf(chains, leg.chainId, leg.currency, leg.amount);
  const { id, kind, recipient, state, reason } = leg;
  return {
    at: leg.createdAt,
    kind: 'owed',
    text: `${inWords(chains, pays)} is owed to ${recipient} (${kind}; ${state} now)`,
    payment: {
      ...{ id, for: kind, pays, recipient, state },
      ...(reader === 'operator' && reason !== null ? { reason } : {}),
    },
  };
}

function signed(
  { chains }: TimelineFacts,
  { key }: OpenKey,
  attempt: OpenKey['attempts'][number],
  legs: ReadonlyMap<string, LegRow>,
  reader: Reader,
): TimelineEntry {
  // A transaction may pay other requests too, which this reader may not see.
  const payments = attempt.legIds.filter((id) => legs.has(id));
  const { hash, chainId, signer, n, state, message } = attempt;
  const isIncluded = key.includedHash === hash;
  return {
    at: attempt.signedAt,
    kind: 'signed',
    text: `transaction ${hash} was signed on ${nameOf(chains, chainId)}, attempt ${n} under key ${key.key} (${state} now)`,
    attempt: {
      ...{ payments, chainId, txHash: hash, signer, key: key.key, attempt: n, state },
      ...{ block: isIncluded ? key.includedHeight : null, fee: isIncluded ? feeOf(key) : null },
      ...(reader === 'operator' && message !== null ? { message } : {}),
    },
  };
}

function feeOf({ inclusion }: Pick<KeyRow, 'inclusion'>): string | null {
  return inclusion === null ? null : (JSON.parse(inclusion) as { readonly fee: string }).fee;
}

function included({ chains, keys }: TimelineFacts, leg: LegRow): readonly TimelineEntry[] {
  if (leg.includedAt === null) return [];
  const isOf = ({ attempts, key }: OpenKey) =>
    attempts.some(({ hash, legIds }) => hash === key.includedHash && legIds.includes(leg.id));
  const key = keys.find(isOf)?.key;
  const pays = sumOf(chains, leg.chainId, leg.currency, leg.amount);
  const where = key?.includedHash == null ? '' : ` by ${key.includedHash}`;
  return [
    {
      at: leg.includedAt,
      kind: 'included',
      text: `${inWords(chains, pays)} was paid to ${leg.recipient}${where}${leg.state === 'done' ? ', which is final' : ''}`,
      payment: { id: leg.id, for: leg.kind, pays, recipient: leg.recipient, state: leg.state },
    },
  ];
}
