import type { PluginRoute } from '../../contract/plugin-routes.js';

export interface MountedRoute {
  /** Id of the plugin. */
  readonly owner: string;
  /** Such as `/plugins/<id>` or `/dashboard`. */
  readonly at: string;
  readonly route: PluginRoute;
}

export type FoundRoute =
  | { readonly owner: string; readonly route: PluginRoute; readonly path: string }
  | { readonly allowed: readonly string[] };

/** The most exact route of the path that takes the method; undefined: nothing is mounted there. */
export function findRoute(all: readonly MountedRoute[], path: string, method: string): FoundRoute | undefined {
  const asked = method === 'HEAD' ? 'GET' : method;
  const matching = all.filter(({ at, route }) => isUnder(path, at) && matches(route.path, path.slice(at.length)));
  if (matching.length === 0) return undefined;
  const [best] = matching
    .filter(({ route }) => route.method === asked || route.method === '*')
    .sort((a, b) => exactness(b.route.path) - exactness(a.route.path));
  if (best) return { owner: best.owner, route: best.route, path: path.slice(best.at.length) || '/' };
  const methods = new Set(matching.flatMap(({ route: one }) => (one.method === 'GET' ? ['GET', 'HEAD'] : one.method)));
  return { allowed: [...methods] };
}

function isUnder(path: string, at: string): boolean {
  return path === at || path.startsWith(`${at}/`);
}

function matches(pattern: string, rest: string): boolean {
  return pattern.endsWith('/*') ? `${rest}/`.startsWith(pattern.slice(0, -1)) : pattern === (rest || '/');
}

/** Exact paths first, then longer ones. */
function exactness(pattern: string): number {
  return pattern.endsWith('/*') ? pattern.length : Number.MAX_SAFE_INTEGER;
}
