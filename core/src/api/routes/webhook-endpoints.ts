import type { EndpointRow } from '../../contract/delivery-rows.js';
import { ApiError, invalidRequest } from '../../errors/api-error.js';
import { type Refusal, type ReplayMark, settingsOf } from '../../events/endpoints/index.js';
import type { ApiDeps } from '../api.js';
import { visibleChains } from '../catalog/visible-chains.js';
import { readCursor, writeCursor } from '../listing/cursor.js';
import { type Answer, type Call, type Caller, type DocumentedError, ok, type Route, route } from '../route.js';
import { integer, object, text } from '../schema.js';
import * as schemas from '../schemas/webhooks.js';
import { refuseWithoutSpace } from '../space.js';
import { endpointRefusal, ownerOf } from './webhook-caller.js';

type Deps = Pick<ApiDeps, 'chains' | 'endpoints' | 'store' | 'log' | 'engine'>;

const DAY_S = 86_400;
const NOT_FOUND: DocumentedError = ['INVALID_REQUEST', 404];
const NOT_NOW: DocumentedError = ['INVALID_REQUEST', 409];

const shared = { tags: ['Webhooks'], rate: 'other', access: 'open', scope: 'webhooks' } as const;
const one = { ...shared, params: { id: schemas.ENDPOINT_ID }, errors: [NOT_FOUND, NOT_NOW] } as const;

/** Each key manages the endpoints of its integrator, the admin key all. */
export function webhookEndpointRoutes(deps: Deps): readonly Route[] {
  const { endpoints } = deps;
  return [
    listRoute(deps),
    addRoute(deps),
    route({
      ...one,
      method: 'GET',
      path: '/webhooks/endpoints/:id',
      operationId: 'webhookEndpoint',
      summary: 'One endpoint',
      description: 'The endpoint with its settings and state. Secrets and headers are never shown.',
      answers: { 200: schemas.ONE_ENDPOINT },
      handle: withEndpoint(deps, (row) => ok({ endpoint: view(row) })),
    }),
    changeRoute(deps),
    route({
      ...one,
      method: 'POST',
      path: '/webhooks/endpoints/:id/rotate',
      operationId: 'rotateWebhookSecret',
      summary: 'Give an endpoint a new secret',
      description:
        'During the overlap, by default a day, bodies are signed with both secrets, so that a receiver can verify with the old one until it has the new one.',
      body: object({}, { overlapSeconds: integer({ minimum: 0, maximum: 30 * DAY_S }) }),
      answers: { 200: schemas.ENDPOINT_WITH_SECRET },
      handle: withOwner(async (owner, { params, body }) => {
        const { overlapSeconds = DAY_S } = body as { readonly overlapSeconds?: number };
        const made = await endpoints.rotate(idOf(params), owner, overlapSeconds * 1_000);
        return reported(made, () => (made.ok ? { endpoint: view(made.endpoint), secret: made.secret } : {}));
      }),
    }),
    route({
      ...one,
      method: 'POST',
      path: '/webhooks/endpoints/:id/remove',
      operationId: 'removeWebhookEndpoint',
      summary: 'Remove an endpoint permanently',
      description: 'No more events are posted to it, its secrets are erased, and its undelivered events are abandoned.',
      answers: { 200: object({ removed: schemas.ENDPOINT_ID }) },
      handle: withOwner(async (owner, { params }) => {
        const done = await endpoints.remove(idOf(params), owner);
        return reported(done, () => ({ removed: idOf(params) }));
      }),
    }),
    testRoute(deps),
    replayRoute(deps),
  ];
}

function listRoute({ endpoints }: Deps): Route {
  return route({
    ...shared,
    method: 'GET',
    path: '/webhooks/endpoints',
    operationId: 'webhookEndpoints',
    summary: 'List endpoints',
    description: "Endpoints of the key's integrator; with the admin key of all integrators, or of one.",
    query: object({}, { integratorId: text({ minLength: 1, maxLength: 100 }) }),
    answers: { 200: schemas.ENDPOINTS },
    handle: async ({ caller, query }) => {
      const owner = ownerOf(caller);
      if (owner instanceof ApiError) return owner;
      const rows = await endpoints.list(owner.integratorId ?? query.integratorId);
      return ok({ endpoints: rows.map(view) });
    },
  });
}

function addRoute(deps: Deps): Route {
  const { endpoints, log, store } = deps;
  return route({
    ...shared,
    method: 'POST',
    path: '/webhooks/endpoints',
    operationId: 'addWebhookEndpoint',
    summary: 'Register an endpoint',
    description:
      'It receives every event from now on of requests that are quoted with keys of the integrator. The secret is in this answer ' +
      'and nowhere else.',
    body: schemas.NEW_ENDPOINT,
    answers: { 200: schemas.ENDPOINT_WITH_SECRET },
    errors: [NOT_NOW],
    handle: async ({ caller, body }) => {
      const owner = ownerOf(caller);
      if (owner instanceof ApiError) return owner;
      const integratorId = owner.integratorId ?? body.integratorId;
      if (integratorId === undefined) return invalidRequest('integratorId', 'must name the integrator of the endpoint');
      if (owner.integratorId !== undefined && body.integratorId !== undefined && body.integratorId !== integratorId)
        return invalidRequest('integratorId', 'is not that of the API key');
      if ((await store.integrator(integratorId)) === undefined)
        return invalidRequest('integratorId', `no integrator is ${integratorId}`);
      const {
        url,
        description = null,
        statuses = [],
        chains = [],
        keys = [],
        signatures = ['standard'],
        headers = {},
      } = body;
      const unknown = unknownChain(deps, caller, chains);
      if (unknown) return unknown;
      const made = await endpoints.register(integratorId, {
        url,
        description,
        statuses,
        chains,
        keys,
        signatures,
        headers,
      });
      if (made.ok) log.info({ endpoint: made.endpoint.id, integrator: integratorId }, 'an endpoint was registered');
      return reported(made, () => (made.ok ? { endpoint: view(made.endpoint), secret: made.secret } : {}));
    },
  });
}

function changeRoute(deps: Deps): Route {
  return route({
    ...one,
    method: 'POST',
    path: '/webhooks/endpoints/:id',
    operationId: 'changeWebhookEndpoint',
    summary: 'Change an endpoint',
    description:
      'What is not named stays as it is. `headers` and lists are replaced whole. A `url` of another origin takes neither headers nor secret ' +
      'along: name `headers` again, and `secret` to keep it, or sign with the new one of the answer.',
    body: schemas.CHANGED_ENDPOINT,
    answers: { 200: schemas.CHANGED },
    handle: async ({ caller, params, body }) => {
      const owner = ownerOf(caller);
      if (owner instanceof ApiError) return owner;
      const unknown = unknownChain(deps, caller, body.chains ?? []);
      if (unknown) return unknown;
      const { url, description, statuses, chains, keys, signatures, headers, enabled, secret } = body;
      const named = { url, description, statuses, chains, keys, signatures, headers, enabled, secret };
      const wishes = Object.fromEntries(Object.entries(named).filter(([, value]) => value !== undefined));
      const changed = await deps.endpoints.change(idOf(params), owner.integratorId, wishes);
      return reported(changed, () => {
        if (!changed.ok) return {};
        const fresh = changed.secret === undefined ? {} : { secret: changed.secret };
        return { endpoint: view(changed.endpoint), ...fresh };
      });
    },
  });
}

function testRoute({ endpoints, ...deps }: Deps): Route {
  return route({
    ...one,
    method: 'POST',
    path: '/webhooks/endpoints/:id/test',
    operationId: 'testWebhookEndpoint',
    summary: 'Post a test event',
    description: 'Posts `endpoint.test`, signed, once, also to an endpoint that is disabled, and returns the result.',
    answers: { 200: schemas.TESTED },
    handle: withEndpoint({ endpoints, ...deps }, async (row) => {
      const tested = await endpoints.test(row);
      return reported(tested, () => {
        if (!tested.ok) return {};
        const { outcome, tookMs, eventId } = tested;
        const reason = outcome.outcome === 'delivered' ? null : outcome.why;
        return { delivered: reason === null, eventId, tookMs, reason, answer: outcome.answer ?? null };
      });
    }),
  });
}

function replayRoute(deps: Deps): Route {
  return route({
    ...one,
    method: 'POST',
    path: '/webhooks/endpoints/:id/replay',
    operationId: 'replayWebhookEndpoint',
    summary: 'Post what has happened since then again',
    description:
      'Events keep their ids, and those of one request their order. What happened before the endpoint was registered is posted for the ' +
      'first time. Whatever is pending is left as it is. A long time is worked through in several calls.',
    body: schemas.REPLAY,
    answers: { 200: schemas.REPLAYED },
    handle: async ({ caller, params, body }) => {
      const { since, until, failedOnly = false, continuation } = body;
      if (until !== undefined && until <= since) return invalidRequest('until', 'must be after since');
      const row = await endpointOf(deps, caller, params);
      if (row instanceof ApiError) return row;
      const of = JSON.stringify(['replay', row.id, since, until ?? null, failedOnly]);
      const cursor = continuation === undefined ? undefined : readCursor(continuation, of);
      if (cursor instanceof ApiError) return cursor;
      const full = refuseWithoutSpace(deps);
      if (full) return full;
      const after = cursor === undefined ? {} : { after: markOf(cursor.after) };
      const done = await deps.endpoints.replay(row, {
        since,
        failedOnly,
        ...(until === undefined ? {} : { until }),
        ...after,
      });
      if (!done.ok) return endpointRefusal(done);
      const more = done.after === null ? {} : { continuation: writeCursor({ after: cursorOf(done.after) }, of) };
      return ok({ replayed: done.count, ...more });
    },
  });
}

const cursorOf = ({ keyId, updatedAt, id }: ReplayMark) => ({ value: updatedAt, id: `${keyId}/${id}` });

function markOf({ value, id }: { readonly value: number | null; readonly id: string }): ReplayMark {
  const at = id.lastIndexOf('/');
  return { keyId: id.slice(0, at), updatedAt: value ?? 0, id: id.slice(at + 1) };
}

type Handle = (call: Call) => Promise<Answer | ApiError>;

function withOwner(then: (owner: string | undefined, call: Call) => Promise<Answer | ApiError>): Handle {
  return async (call) => {
    const owner = ownerOf(call.caller);
    return owner instanceof ApiError ? owner : then(owner.integratorId, call);
  };
}

function withEndpoint(
  deps: Pick<Deps, 'endpoints'>,
  then: (row: EndpointRow) => Promise<Answer | ApiError> | Answer,
): Handle {
  return async ({ caller, params }) => {
    const row = await endpointOf(deps, caller, params);
    return row instanceof ApiError ? row : then(row);
  };
}

async function endpointOf(
  { endpoints }: Pick<Deps, 'endpoints'>,
  caller: Caller,
  params: Call['params'],
): Promise<EndpointRow | ApiError> {
  const owner = ownerOf(caller);
  if (owner instanceof ApiError) return owner;
  const id = idOf(params);
  const row = await endpoints.one(id, owner.integratorId);
  return row ?? endpointRefusal({ ok: false, code: 'notFound', field: 'id', message: `there is no endpoint ${id}` });
}

function idOf(params: Call['params']): string {
  return String(params['id']);
}

function unknownChain({ chains }: Deps, caller: Caller, asked: readonly number[]): ApiError | undefined {
  const known = new Set(visibleChains(chains, caller).map(({ facts }) => facts.id));
  const unknown = asked.find((id) => !known.has(id));
  return unknown === undefined ? undefined : invalidRequest('chains', `${unknown} is no chain that is served`);
}

function reported(result: { readonly ok: true } | Refusal, body: () => object): Answer | ApiError {
  return result.ok ? ok(body()) : endpointRefusal(result);
}

/** Never a secret, nor a header. */
function view(row: EndpointRow) {
  const { id, integratorId, url, state, reason, failingSince, createdAt, updatedAt } = row;
  return { id, integratorId, url, ...settingsOf(row), state, reason, failingSince, createdAt, updatedAt };
}
