import type { MountedRoute } from '../../api/index.js';
import type { PluginRoute, PluginRoutes } from '../../contract/plugin-routes.js';
import { DuplicateError, OwnedRegistry } from '../registries.js';

const MOUNT_NAME = /^[a-z][a-z0-9-]{0,63}$/;

export class RouteRegistry extends OwnedRegistry<MountedRoute> {
  readonly #mounts = new Map<string, string>();

  constructor() {
    super('route', ({ at, route }) => [`${route.method} ${at}${route.path}`]);
  }

  /** @throws DuplicateError where the name belongs to another plugin; TypeError for other names. */
  claim(name: string, owner: string): string {
    if (!MOUNT_NAME.test(name) || name === 'plugins')
      throw new TypeError(`"${name}" cannot be mounted: it must be lower-case kebab case, and not "plugins"`);
    const other = this.#mounts.get(name);
    if (other !== undefined && other !== owner)
      throw new DuplicateError(`/${name} is mounted by both "${other}" and "${owner}"`);
    this.#mounts.set(name, owner);
    return `/${name}`;
  }
}

export function routesFor(registry: RouteRegistry, owner: string): PluginRoutes {
  const own = registry.for(owner);
  const under = (at: string) => ({
    add: (route: PluginRoute) => {
      if (!route.path.startsWith('/')) throw new TypeError(`the path "${route.path}" must begin with a slash`);
      own.add({ owner, at, route });
    },
  });
  const plain = under(`/plugins/${owner}`);
  return {
    ...plain,
    get: (path, handler) =>
      plain.add({
        method: 'GET',
        path: path.startsWith('/') ? path : `/${path}`,
        access: 'open',
        handle: async ({ query }) => ({ json: await handler(query) }),
      }),
    mount: (name) => under(registry.claim(name, owner)),
  };
}
