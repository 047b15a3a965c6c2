import { nearest } from '../config/nearest.js';
import { CORE_VERSION } from '../version.js';
import { type Command, EXIT, UsageError } from './command.js';
import { demo } from './demo.js';
import { dev } from './dev.js';
import { doctor } from './doctor.js';
import { complain, explain, print } from './output.js';
import { pause, resume } from './pause.js';
import { schema } from './schema.js';
import { start } from './start.js';

const COMMANDS: readonly Command[] = [start, dev, doctor, demo, pause, resume, schema];

function overview(): string {
  const rows = COMMANDS.map(({ name, summary }) => `  ${name.padEnd(8)} ${summary}`);
  return `causeway COMMAND

A self-hostable cross-chain solver.

${rows.join('\n')}

causeway COMMAND --help says more. causeway --version prints the version.`;
}

/** Runs one command line; resolves with the exit code. */
export async function runCli(args: readonly string[]): Promise<number> {
  const [name, ...rest] = args;
  if (name === undefined) {
    complain(overview());
    return EXIT.usage;
  }
  if (name === '--help' || name === '-h' || name === 'help') {
    const about = COMMANDS.find((command) => command.name === rest[0]);
    print(about ? about.help : overview());
    return EXIT.ok;
  }
  if (name === '--version' || name === '-v') {
    print(CORE_VERSION);
    return EXIT.ok;
  }
  const command = COMMANDS.find((each) => each.name === name);
  if (!command) {
    const guess = nearest(
      name,
      COMMANDS.map((each) => each.name),
    );
    complain(`causeway: unknown command ${name}${guess ? `; did you mean ${guess}?` : ''}\n\n${overview()}`);
    return EXIT.usage;
  }
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
