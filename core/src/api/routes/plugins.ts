import { apiError } from '../../errors/api-error.js';
import type { ApiDeps } from '../api.js';
import { ok, type Route, route } from '../route.js';
import { anything, text } from '../schema.js';

/** `GET /plugins/<id>/…`, resolved at each request because plugins may register late. */
export function pluginsRoute({ pluginRoute }: Pick<ApiDeps, 'pluginRoute'>): Route {
  return route({
    method: 'GET',
    path: '/plugins/:id{/*path}',
    operationId: 'plugin',
    summary: 'What a plugin serves',
    description:
      'The answer is the plugin’s own; 404 where it mounted nothing. The example is of a plugin that is called `example`.',
    tags: ['Service'],
    rate: 'other',
    access: 'open',
    params: {
      id: text({ maxLength: 100, description: 'Id of the plugin.' }),
      path: text({ maxLength: 2_000, description: 'What the plugin mounted; may have slashes.' }),
    },
    answers: { 200: anything() },
    errors: ['NOT_FOUND'],
    handle: async ({ params, search }) => {
      const found = pluginRoute(params['id'] ?? '', `/${params['path'] ?? ''}`);
      return found ? ok(await found(new URLSearchParams(search))) : apiError('NOT_FOUND');
    },
  });
}
