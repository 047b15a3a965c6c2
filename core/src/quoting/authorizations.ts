import type { ChainAdapter } from '../contract/chain-adapter.js';
import type { AskedAuthorization, Authorizations } from '../contract/chain-capabilities.js';
import type { Hex } from '../contract/ids.js';
import { serviceAccount } from '../domain/service-account.js';
import { type ApiError, invalidRequest } from '../errors/api-error.js';
import type { QuoteAsk } from './ask.js';
import type { Stage } from './stage.js';

const FIELD = 'authorizationList';
const MAX_AUTHORIZATIONS = 8;

export interface AskedAuthorizations {
  readonly encoded: readonly Hex[];
  /** The account and the code contract of each. */
  readonly parties: readonly Callee[];
}

export interface Callee {
  readonly address: string;
  readonly field: string;
}

const NONE: AskedAuthorizations = Object.freeze({ encoded: [], parties: [] });

/** Give accounts code before the fill's calls run. Whether they are still valid is checked on chain with the calls. */
export function authorizationsOf(ask: QuoteAsk, destination: ChainAdapter): Stage<AskedAuthorizations> {
  const asked = ask.authorizationList ?? [];
  if (asked.length === 0) return NONE;
  const { authorizations } = destination.capabilities;
  if (authorizations === undefined) throw new Error('authorizations were not refused on a chain that takes none');
  if (!ask.txs?.length) return invalidRequest(FIELD, 'is for the calls in txs, and there are none');
  if (asked.length > MAX_AUTHORIZATIONS)
    return invalidRequest(FIELD, `has ${asked.length} entries: at most ${MAX_AUTHORIZATIONS}`);
  return readAuthorizations(FIELD, asked, destination, authorizations);
}

/** Each signed for this chain by another account, and naming nothing of the service. Local work only. */
export function readAuthorizations(
  field: string,
  asked: readonly AskedAuthorization[],
  chain: ChainAdapter,
  authorizations: Authorizations,
): Stage<AskedAuthorizations> {
  const accounts = new Set<string>();
  const encoded: Hex[] = [];
  const parties: Callee[] = [];
  for (const [index, one] of asked.entries()) {
    const wrong = (of: string, reason: string): ApiError => invalidRequest(`${field}[${index}]${of}`, reason);
    const { id, displayName } = chain.facts;
    if (one.chainId !== 0 && one.chainId !== id) return wrong('.chainId', `must be ${id} (${displayName}), or 0`);
    const read = authorizations.read(one);
    if (!read.ok) return wrong(`.${read.field}`, read.reason);
    const [own, code] = [serviceAccount(chain, read.account), serviceAccount(chain, read.code)];
    if (own !== undefined) return wrong('', `is signed by ${read.account}, which ${own}`);
    if (code !== undefined) return wrong('.address', code);
    if (accounts.has(read.account)) return wrong('', `is the second one of ${read.account}`);
    accounts.add(read.account);
    encoded.push(read.encoded);
    const at = `${field}[${index}]`;
    parties.push({ address: read.account, field: at }, { address: read.code, field: `${at}.address` });
  }
  return { encoded, parties };
}
