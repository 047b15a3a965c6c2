import type { ApiDeps } from '../api.js';
import { type Route, route } from '../route.js';

/** `GET /metrics`: for this machine, or with the admin key. */
export function metricsRoute({ metricsText }: Pick<ApiDeps, 'metricsText'>): Route {
  return route({
    method: 'GET',
    path: '/metrics',
    operationId: 'metrics',
    rate: 'free',
    access: 'local',
    handle: async () => {
      const { contentType, text } = await metricsText();
      return { status: 200, body: text, contentType };
    },
  });
}
