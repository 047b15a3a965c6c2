import { type Accepted, acceptMapping } from '../../capabilities/nonce-mappings/authorize.js';
import type { OrderId } from '../../contract/ids.js';
import { isHex } from '../../domain/hex.js';
import { ApiError, invalidRequest } from '../../errors/api-error.js';
import type { ApiDeps } from '../api.js';
import { visibleChain } from '../catalog/visible-chains.js';
import { ok, type Route, route } from '../route.js';
import { anyOf, integer, object, oneOf, text } from '../schema.js';
import { MESSAGE } from '../schemas/common.js';
import { refuseWithoutSpace } from '../space.js';

const ADDRESS = text({ minLength: 1, maxLength: 256 });
const SIGNATURE = text({ maxLength: 1_024 });
const MAX_CHAIN_ID = Number.MAX_SAFE_INTEGER;
/** Clients send numbers as numbers or as text. */
const COUNT = anyOf(
  integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }),
  text({ pattern: '^[0-9]{1,20}$', description: 'Decimal.' }),
);

const BODY = object(
  {
    type: oneOf(['nonce-mapping']),
    walletChainId: COUNT,
    wallet: ADDRESS,
    depositor: ADDRESS,
    nonce: COUNT,
    id: text({ maxLength: 256, description: 'Id of the order, 32 bytes as hex.' }),
    signatureChainId: COUNT,
  },
  { signature: SIGNATURE },
);

type Deps = Pick<ApiDeps, 'chains' | 'store' | 'clock' | 'engine'>;

/** `POST /authorize`: which transaction of a payer is the deposit of an order. */
export function authorizeRoute(deps: Deps): Route {
  return route({
    method: 'POST',
    path: '/authorize',
    operationId: 'authorize',
    summary: 'Name the transaction that pays an order',
    description:
      'A payer signs that the transaction with this nonce of its account is the deposit of its order. A plain token transfer to the ' +
      'depository in that transaction, which need not name the order itself, then pays it. One transaction per order and one order ' +
      'per transaction, for ever. The same again does nothing more. A transfer that is recorded already keeps having no order: 409.',
    tags: ['Transactions'],
    rate: 'other',
    access: 'open',
    query: object({}, { signature: SIGNATURE }),
    body: BODY,
    answers: { 200: MESSAGE },
    errors: [
      'UNSUPPORTED_CHAIN',
      'UNSUPPORTED_EXECUTION_TYPE',
      'REQUEST_NOT_FOUND',
      ['INVALID_REQUEST', 409],
      'SERVICE_UNAVAILABLE',
    ],
    handle: async ({ query, body, caller }) => {
      const { signature = body.signature } = query;
      if (signature === undefined) return invalidRequest('signature', 'is missing among the query parameters');
      if (!isHex(body.id, 32)) return invalidRequest('id', 'must be 32 bytes as hex');
      const [walletChainId, signatureChainId] = [Number(body.walletChainId), Number(body.signatureChainId)];
      if (signatureChainId > MAX_CHAIN_ID) return invalidRequest('signatureChainId', 'must be a chain id');
      const chain = visibleChain(deps.chains, caller, walletChainId, 'walletChainId');
      if (chain instanceof ApiError) return chain;
      const full = refuseWithoutSpace(deps);
      if (full) return full;
      const outcome = await acceptMapping(deps, chain, {
        ...{ wallet: body.wallet, depositor: body.depositor, nonce: String(body.nonce) },
        ...{ orderId: body.id.toLowerCase() as OrderId, signatureChainId, signature },
      });
      if (outcome instanceof ApiError) return outcome;
      return ok({ message: messageOf(outcome) });
    },
  });
}

function messageOf({ is, removed }: Accepted): string {
  if (is === 'acceptedBefore') return 'The nonce was mapped before';
  if (removed === undefined) return 'The nonce is mapped';
  return (
    `The nonce is mapped. A reorg removed ${removed}, which has this nonce and was recorded before: should that very transaction ` +
    'return, it is refunded; any other one of this nonce pays the order'
  );
}
