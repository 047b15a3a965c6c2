import type { PluginRoutes } from '../../contract/plugin.js';
import { OwnedRegistry } from '../registries.js';

export interface PluginRoute {
  readonly path: string;
  readonly handler: (query: URLSearchParams) => Promise<unknown>;
}

export type RouteRegistry = OwnedRegistry<PluginRoute>;

export function routeRegistry(): RouteRegistry {
  return new OwnedRegistry<PluginRoute>('route', (route) => [route.path]);
}

export function routesFor(registry: RouteRegistry, owner: string): PluginRoutes {
  const own = registry.for(owner);
  return {
    get: (path, handler) => own.add({ path: `/plugins/${owner}${path.startsWith('/') ? path : `/${path}`}`, handler }),
  };
}
