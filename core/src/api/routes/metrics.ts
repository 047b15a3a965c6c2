import type { ApiDeps } from '../api.js';
import { type Route, route } from '../route.js';
import { text } from '../schema.js';

/** Needs the admin key. `service.metricsPort` serves the same without one. */
export function metricsRoute({ metricsText }: Pick<ApiDeps, 'metricsText'>): Route {
  return route({
    method: 'GET',
    path: '/metrics',
    operationId: 'metrics',
    summary: 'Metrics in the text form of Prometheus',
    description: 'Metrics of this process. Not for the public: they show inventory and load.',
    tags: ['Operators'],
    rate: 'free',
    access: 'admin',
    answers: { 200: text({ contentMediaType: 'text/plain' }) },
    handle: async () => {
      const metrics = await metricsText();
      return { status: 200, body: metrics.text, contentType: metrics.contentType };
    },
  });
}
