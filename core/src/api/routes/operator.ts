import type { RequestId } from '../../contract/ids.js';
import { isHex } from '../../domain/hex.js';
import type { OperatorOutcome } from '../../engine/index.js';
import { type ApiError, invalidRequest } from '../../errors/api-error.js';
import type { ApiDeps } from '../api.js';
import { type Answer, ok, type Route, route, type Schema } from '../route.js';
import { OPERATOR_OUTCOME } from '../schemas/operator.js';
import { described } from './operator-words.js';
import { refusal } from './refusal.js';

/** The engine decides whether commands are safe; each is idempotent. */
export function operatorRoutes({ engine, chains }: Pick<ApiDeps, 'engine' | 'chains'>): readonly Route[] {
  return [
    command<{ readonly requestId: string }>(
      '/admin/refund',
      'adminRefund',
      'Refund a request',
      { requestId: TEXT },
      async ({ requestId }) => {
        const id = requestId.toLowerCase();
        if (!isHex(id, 32)) return invalidRequest('requestId', 'must be 0x and 64 hex digits');
        return answer('requestId', await engine.refundRequest(id as RequestId));
      },
    ),
    command<{ readonly holdId: string; readonly to?: string; readonly unpaid?: boolean }>(
      '/admin/holds/release',
      'adminReleaseHold',
      'Pay a hold out',
      { holdId: TEXT, to: TEXT, unpaid: UNPAID },
      async ({ holdId, to, unpaid }) => answer('holdId', await engine.releaseHold(holdId, to, unpaid)),
      ['holdId'],
    ),
    command<{ readonly chainId: number; readonly requestId: string }>(
      '/admin/addresses/recover',
      'adminRecoverAddress',
      'Watch a lost deposit address again',
      { chainId: { type: 'integer' }, requestId: TEXT },
      async ({ chainId, requestId }) => {
        const id = requestId.toLowerCase();
        if (!isHex(id, 32)) return invalidRequest('requestId', 'must be 0x and 64 hex digits');
        return answer('chainId', await engine.recoverAddress(chainId, id as RequestId));
      },
    ),
    command<{ readonly chainId: number; readonly signer: string }>(
      '/admin/lanes/resume',
      'adminResumeLane',
      'Let a halted lane sign again',
      { chainId: { type: 'integer' }, signer: TEXT },
      async ({ chainId, signer }) => {
        const parsed = chains.get(chainId)?.parseAddress(signer);
        if (!parsed) return invalidRequest('chainId', `chain ${chainId} is not configured`);
        if (!parsed.ok) return invalidRequest('signer', parsed.reason);
        return answer('signer', await engine.resumeLane(chainId, parsed.value));
      },
    ),
  ];
}

const UNPAID: Schema = {
  type: 'boolean',
  description:
    'For a hold that is in no book (`payable` false in the audit), without `to`: it leaves the list, and no one is paid.',
};
const TEXT: Schema = { type: 'string', minLength: 1, maxLength: 300 };

function command<Body>(
  path: string,
  operationId: string,
  summary: string,
  properties: Readonly<Record<string, Schema>>,
  run: (body: Body) => Promise<Answer | ApiError>,
  required = Object.keys(properties),
): Route {
  return route<unknown, Body>({
    method: 'POST',
    path,
    operationId,
    summary,
    ...described(operationId),
    tags: ['Operators'],
    rate: 'free',
    access: 'admin',
    body: { type: 'object', required, properties },
    answers: { 200: OPERATOR_OUTCOME },
    errors: [
      ['INVALID_REQUEST', 404],
      ['INVALID_REQUEST', 409],
    ],
    handle: ({ body }) => run(body),
  });
}

function answer(field: string, outcome: OperatorOutcome): Answer | ApiError {
  return outcome.ok ? ok(outcome) : refusal(field, outcome);
}
