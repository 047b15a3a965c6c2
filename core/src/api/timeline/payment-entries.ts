import type { OpenKey } from '../../contract/store.js';
import type { KeyRow, LegRow } from '../../contract/store-rows.js';
import { factsOf } from '../../domain/leg-facts.js';
import type { QuoteBody } from '../../domain/quote.js';
import { actualOf } from '../record/actual.js';
import type { Sum, TimelineEntry } from '../schemas/timeline.js';
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
  const what = isCall(leg)
    ? `a call of ${recipient} is to be made on ${nameOf(chains, leg.chainId)}`
    : `${inWords(chains, pays)} is owed to ${recipient}`;
  return {
    at: leg.createdAt,
    kind: 'owed',
    text: `${what} (${kind}; ${state} now)`,
    payment: {
      ...{ id, for: kind, pays, recipient, state },
      ...(reader === 'operator' && reason !== null ? { reason } : {}),
    },
  };
}

/** It moves nothing of the service. */
const isCall = (leg: LegRow): boolean => factsOf(leg).sentAs === 'call';

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

/** As the key's row keeps what its transaction did. */
interface Inclusion {
  readonly fee: string;
  readonly movements: readonly { readonly legId: string; readonly moved: string }[];
}

const inclusionOf = ({ inclusion }: Pick<KeyRow, 'inclusion'>): Inclusion | null =>
  inclusion === null ? null : (JSON.parse(inclusion) as Inclusion);

const feeOf = (key: KeyRow): string | null => inclusionOf(key)?.fee ?? null;

function included(facts: TimelineFacts, leg: LegRow): readonly TimelineEntry[] {
  if (leg.includedAt === null) return [];
  const { chains, keys } = facts;
  const isOf = ({ attempts, key }: OpenKey) =>
    attempts.some(({ hash, legIds }) => hash === key.includedHash && legIds.includes(leg.id));
  const key = keys.find(isOf)?.key;
  const moved = key && inclusionOf(key)?.movements.find(({ legId }) => legId === leg.id)?.moved;
  const pays = sumOf(chains, leg.chainId, leg.currency, moved === undefined ? leg.amount : BigInt(moved));
  const brought = broughtBy(facts, leg);
  const where = key?.includedHash == null ? '' : ` by ${key.includedHash}`;
  const what = isCall(leg)
    ? `the call of ${leg.recipient} was made`
    : `${inWords(chains, brought ?? pays)} was paid to ${leg.recipient}${brought ? `, swapped from ${inWords(chains, pays)}` : ''}`;
  return [
    {
      at: leg.includedAt,
      kind: 'included',
      text: `${what}${where}${leg.state === 'done' ? ', which is final' : ''}`,
      payment: {
        ...{ id: leg.id, for: leg.kind, pays, recipient: leg.recipient, state: leg.state },
        ...(brought ? { brought } : {}),
      },
    },
  ];
}

/** What a swap made of a payment on the way; undefined where it is paid as it is. */
function broughtBy({ subject, chains }: TimelineFacts, leg: LegRow): Sum | undefined {
  const actual = 'actual' in subject ? actualOf(subject) : null;
  if (actual === null) return undefined;
  const { delivers, replacesFill } = factsOf(leg);
  const { swapOut } = JSON.parse(subject.body) as QuoteBody;
  if (delivers && swapOut && actual.given !== null && actual.amountOut !== null)
    return sumOf(chains, swapOut.side.chainId, swapOut.side.currency, actual.amountOut);
  return replacesFill && actual.back ? sumOf(chains, leg.chainId, actual.back.currency, actual.back.amount) : undefined;
}
