import type { TypeOf } from '../schema.js';
import type { TIMELINE, TimelineEntry } from '../schemas/timeline.js';
import { depositEntries } from './deposit-entries.js';
import type { Reader, TimelineFacts } from './facts.js';
import { paymentEntries } from './payment-entries.js';
import { deliveryEntries, holdEntries, quoteEntries, statusEntries } from './record-entries.js';

type Timeline = TypeOf<typeof TIMELINE>;

const MAX_ENTRIES = 1_000;

/** What was decided for a request, in order, with its evidence. @param waitsFor null where it is settled or unknown. */
export function timeline(facts: TimelineFacts, reader: Reader, waitsFor: string | null): Timeline {
  // In causal order; the sort is stable.
  const happened = [facts, ...facts.children.map((child) => ({ ...facts, ...child }))].flatMap((each) =>
    entriesOf(each, reader, isOfPayer(facts, each)),
  );
  // Processes' clocks may differ, and all follows from the quote.
  const ordered = [...quoteEntries(facts), ...[...happened].sort((a, b) => a.at - b.at)];
  const { subject } = facts;
  return {
    requestId: subject.id,
    status: facts.status,
    parentRequestId: 'parentRequestId' in subject ? subject.parentRequestId : null,
    entries: ordered.slice(0, MAX_ENTRIES),
    truncated: ordered.length > MAX_ENTRIES,
    ...(reader === 'operator' && waitsFor !== null ? { waitsFor } : {}),
  };
}

function entriesOf(facts: TimelineFacts, reader: Reader, givesStatus: boolean): readonly TimelineEntry[] {
  return [
    ...depositEntries(facts),
    ...holdEntries(facts),
    ...paymentEntries(facts, reader),
    ...(givesStatus ? statusEntries(facts) : []),
    ...deliveryEntries(facts),
  ];
}

/** Only transfers of its payer give an unpaid quote a status. */
function isOfPayer({ subject: quote }: TimelineFacts, { subject }: TimelineFacts): boolean {
  return subject === quote || !('sender' in subject) || subject.sender === quote.user;
}
