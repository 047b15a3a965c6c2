import type { SendOutcome, SignedTransaction } from '@causeway/core';
import { isTransportError, type Provider, type Providers } from '@causeway/core/rpc';
import type { Blockhashes } from './blockhashes.js';

type Rejected = Extract<SendOutcome, { outcome: 'rejected' }>;

/** Refusals by meaning, in nodes' words. Others prove nothing. */
const TABLE: readonly (readonly ['known' | Rejected['meaning'], RegExp])[] = [
  ['known', /already been processed|alreadyprocessed/i],
  ['keySpent', /blockhash not found|blockhashnotfound/i],
  ['tooLarge', /too large|exceeds .*(size|limit)|encoded\/raw/i],
  ['noGas', /insufficient (funds|lamports)|no record of a prior credit|accountnotfound/i],
  ['invalid', /signature verification|sanitize|invalid transaction|failed to deserialize|unsupported transaction/i],
];

/** No preflight, and one send: the ledger repeats it. */
const OPTIONS = { encoding: 'base64', skipPreflight: true, maxRetries: 0 };

export interface SendDeps {
  readonly providers: Providers;
  readonly blockhashes: Blockhashes;
}

/**
 * Tries providers in order until one accepts. Never throws. `rejected` only if every answering provider refused
 * without doubt.
 */
export async function send(deps: SendDeps, transaction: SignedTransaction): Promise<SendOutcome> {
  const { providers } = deps;
  let rejected: Rejected | undefined;
  let doubt: string | undefined;
  for (const provider of providers.usable()) {
    const outcome = await offer(deps, provider, transaction);
    if (outcome.outcome === 'ambiguous') doubt ??= outcome.message;
    else if (outcome.outcome === 'rejected') rejected ??= outcome;
    else return outcome;
  }
  if (doubt === undefined && rejected !== undefined) return rejected;
  return { outcome: 'ambiguous', message: doubt ?? providers.problem() ?? 'no provider' };
}

async function offer(
  { providers, blockhashes }: SendDeps,
  provider: Provider,
  { bytes, hash }: SignedTransaction,
): Promise<SendOutcome> {
  try {
    const [valid] = await Promise.all([
      blockhashes.isValid(provider, bytes),
      provider.rpc.request<string>('sendTransaction', [bytes, OPTIONS]),
    ]);
    if (valid) return { outcome: 'accepted' };
    // Without preflight, nodes accept expired and premature messages too.
    if ((await holds(provider, hash)) === true) return { outcome: 'known' };
    return { outcome: 'ambiguous', message: `${provider.name} took it, and does not know its blockhash` };
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    if (isTransportError(error)) {
      providers.failed(provider, error);
      return { outcome: 'ambiguous', message };
    }
    const meaning = TABLE.find(([, pattern]) => pattern.test(message))?.[0];
    if (meaning === 'known') return { outcome: 'known' };
    if (meaning === undefined) return { outcome: 'ambiguous', message };
    // An unknown blockhash may be expired, with the transaction included since.
    const held = await holds(provider, hash);
    if (held === true) return { outcome: 'known' };
    if (held === undefined) return { outcome: 'ambiguous', message };
    return { outcome: 'rejected', meaning, message };
  }
}

async function holds({ rpc }: Provider, signature: string): Promise<boolean | undefined> {
  try {
    const params = [[signature], { searchTransactionHistory: true }];
    const { value } = await rpc.request<{ readonly value: readonly unknown[] }>('getSignatureStatuses', params);
    return value[0] !== null;
  } catch {
    return undefined;
  }
}
