import type { SendOutcome, SignedTransaction } from '../../../contract/legs.js';
import type { Admission } from '../chain-core.js';
import { type FakeProvider, NoAnswer } from '../fake-provider.js';
import type { ProviderSet } from './provider-set.js';

type Rejected = Extract<SendOutcome, { outcome: 'rejected' }>;

/**
 * Offers the bytes to providers in order. Never throws. `rejected` only if every answer was a refusal without doubt.
 */
export async function send(providers: ProviderSet, { bytes, hash }: SignedTransaction): Promise<SendOutcome> {
  let rejected: Rejected | undefined;
  let doubt: string | undefined;
  for (const provider of providers.usable()) {
    const outcome = await offer(providers, provider, bytes, hash);
    if (outcome.outcome === 'ambiguous') doubt ??= outcome.message;
    else if (outcome.outcome === 'rejected') rejected ??= outcome;
    else return outcome;
  }
  if (doubt === undefined && rejected !== undefined) return rejected;
  return { outcome: 'ambiguous', message: doubt ?? providers.problem() ?? 'no provider' };
}

async function offer(
  providers: ProviderSet,
  provider: FakeProvider,
  bytes: string,
  hash: string,
): Promise<SendOutcome> {
  try {
    const { said, triedFirst } = await providers.call(provider, 'send', (node) => ({
      said: take(node, bytes),
      triedFirst: node.core.rules.triedFirst,
    }));
    if (said === 'refusing') return { outcome: 'ambiguous', message: 'not now' };
    if (said === 'accepted' || said === 'known') return { outcome: said };
    // Accepted without a trial, though unpayable.
    if (!triedFirst && (said === 'noGas' || said === 'feeTooLow')) return { outcome: 'accepted' };
    // A spent key is often spent by the same bytes.
    const held = await holds(providers, provider, hash);
    if (held === true) return { outcome: 'known' };
    if (held === undefined || (!triedFirst && said === 'keySpent')) return { outcome: 'ambiguous', message: said };
    return { outcome: 'rejected', meaning: said, message: said };
  } catch (error) {
    return { outcome: 'ambiguous', message: error instanceof Error ? error.message : String(error) };
  }
}

function take(node: FakeProvider, bytes: string): Admission | 'refusing' {
  if (node.refusing) return 'refusing';
  if (node.rejecting) return 'invalid';
  const transaction = node.core.read(bytes);
  return transaction === undefined ? 'invalid' : node.core.submit(transaction, node.head);
}

/** Whether the provider knows the transaction; undefined without an answer. */
async function holds(providers: ProviderSet, provider: FakeProvider, hash: string): Promise<boolean | undefined> {
  try {
    return await providers.call(
      provider,
      'look',
      (node) =>
        (!node.poolBlind && node.core.rules.poolReported && node.core.pool.has(hash)) ||
        node.core.tree.receipt(node.head, hash) !== undefined,
    );
  } catch (error) {
    if (error instanceof NoAnswer) return undefined;
    return undefined;
  }
}
