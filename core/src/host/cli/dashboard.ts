import { ADMIN_FLAGS, ADMIN_OPTIONS, adminTarget, callService } from './admin-client.js';
import { readArguments } from './arguments.js';
import { type Command, EXIT, UsageError } from './command.js';
import { print } from './output.js';

export const dashboard: Command = {
  name: 'dashboard',
  help: `causeway dashboard login [CONFIG]

Prints a link that signs an admin in to the dashboard of a running service. It works once, within ten minutes; the admin key
is typed into no page. The service needs the plugin @causeway/plugin-dashboard. Behind a proxy, --url is its public address.

${ADMIN_OPTIONS}`,

  async run(args) {
    const parsed = readArguments(args, { flags: ADMIN_FLAGS, positionals: ['login', 'CONFIG'], optional: 1 });
    const [verb, config] = parsed.positionals;
    if (verb !== 'login') throw new UsageError(`dashboard ${verb} is not known; it knows login`);
    const target = await adminTarget(parsed, config);
    const { path } = await callService<{ path: string }>(target, 'dashboard/session/link', {});
    print(`${target.url}${path}`);
    return EXIT.ok;
  },
};
