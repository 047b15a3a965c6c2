import { apiError } from '../../errors/api-error.js';
import { type Route, route } from '../route.js';
import { anything, text } from '../schema.js';

/** Describes what plugins serve; reached only where none serves anything. */
export function pluginsRoute(): Route {
  return route({
    method: 'GET',
    path: '/plugins/:id{/*path}',
    operationId: 'plugin',
    summary: 'What a plugin serves',
    description:
      'The plugin defines the response; 404 if it has no route at this path. The example is of a plugin with the id `example`.',
    tags: ['Service'],
    rate: 'other',
    access: 'open',
    params: {
      id: text({ maxLength: 100, description: 'Id of the plugin.' }),
      path: text({ maxLength: 2_000, description: 'Path of a route of the plugin; may contain slashes.' }),
    },
    answers: { 200: anything() },
    errors: ['NOT_FOUND'],
    handle: () => apiError('NOT_FOUND'),
  });
}
