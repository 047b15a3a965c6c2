import type { ChainAdapter } from '../../contract/chain-adapter.js';
import type { AskedAuthorization } from '../../contract/chain-capabilities.js';
import type { Hex } from '../../contract/ids.js';
import type { RawCall, RawCalls } from '../../contract/raw-calls.js';
import { serviceAccount } from '../../domain/service-account.js';
import { apiError, invalidRequest } from '../../errors/api-error.js';
import { type AskedAuthorizations, readAuthorizations } from '../../quoting/authorizations.js';
import { refused, type Stage } from '../../quoting/stage.js';

/** `data` of the body, well-formed. */
export interface AskedCall {
  readonly to: string;
  readonly data: string;
  readonly value: string;
  readonly authorizationList?: readonly AskedAuthorization[];
}

export interface ReadCall {
  readonly call: RawCall;
  /**
   * Whose limits it counts for: the called account, or a sender that consented, at the contract that checks the consent, whose
   * limit calls of that account by others do not use up.
   */
  readonly user: string;
  readonly rawCalls: RawCalls;
  /** Accounts of the authorizations, the contracts that they name, and the sender that consented. */
  readonly callees: readonly string[];
}

const FIELD = 'data.authorizationList';

/** Checks of a call that need no chain and cost little: unknown callers choose every field. */
export function readCall(chain: ChainAdapter, asked: AskedCall): Stage<ReadCall> {
  const { rawCalls } = chain.capabilities;
  const { displayName } = chain.facts;
  if (rawCalls === undefined)
    return apiError('UNSUPPORTED_EXECUTION_TYPE', `Calls for others are not served on ${displayName}`);
  const to = chain.parseAddress(asked.to);
  if (!to.ok) return invalidRequest('data.to', to.reason);
  // guard: calls-carry-no-coin
  if (BigInt(asked.value) !== 0n) return invalidRequest('data.value', 'must be 0: the service pays the fee alone');
  const bytes = asked.data.length / 2 - 1;
  if (bytes > rawCalls.mostDataBytes)
    return invalidRequest('data.data', `has ${bytes} bytes: at most ${rawCalls.mostDataBytes}`);
  const own = serviceAccount(chain, to.value);
  if (own !== undefined) return invalidRequest('data.to', own);
  const data = asked.data.toLowerCase() as Hex;
  // guard: calls-that-drain
  const refusal = rawCalls.refuse({ to: to.value, data });
  if (refusal !== undefined) return invalidRequest(`data.${refusal.field}`, refusal.reason);
  const read = authorizationsOf(chain, rawCalls, asked.authorizationList);
  if (refused(read)) return read;
  const sender = rawCalls.userOf?.({ to: to.value, data });
  const callees = [...read.parties.map(({ address }) => address), ...(sender === undefined ? [] : [sender])];
  const user = sender === undefined ? to.value : `${to.value}/${sender}`;
  return { call: { to: to.value, data, authorizations: read.encoded }, user, rawCalls, callees };
}

function authorizationsOf(
  chain: ChainAdapter,
  { mostAuthorizations }: RawCalls,
  asked: readonly AskedAuthorization[] = [],
): Stage<AskedAuthorizations> {
  const { authorizations } = chain.capabilities;
  if (asked.length === 0) return { encoded: [], parties: [] };
  if (authorizations === undefined) return invalidRequest(FIELD, `is not taken on ${chain.facts.displayName}`);
  if (asked.length > mostAuthorizations)
    return invalidRequest(FIELD, `has ${asked.length} entries: at most ${mostAuthorizations}`);
  return readAuthorizations(FIELD, asked, chain, authorizations);
}
