import type { SendOutcome, SignedTransaction } from '@causeway/core';
import { isTransportError, type Provider, type Providers, RpcError } from '@causeway/core/rpc';
import { ask } from './rpc/node.js';
import { locate } from './transactions/locate.js';

type Rejected = Extract<SendOutcome, { outcome: 'rejected' }>;

/** Disables the node's own fee cap: the fee is bounded at creation. */
const ANY_FEE = 0;

/** Node error texts; unlisted ones prove nothing. */
const TABLE: readonly (readonly ['known' | Rejected['meaning'], RegExp])[] = [
  ['known', /already in (block ?chain|utxo set)|txn-already-(in-mempool|known)|txn-same-nonwitness/i],
  ['keySpent', /missing-?(or-?spent|inputs)|inputs-missingorspent|txn-mempool-conflict|bad-txns-spends-conflicting/i],
  ['feeTooLow', /insufficient fee|min relay fee not met|mempool min fee not met|mempool full|too many potential repl/i],
  ['tooLarge', /tx-size|bad-txns-oversize|too-large/i],
  [
    'invalid',
    /decode failed|dust|scriptpubkey|datacarrier|multi-op-return|script-verify-flag|bad-witness|bad-txns|absurdly-high|fee exceeds/i,
  ],
];

/**
 * Tries providers in order until one accepts. Never throws. `rejected` only if every provider that answered refused,
 * and none was unclear.
 */
export async function send(providers: Providers, transaction: SignedTransaction): Promise<SendOutcome> {
  let rejected: Rejected | undefined;
  let doubt: string | undefined;
  for (const provider of providers.usable()) {
    const outcome = await offer(providers, provider, transaction);
    if (outcome.outcome === 'ambiguous') doubt ??= outcome.message;
    else if (outcome.outcome === 'rejected') rejected ??= outcome;
    else return outcome;
  }
  if (doubt === undefined && rejected !== undefined) return rejected;
  return { outcome: 'ambiguous', message: doubt ?? providers.problem() ?? 'no provider' };
}

async function offer(providers: Providers, provider: Provider, transaction: SignedTransaction): Promise<SendOutcome> {
  const { bytes, hash } = transaction;
  try {
    // A node accepts a transaction in its mempool as if it were new.
    if ((await locate(provider, hash)) !== undefined) return { outcome: 'known' };
    const reported = await ask<string>(provider, 'sendrawtransaction', [bytes, ANY_FEE]);
    return reported === hash ? { outcome: 'accepted' } : doubtful(`${provider.name} names it ${reported}`);
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    if (isTransportError(error)) providers.failed(provider, error);
    if (!(error instanceof RpcError)) return doubtful(message);
    const meaning = TABLE.find(([, pattern]) => pattern.test(message))?.[0];
    if (meaning === undefined) return doubtful(message);
    if (meaning === 'known') return { outcome: 'known' };
    // The transaction itself may have spent its inputs, included since the lookup.
    const held = meaning === 'keySpent' ? await holds(provider, hash) : false;
    if (held === true) return { outcome: 'known' };
    if (held === undefined) return doubtful(message);
    return { outcome: 'rejected', meaning, message };
  }
}

function doubtful(message: string): SendOutcome {
  return { outcome: 'ambiguous', message };
}

async function holds(provider: Provider, hash: string): Promise<boolean | undefined> {
  try {
    return (await locate(provider, hash)) !== undefined;
  } catch {
    return undefined;
  }
}
