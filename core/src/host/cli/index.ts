import { nearest } from '../config/nearest.js';
import { CORE_VERSION } from '../version.js';
import { type Command, EXIT, UsageError } from './command.js';
import { complain, explain, print } from './output.js';

/** Loaded on demand, so that no command loads unneeded dependencies. */
const COMMANDS: readonly { readonly name: string; readonly summary: string; readonly load: () => Promise<Command> }[] =
  [
    { name: 'start', summary: 'run the service', load: async () => (await import('./start.js')).start },
    {
      name: 'dev',
      summary: 'run the whole local build: chains, contracts, funded accounts, service',
      load: async () => (await import('./dev.js')).dev,
    },
    {
      name: 'doctor',
      summary: 'say what is wrong with a config before anything starts',
      load: async () => (await import('./doctor.js')).doctor,
    },
    {
      name: 'setup',
      summary: 'make what the chains of a config lack on the chains themselves',
      load: async () => (await import('./setup.js')).setup,
    },
    {
      name: 'demo',
      summary: 'one transfer of each kind through the running local build',
      load: async () => (await import('./demo.js')).demo,
    },
    {
      name: 'pause',
      summary: 'stop taking new requests on a chain, a route or everywhere',
      load: async () => (await import('./pause.js')).pause,
    },
    { name: 'resume', summary: 'take requests again', load: async () => (await import('./pause.js')).resume },
    {
      name: 'audit',
      summary: 'hold the books against the chains, and say what is not settled and why',
      load: async () => (await import('./audit.js')).audit,
    },
    {
      name: 'refund',
      summary: 'give a request up and pay its deposit back',
      load: async () => (await import('./operate.js')).refund,
    },
    {
      name: 'hold',
      summary: 'release value that was held for an operator',
      load: async () => (await import('./operate.js')).hold,
    },
    {
      name: 'addresses',
      summary: 'list and show deposit addresses, watch or sweep them now',
      load: async () => (await import('./addresses.js')).addresses,
    },
    {
      name: 'balances',
      summary: 'list, show and change app balances of integrators',
      load: async () => (await import('./balances.js')).balances,
    },
    {
      name: 'lane',
      summary: 'let a halted lane go on',
      load: async () => (await import('./operate.js')).lane,
    },
    {
      name: 'keys',
      summary: 'make, list, rotate, revoke and grant API keys',
      load: async () => (await import('./keys.js')).keys,
    },
    {
      name: 'webhooks',
      summary: 'list and test endpoints, read what was posted to them, post it again',
      load: async () => (await import('./webhooks.js')).webhooks,
    },
    {
      name: 'backup',
      summary: 'copy the embedded database while the service runs',
      load: async () => (await import('./backup.js')).backup,
    },
    {
      name: 'restore',
      summary: 'put a backup in place while the service is stopped',
      load: async () => (await import('./backup.js')).restore,
    },
    {
      name: 'restored',
      summary: 'say that a database was put back by other means',
      load: async () => (await import('./backup.js')).restored,
    },
    {
      name: 'plugin',
      summary: 'begin a plugin of your own: a package that compiles, loads and has its kit wired up',
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

causeway COMMAND --help says more. causeway --version prints the version.`;
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
  const command = await entry.load();
  if (rest.includes('--help') || rest.includes('-h')) {
    print(command.help);
    return EXIT.ok;
  }
  try {
    return await command.run(rest);
  } catch (error) {
    complain(`causeway ${name}: ${explain(error)}`);
    if (!(error instanceof UsageError)) return EXIT.failed;
    complain(`\n${command.help}`);
    return EXIT.usage;
  }
}
