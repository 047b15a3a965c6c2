import { nearest } from '../config/nearest.js';
import { ConfigError } from '../config/problems.js';
import { CORE_VERSION } from '../version.js';
import { type Command, EXIT, UsageError } from './command.js';
import { readEnvFile } from './env-file.js';
import { complain, explain, print } from './output.js';

/** Loaded on demand, so that no command loads unneeded dependencies. */
const COMMANDS: readonly { readonly name: string; readonly summary: string; readonly load: () => Promise<Command> }[] =
  [
    {
      name: 'init',
      summary: 'create the folder of a new solver: config, package.json, .env',
      load: async () => (await import('./init.js')).init,
    },
    { name: 'start', summary: 'run the service', load: async () => (await import('./start.js')).start },
    {
      name: 'dev',
      summary: 'run the whole local build: chains, contracts, funded accounts, service',
      load: async () => (await import('./dev.js')).dev,
    },
    {
      name: 'doctor',
      summary: 'check a config, its RPC providers, contracts, keys and database before a start',
      load: async () => (await import('./doctor.js')).doctor,
    },
    {
      name: 'setup',
      summary: 'deploy contracts and grant approvals that are missing on the chains of a config',
      load: async () => (await import('./setup.js')).setup,
    },
    {
      name: 'demo',
      summary: 'one transfer of each kind through the running local build',
      load: async () => (await import('./demo.js')).demo,
    },
    {
      name: 'pause',
      summary: 'stop accepting new requests on a chain, a route or everywhere',
      load: async () => (await import('./pause.js')).pause,
    },
    { name: 'resume', summary: 'accept requests again', load: async () => (await import('./pause.js')).resume },
    {
      name: 'audit',
      summary: 'compare the books with the chains; list what is not settled, and why',
      load: async () => (await import('./audit.js')).audit,
    },
    {
      name: 'inventory',
      summary: 'show the balances of the solver on each chain, and how much is available',
      load: async () => (await import('./inventory.js')).inventory,
    },
    {
      name: 'explain',
      summary: 'show the history of a request, in order and with the evidence',
      load: async () => (await import('./explain.js')).explain,
    },
    {
      name: 'dashboard',
      summary: 'make a link that signs an admin in to the dashboard',
      load: async () => (await import('./dashboard.js')).dashboard,
    },
    {
      name: 'report',
      summary: 'say what was earned and spent in a period, per day, route and currency',
      load: async () => (await import('./report.js')).report,
    },
    {
      name: 'rehearsal',
      summary: 'say what a rehearsal would have filled, earned and needed',
      load: async () => (await import('./rehearsal.js')).rehearsal,
    },
    {
      name: 'withdraw',
      summary: 'pay inventory to the operator, never what is owed',
      load: async () => (await import('./withdraw.js')).withdraw,
    },
    {
      name: 'rebalance',
      summary: 'plan transfers of inventory between chains, by their targets',
      load: async () => (await import('./rebalance.js')).rebalance,
    },
    {
      name: 'refund',
      summary: 'cancel a request and refund its deposit',
      load: async () => (await import('./operate.js')).refund,
    },
    {
      name: 'hold',
      summary: 'release a payment that is held for an operator',
      load: async () => (await import('./operate.js')).hold,
    },
    {
      name: 'addresses',
      summary: 'list deposit addresses, show one, poll or sweep them now',
      load: async () => (await import('./addresses.js')).addresses,
    },
    {
      name: 'balances',
      summary: 'list, show and change app balances of integrators',
      load: async () => (await import('./balances.js')).balances,
    },
    {
      name: 'lane',
      summary: 'resume a halted lane',
      load: async () => (await import('./operate.js')).lane,
    },
    {
      name: 'keys',
      summary: 'create the signing keys that a config names',
      load: async () => (await import('./signing-keys.js')).keys,
    },
    {
      name: 'api-keys',
      summary: 'create, list, rotate and revoke API keys, and grant rights to them',
      load: async () => (await import('./api-keys.js')).apiKeys,
    },
    {
      name: 'webhooks',
      summary: 'list and test webhook endpoints, show deliveries, repeat them',
      load: async () => (await import('./webhooks.js')).webhooks,
    },
    {
      name: 'backup',
      summary: 'copy the embedded database while the service runs',
      load: async () => (await import('./backup.js')).backup,
    },
    {
      name: 'restore',
      summary: 'restore a backup while the service is stopped',
      load: async () => (await import('./backup.js')).restore,
    },
    {
      name: 'restored',
      summary: 'mark a database as restored by other means',
      load: async () => (await import('./backup.js')).restored,
    },
    {
      name: 'plugin',
      summary: 'create a package for a new plugin, connected to its conformance kit',
      load: async () => (await import('./plugin.js')).plugin,
    },
    {
      name: 'schema',
      summary: 'print the JSON Schema of config files, for editors',
      load: async () => (await import('./schema.js')).schema,
    },
  ];

function overview(): string {
  const rows = COMMANDS.map(({ name, summary }) => `  ${name.padEnd(8)} ${summary}`);
  return `causeway COMMAND

A self-hostable cross-chain solver.

${rows.join('\n')}

causeway COMMAND --help describes a command. causeway --version prints the version.`;
}

export async function runCli(args: readonly string[]): Promise<number> {
  const [name, ...rest] = args;
  if (name === undefined) {
    complain(overview());
    return EXIT.usage;
  }
  if (name === '--help' || name === '-h' || name === 'help') {
    const about = COMMANDS.find((command) => command.name === rest[0]);
    print(about ? (await about.load()).help : overview());
    return EXIT.ok;
  }
  if (name === '--version' || name === '-v') {
    print(CORE_VERSION);
    return EXIT.ok;
  }
  const entry = COMMANDS.find((each) => each.name === name);
  if (!entry) {
    const guess = nearest(
      name,
      COMMANDS.map((each) => each.name),
    );
    complain(`causeway: unknown command ${name}${guess ? `; did you mean ${guess}?` : ''}\n\n${overview()}`);
    return EXIT.usage;
  }
  readEnvFile(process.cwd());
  const command = await entry.load();
  if (rest.includes('--help') || rest.includes('-h')) {
    print(command.help);
    return EXIT.ok;
  }
  try {
    return await command.run(rest);
  } catch (error) {
    complain(`causeway ${name}: ${explain(error)}`);
    if (error instanceof ConfigError) return EXIT.config;
    if (!(error instanceof UsageError)) return EXIT.failed;
    complain(`\n${command.help}`);
    return EXIT.usage;
  }
}
