import type { RequestId } from '../../contract/ids.js';
import { isHex } from '../../domain/hex.js';
import { ApiError, invalidRequest } from '../../errors/api-error.js';
import type { ApiDeps } from '../api.js';
import { visibleChain } from '../catalog/visible-chains.js';
import { type Answer, type Caller, ok, type Route, route } from '../route.js';
import { anyOf, integer, object, text } from '../schema.js';
import { MESSAGE } from '../schemas/common.js';
import { refuseWithoutSpace } from '../space.js';
import { stepHash } from './step-hash.js';

type Deps = Pick<ApiDeps, 'store' | 'chains' | 'clock' | 'engine'>;

/** Clients send the chain id as a number or as text. */
const BODY = object(
  { chainId: anyOf(integer(), text()), txHash: text({ maxLength: 200 }) },
  { requestId: text({ maxLength: 256 }) },
);

const CHAIN_ID = /^[1-9]\d{0,15}$/;
/** Hex, base58, base64: the hash formats of all chains. */
const HASH = /^[\w+/=:-]{16,200}$/;

/**
 * A durable hint to look at a transaction, usually not mined yet. 200 for any well-formed hash; it never moves money.
 */
export function indexRoute(deps: Deps): Route {
  return route({
    method: 'POST',
    path: '/transactions/index',
    operationId: 'indexTransaction',
    summary: 'Hint at a transaction',
    description: 'A stored hint to look for a transaction, which need not be mined yet. It never moves money.',
    tags: ['Transactions'],
    rate: 'other',
    access: 'open',
    body: BODY,
    answers: { 200: MESSAGE },
    errors: ['UNSUPPORTED_CHAIN', 'SERVICE_UNAVAILABLE'],
    handle: ({ body, caller }) => keepHint(deps, caller, body),
  });
}

/** The hash is within the step data (JSON text) or next to it (`stepHash`). */
const SINGLE = object(
  { requestId: text({ maxLength: 256 }), chainId: anyOf(integer(), text()) },
  {
    tx: text({
      maxLength: 200_000,
      description: 'Data of the step as JSON, which may contain `txHash` or `replacementTxHash`; or the hash itself.',
    }),
    txHash: text({ maxLength: 200 }),
    replacementTxHash: text({ maxLength: 200, description: 'Hash of a replacement by the wallet; takes precedence.' }),
  },
);

/**
 * A hint for a same-chain transaction of a request. Only the hash of the step data is used: the rest is read from the
 * chain.
 */
export function singleRoute(deps: Deps): Route {
  return route({
    method: 'POST',
    path: '/transactions/single',
    operationId: 'singleTransaction',
    summary: 'Hint at a transaction of a request on one chain',
    description: 'As `/transactions/index`, for a given request.',
    tags: ['Transactions'],
    rate: 'other',
    access: 'open',
    body: SINGLE,
    answers: { 200: MESSAGE },
    errors: ['UNSUPPORTED_CHAIN', 'SERVICE_UNAVAILABLE'],
    handle: ({ body, caller }) => {
      const hash = stepHash(body);
      if (hash === undefined) return invalidRequest('txHash', 'is missing');
      return keepHint(deps, caller, { chainId: body.chainId, txHash: hash, requestId: body.requestId });
    },
  });
}

async function keepHint(
  { store, chains, clock, engine }: Deps,
  caller: Caller,
  body: { readonly chainId: number | string; readonly txHash: string; readonly requestId?: string },
): Promise<Answer | ApiError> {
  if (!CHAIN_ID.test(String(body.chainId))) return invalidRequest('chainId', 'must be a chain id');
  const chain = visibleChain(chains, caller, Number(body.chainId));
  if (chain instanceof ApiError) return chain;
  if (!HASH.test(body.txHash)) return invalidRequest('txHash', 'is not a transaction hash');
  const requestId = body.requestId?.toLowerCase();
  if (requestId !== undefined && !isHex(requestId, 32)) return invalidRequest('requestId', 'is not a request id');
  const full = refuseWithoutSpace({ engine });
  if (full) return full;
  const hash = isHex(body.txHash) ? body.txHash.toLowerCase() : body.txHash;
  const transaction = `${chain.facts.id}:${hash}`;
  const row = {
    // Keyed by the request too: an earlier hint from someone else must not block the client's own.
    id: requestId === undefined ? transaction : `${transaction}:${requestId}`,
    chainId: chain.facts.id,
    hash,
    requestId: (requestId ?? null) as RequestId | null,
    createdAt: clock.now(),
  };
  await store.apply({ name: 'api.hint', changes: [{ op: 'insert', table: 'hints', row, ifAbsent: true }] });
  chain.hint(hash);
  return ok({ message: 'Success' });
}
