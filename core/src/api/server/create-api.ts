import type { Duplex } from 'node:stream';
import { Router, type RouterContext } from '@koa/router';
import Koa, { type Context } from 'koa';
import { apiError } from '../../errors/api-error.js';
import type { Api, ApiDeps } from '../api.js';
import { createKeyUses } from '../key-uses.js';
import { createKeyLookup, type KeyLookup } from '../keys.js';
import { createRetirement, RETIREMENT } from '../legacy/retirement.js';
import { createHub } from '../live/hub.js';
import { Places } from '../live/places.js';
import { createPluginDispatch } from '../plugins/dispatch.js';
import { createRateLimits } from '../rate-limits.js';
import { routeTable } from '../routes/route-table.js';
import { createStreams } from '../sse/streams.js';
import { createValidators } from '../validator.js';
import { SOCKET_LIMITS } from '../ws/limits.js';
import { createSockets } from '../ws/sockets.js';
import { answerPlain } from './answer-plain.js';
import { createBroken } from './broken.js';
import { clientAddress } from './client-address.js';
import { createCors } from './cors.js';
import { Deadlines } from './deadlines.js';
import { createGate } from './gate.js';
import type { IncomingMessage, ServerResponse } from './http-types.js';
import { InProgress } from './in-progress.js';
import { Load } from './load.js';
import { type Mounted, mount } from './mount.js';
import { createOuter } from './outer.js';
import { createRequestIds } from './request-id.js';
import { sendError } from './send.js';
import { createUpgrade } from './upgrade.js';

const NO_LIMITS = { maxInProgress: Infinity, maxLoopDelayMs: Infinity };
/** About 24 days: the longest timer. */
const MAX_TIMER_MS = 2 ** 31 - 1;

const LATEST = Symbol('the newest answer of a connection');
const LEAVE = Symbol('leave');

/**
 * A property instead of a WeakMap: values of a long-lived WeakMap survive minor collections with everything they
 * reference, 12 KB per quote.
 */
type Connection = Duplex & { [LATEST]?: ServerResponse };
type Answering = ServerResponse & { [LEAVE]?: () => void };

/** Throws on invalid options, such as a trusted proxy that is not an address. */
export function createApi(deps: ApiDeps): Api {
  const address = clientAddress(deps.options.trustedProxies);
  const load = new Load(deps.options.load ?? NO_LIMITS, deps.clock);
  const inProgress = new InProgress(load, deps.options.load?.maxInProgress ?? Infinity);
  const deadlines = new Deadlines(deps.options.answerWithinMs ?? MAX_TIMER_MS, deps.clock);
  const retirement = createRetirement(deps.options.retirement ?? RETIREMENT, deps.clock);
  const keyUses = createKeyUses(deps);
  const lookUp = createKeyLookup(deps.store, deps.clock);
  const keys: KeyLookup = async (key) => {
    const row = await lookUp(key);
    if (row) keyUses.note(row.id);
    return row;
  };
  const limits = { ...SOCKET_LIMITS, ...deps.options.websocket };
  const hub = createHub(deps, limits.window);
  const overloaded = () => load.overloaded();
  const live = { ...deps, hub, limits, overloaded, places: new Places() };
  const streams = createStreams(live);
  const gate = createGate({
    address,
    keys,
    limits: createRateLimits(deps.options.rateLimits, deps.clock, retirement.rate),
    adminKey: deps.adminKey,
    overloaded,
  });
  const router = new Router();
  const validators = createValidators();
  // Fast path for plain paths: trying the router's expressions dominates the cost of a short answer.
  const plain = new Map<string, Map<string, Mounted>>();
  const left = (response: Answering) => response[LEAVE]?.();
  const ownSegments = new Set<string>();
  for (const row of routeTable({ ...deps, keyUses }, streams)) {
    ownSegments.add(row.path.split('/', 2)[1] ?? '');
    const mounted = mount(router, row, { gate, validators, deadlines, left, log: deps.log });
    if (row.path.includes(':')) continue;
    const ofMethod = plain.get(row.method) ?? new Map<string, Mounted>();
    plain.set(row.method, ofMethod.set(row.path, mounted));
  }

  const requestIds = createRequestIds(deps.random);
  const app = new Koa();
  app.silent = true;
  const outer = createOuter({
    ...deps,
    ...{ address, requestIds, cors: createCors(deps.options.corsOrigins), isClosing: () => load.closing },
  });
  app.use(outer);
  // What is described as `plugins` is theirs.
  ownSegments.delete('plugins');
  app.use(createPluginDispatch({ ...deps, gate, keys, deadlines, left, ownSegments }));
  app.use((context, next) => {
    const mounted = plain.get(context.method)?.get(context.path);
    return mounted ? mounted(context as RouterContext) : next();
  });
  app.use(router.routes());
  app.use((context) => sendError(context, unmatched(router, context)));
  const handleAny = app.callback();
  // Most requests name a plain path exactly and go past koa's chain of middleware and its listeners.
  const handle = (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const mounted = plain.get(request.method ?? '')?.get(request.url ?? '');
    if (mounted === undefined) return handleAny(request, response);
    const context = app.createContext(request, response) as RouterContext;
    return outer(context, () => mounted(context)).then(() => answerPlain(context));
  };
  const handler: Api['handler'] = (request, response: Answering) => {
    (request.socket as Connection)[LATEST] = response;
    const { leave, answered } = inProgress.enter(request, response);
    response[LEAVE] = leave;
    handle(request, response).then(
      () => {
        if (response.writableEnded) answered();
      },
      (error: unknown) => {
        deps.log.error({ err: error }, 'answering failed');
        response.destroy();
      },
    );
  };
  const sockets = createSockets({ ...live, address, keys, isClosing: () => load.closing });
  return {
    handler,
    upgrade: createUpgrade({ handler, websocket: sockets.upgrade }),
    broken: createBroken({
      log: deps.log,
      requestIds,
      isAnswering: (socket) => {
        const latest = (socket as Connection)[LATEST];
        return latest?.headersSent === true && !latest.closed;
      },
    }),
    close: async () => {
      const answered = load.close();
      sockets.close();
      streams.close();
      await Promise.all([answered, hub.close()]);
      await keyUses.close();
      deadlines.close();
    },
  };
}

function unmatched(router: Router, context: Context) {
  const methods = new Set(router.match(context.path, context.method).path.flatMap((layer) => layer.methods));
  if (methods.size === 0) return apiError('NOT_FOUND');
  context.set('Allow', [...methods].join(', '));
  return apiError('METHOD_NOT_ALLOWED');
}
