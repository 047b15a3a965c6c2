import { apiError, type PluginRoute } from '@causeway/core';
import { standingOf } from './access.js';
import type { Sessions } from './sessions.js';

const PREFIX = '/api';

/** `/dashboard/api/<path>`: the REST interface, with the authority of the session alone. */
export function forwardRoute(sessions: Sessions): PluginRoute {
  return {
    method: '*',
    path: `${PREFIX}/*`,
    access: 'open',
    // The route that answers counts.
    rate: 'free',
    handle: async (call) => {
      const standing = await standingOf(call, sessions);
      if (standing.kind === 'ended') throw apiError('UNAUTHORIZED', 'The session has ended');
      const search = call.search === '' ? '' : `?${call.search}`;
      return {
        forward: `${call.path.slice(PREFIX.length)}${search}`,
        as: standing.kind === 'open' ? standing.session.principal : null,
      };
    },
  };
}
