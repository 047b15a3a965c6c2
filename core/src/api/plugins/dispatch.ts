import type { Context, Next } from 'koa';
import type { Logger } from '../../contract/observability.js';
import type { PluginAnswer } from '../../contract/plugin-routes.js';
import { ApiError, apiError } from '../../errors/api-error.js';
import type { Deadlines } from '../server/deadlines.js';
import type { Gate } from '../server/gate.js';
import type { ServerResponse } from '../server/http-types.js';
import { sendError } from '../server/send.js';
import { type FoundRoute, findRoute, type MountedRoute } from './find-route.js';
import { pluginCall } from './plugin-call.js';
import { actWith, authorityFor, createPrincipals, type PrincipalDeps } from './principals.js';
import { sendPluginAnswer } from './send-plugin-answer.js';
import { type RecordStore, sharedRecords } from './shared-records.js';

export interface PluginDispatchDeps extends PrincipalDeps {
  readonly store: PrincipalDeps['store'] & RecordStore;
  /** Read at each request, because plugins may register late. */
  readonly pluginRoutes: () => readonly MountedRoute[];
  /** First segments of the service's own paths. */
  readonly ownSegments: ReadonlySet<string>;
  readonly gate: Gate;
  readonly deadlines: Deadlines;
  readonly left: (response: ServerResponse) => void;
  readonly log: Logger;
}

/**
 * Answers for plugins; `next` is the REST interface, also for what a plugin forwards to it.
 *
 * @throws where a plugin mounts a path that the service serves.
 */
export function createPluginDispatch(deps: PluginDispatchDeps): (context: Context, next: Next) => Promise<void> {
  const principals = createPrincipals(deps);
  const isOwn = ({ at }: MountedRoute) => deps.ownSegments.has(segmentOf(at));
  for (const one of deps.pluginRoutes())
    if (isOwn(one)) throw new Error(`plugin ${one.owner} mounts ${one.at}, which the service itself serves`);

  return async (context, next) => {
    const all = deps.pluginRoutes();
    const found = all.length === 0 ? undefined : findRoute(all, context.path, context.method);
    if (found === undefined || deps.ownSegments.has(segmentOf(context.path))) return next();
    if ('allowed' in found) {
      context.set('Allow', found.allowed.join(', '));
      return sendError(context, apiError('METHOD_NOT_ALLOWED'));
    }
    context.state['operationId'] = `plugin:${found.owner}`;
    const answer = await deps.deadlines.within(answerOf(context, found));
    if (answer instanceof ApiError) return sendError(context, answer);
    if (!('forward' in answer)) return sendPluginAnswer(context, answer, deps.left);
    actWith(context.req, await authorityFor(deps, answer.as));
    if (!answer.forward.startsWith('/')) return sendError(context, apiError('NOT_FOUND'));
    context.url = answer.forward;
    return next();
  };

  async function answerOf(
    context: Context,
    { owner, route, path }: Extract<FoundRoute, { readonly route: unknown }>,
  ): Promise<PluginAnswer | ApiError> {
    const { access, rate = 'other' } = route;
    const caller = await deps.gate({ access: access === 'admin' ? 'admin' : 'open', rate }, context);
    if (caller instanceof ApiError) return caller;
    // The gate's own answers are those of a route's `limited`, which plugins have not.
    if ('status' in caller) return apiError('RATE_LIMITED');
    if (access === 'key' && caller.key === null) return apiError('UNAUTHORIZED');
    const records = sharedRecords(deps.store, owner);
    return route.handle(pluginCall(context, caller, path, { ...deps, principals, records }));
  }
}

function segmentOf(path: string): string {
  return path.split('/', 2)[1] ?? '';
}
