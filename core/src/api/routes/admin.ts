import { isPauseScope } from '../../engine/base/pauses.js';
import { type ApiError, invalidRequest } from '../../errors/api-error.js';
import type { ApiDeps } from '../api.js';
import { type Answer, ok, type Route, route } from '../route.js';
import { nullable, object, type Schema, type TypeOf, text } from '../schema.js';
import { ALERTS, AUDIT, PAUSED } from '../schemas/operator.js';
import { described } from './operator-words.js';

const PAUSE_BODY = object(
  { scope: text({ maxLength: 100, description: '`all`, `chain:<id>` or `route:<originId>-<destinationId>`.' }) },
  {
    reason: nullable(
      text({
        maxLength: 1000,
        description: 'Reason as text. Shown to clients: in `GET /chains`, and in refused quotes.',
      }),
    ),
  },
);

/** Scopes: `all`, `chain:<id>`, `route:<originId>-<destinationId>`. */
export function adminRoutes({
  engine,
  chains,
  alerts,
}: Pick<ApiDeps, 'engine' | 'chains' | 'alerts'>): readonly Route[] {
  const set =
    (paused: boolean) =>
    async ({ body }: { readonly body: TypeOf<typeof PAUSE_BODY> }): Promise<Answer | ApiError> => {
      const { scope, reason = null } = body;
      if (!isPauseScope(scope)) {
        return invalidRequest('scope', 'must be all, chain:<id> or route:<originId>-<destinationId>');
      }
      const unknown = (scope.match(/\d+/g) ?? []).find((id) => !chains.has(Number(id)));
      // A paused scope can be resumed after its chain left the config.
      if (paused && unknown !== undefined) return invalidRequest('scope', `chain ${unknown} is not configured`);
      await engine.pause(scope, paused, reason);
      return ok({ scope, paused, reason });
    };
  const command = (path: string, operationId: string, summary: string, paused: boolean) =>
    route({
      method: 'POST',
      path,
      operationId,
      summary,
      ...described(operationId),
      tags: ['Operators'],
      rate: 'free',
      access: 'admin',
      body: PAUSE_BODY,
      answers: { 200: PAUSED },
      handle: set(paused),
    });
  const read = (path: string, operationId: string, summary: string, schema: Schema, body: () => unknown) =>
    route({
      method: 'GET',
      path,
      operationId,
      summary,
      ...described(operationId),
      tags: ['Operators'],
      rate: 'free',
      access: 'admin',
      answers: { 200: schema },
      handle: async () => ok(await body()),
    });
  return [
    command('/admin/pause', 'adminPause', 'Stop taking on work', true),
    command('/admin/resume', 'adminResume', 'Take on work again', false),
    read('/admin/audit', 'adminAudit', 'Hold the books against the chains', AUDIT, () => engine.audit()),
    read('/admin/alerts', 'adminAlerts', 'Alerts that stand', ALERTS, () => ({ alerts: alerts.list() })),
  ];
}
