import { fileURLToPath } from 'node:url';
import { definePlugin, type PluginContext } from '@causeway/core';
import { devnetRoutes } from './devnet-routes.js';
import { forwardRoute } from './forward.js';
import { Links } from './links.js';
import { type DashboardOptions, optionsSchema } from './options.js';
import { createPages } from './pages.js';
import { sessionRoutes } from './session-routes.js';
import { Sessions } from './sessions.js';
import { Tries } from './tries.js';

/** Next to the build, also where the sources run. */
const UI = fileURLToPath(new URL('../dist/ui', import.meta.url));

export const plugin = definePlugin<DashboardOptions>({
  id: 'dashboard',
  coreRange: '^0.1.0',
  options: optionsSchema,
  register,
});

function register({
  options,
  routes,
  lifecycle,
  clock,
  random,
  network,
  testAccounts,
}: PluginContext<DashboardOptions>): void {
  const sessions = new Sessions(options.sessionMs, clock, random);
  const tries = new Tries(options.triesPerQuarterHour, clock);
  const pages = createPages();
  const deps = { sessions, tries, links: new Links(clock, random), clock, isLocal: network === 'local' };
  const own = routes.mount('dashboard');
  const devnet = testAccounts ? devnetRoutes(testAccounts, sessions) : [];
  for (const route of [...sessionRoutes(deps), ...devnet, forwardRoute(sessions), pages.route]) own.add(route);
  lifecycle.onStart(() => pages.read(UI));
}
