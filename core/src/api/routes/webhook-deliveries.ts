import type { DeliveryFilter, DeliveryRow, EndpointRow } from '../../contract/delivery-rows.js';
import { isHex } from '../../domain/hex.js';
import { ApiError, invalidRequest } from '../../errors/api-error.js';
import type { ApiDeps } from '../api.js';
import { readCursor, writeCursor } from '../listing/cursor.js';
import { type Caller, ok, type Route, route } from '../route.js';
import { integer, list, object, text } from '../schema.js';
import * as schemas from '../schemas/webhooks.js';
import { endpointRefusal, ownerOf } from './webhook-caller.js';

type Deps = Pick<ApiDeps, 'endpoints'>;

const MAX_REPLAYED_IDS = 50;
/** More than the events of any request. */
const MAX_EVENTS_OF_REQUEST = 100;

const shared = { tags: ['Webhooks'], rate: 'other', access: 'open', scope: 'webhooks' } as const;

export function webhookDeliveryRoutes(deps: Deps): readonly Route[] {
  return [logRoute(deps), replayRoute(deps)];
}

function logRoute(deps: Deps): Route {
  return route({
    ...shared,
    method: 'GET',
    path: '/webhooks/deliveries',
    operationId: 'webhookDeliveries',
    summary: 'What was posted, and what came of it',
    description:
      'The log of one endpoint, or of all endpoints of the integrator; with the admin key also of notifiers of the config, by their ids.',
    query: object(
      {},
      {
        endpointId: schemas.LOG_ID,
        state: schemas.DELIVERY_STATE,
        requestId: text({ maxLength: 100, description: 'Only events of this request.' }),
        limit: integer({ minimum: 1, maximum: 100, default: 20 }),
        continuation: text({ maxLength: 1_024, description: 'Cursor from the page before.' }),
      },
    ),
    answers: { 200: schemas.DELIVERIES },
    errors: [['INVALID_REQUEST', 404]],
    handle: async ({ caller, query }) => {
      const { endpointId, state, requestId, limit = 20, continuation } = query;
      if (requestId !== undefined && !isHex(requestId.toLowerCase(), 32))
        return invalidRequest('requestId', 'must be 32 bytes in hex');
      const rows = await endpointsOf(deps, caller, endpointId);
      if (rows instanceof ApiError) return rows;
      const of = JSON.stringify([
        'deliveries',
        rows.map(({ id }) => id),
        state ?? null,
        requestId?.toLowerCase() ?? null,
      ]);
      const cursor = continuation === undefined ? undefined : readCursor(continuation, of);
      if (cursor instanceof ApiError) return cursor;
      const after = cursor && { position: cursor.after.value ?? 0, id: cursor.after.id };
      const found = (
        requestId === undefined
          ? await latest(deps, rows, state, limit, after)
          : (await ofRequest(deps, rows, requestId.toLowerCase())).filter(
              (row) => state === undefined || stateOf(row) === state,
            )
      )
        .filter((row) => after === undefined || inOrder(after, row) < 0)
        .sort(inOrder);
      const page = found.slice(0, limit);
      const last = page.at(-1);
      const more = found.length > limit && last !== undefined;
      return ok({
        deliveries: page.map(view),
        ...(more ? { continuation: writeCursor({ after: { value: last.position, id: last.id } }, of) } : {}),
      });
    },
  });
}

function replayRoute({ endpoints }: Deps): Route {
  return route({
    ...shared,
    method: 'POST',
    path: '/webhooks/deliveries/replay',
    operationId: 'replayWebhookDeliveries',
    summary: 'Post some events again',
    description: 'Posts deliveries again with their original ids. Pending ones are not changed.',
    body: object({ ids: list(schemas.DELIVERY_ID, { minItems: 1, maxItems: 100, uniqueItems: true }) }),
    answers: {
      200: object({
        replayed: list(schemas.DELIVERY_ID),
        left: list(schemas.DELIVERY_ID, { description: 'Deliveries that were pending already.' }),
      }),
    },
    errors: [['INVALID_REQUEST', 404]],
    handle: async ({ caller, body }) => {
      const owner = ownerOf(caller);
      if (owner instanceof ApiError) return owner;
      const rows = new Map((await endpoints.deliveries(body.ids)).map((row) => [row.id, row]));
      const theirs = new Set((await endpoints.logged(owner.integratorId)).map(({ id }) => id));
      const unknown = body.ids.find((id) => !theirs.has(rows.get(id)?.endpointId ?? ''));
      if (unknown !== undefined)
        return endpointRefusal({
          ok: false,
          code: 'notFound',
          field: 'ids',
          message: `there is no delivery ${unknown}`,
        });
      const replayed: string[] = [];
      const left: string[] = [];
      for (const row of rows.values()) ((await endpoints.replayOne(row)) ? replayed : left).push(row.id);
      return ok({ replayed, left });
    },
  });
}

async function endpointsOf(
  { endpoints }: Deps,
  caller: Caller,
  endpointId: string | undefined,
): Promise<readonly EndpointRow[] | ApiError> {
  const owner = ownerOf(caller);
  if (owner instanceof ApiError) return owner;
  if (endpointId !== undefined) {
    const row = await endpoints.loggedOne(endpointId, owner.integratorId);
    const message = `there is no endpoint ${endpointId}`;
    return row ? [row] : endpointRefusal({ ok: false, code: 'notFound', field: 'endpointId', message });
  }
  const rows = await endpoints.logged(owner.integratorId);
  if (rows.length <= MAX_REPLAYED_IDS) return rows;
  return invalidRequest('endpointId', `must name one of the ${rows.length} endpoints`);
}

type Place = Pick<DeliveryRow, 'position' | 'id'>;

/** Later events first. */
function inOrder(a: Place, b: Place): number {
  return b.position - a.position || (a.id < b.id ? -1 : a.id > b.id ? 1 : 0);
}

type State = 'pending' | 'delivered' | 'failed';

async function latest(
  { endpoints }: Deps,
  rows: readonly EndpointRow[],
  state: State | undefined,
  limit: number,
  after: Place | undefined,
): Promise<DeliveryRow[]> {
  const filter: DeliveryFilter = {
    // One extra row shows that there is more; the other may be the last of the previous page.
    limit: limit + 2,
    ...(state === undefined ? {} : { state: state === 'pending' ? 'open' : state }),
    ...(after === undefined ? {} : { before: after.position + 1 }),
  };
  const found: DeliveryRow[] = [];
  for (const { id } of rows) found.push(...(await endpoints.log(id, filter)));
  return found;
}

/** Delivery ids derive from the endpoint, the request and the event's number. */
async function ofRequest({ endpoints }: Deps, rows: readonly EndpointRow[], requestId: string): Promise<DeliveryRow[]> {
  const numbers = Array.from({ length: MAX_EVENTS_OF_REQUEST }, (_, n) => n + 1);
  const ids = rows.flatMap(({ id }) => numbers.map((n) => `${id}/${requestId}:${n}`));
  return [...(await endpoints.deliveries(ids))];
}

function stateOf({ state }: DeliveryRow): State {
  return state === 'delivered' || state === 'failed' ? state : 'pending';
}

function view(row: DeliveryRow) {
  const { id, endpointId, eventId, requestId, sequence, position, attempts, lastError, createdAt, updatedAt } = row;
  const { answerStatus: status, answer: body } = row;
  return {
    ...{ id, endpointId, eventId, requestId, sequence, position, state: stateOf(row), attempts },
    nextAttemptAt: row.state === 'due' ? row.dueAt : null,
    reason: lastError,
    answer: status === null ? null : { status, body: body ?? '' },
    ...{ createdAt, updatedAt },
  };
}
