import { resolve } from 'node:path';
import { BackupError, backupDatabase, restoreDatabase } from '../../store/index.js';
import { databaseFile } from '../compose-store.js';
import { readArguments } from './arguments.js';
import { type Command, EXIT } from './command.js';
import { print } from './output.js';
import { servedConfig } from './served-config.js';

/** Backups are of the embedded store; a storage plugin's database has tools of its own. */
async function embeddedDatabase(configPath: string): Promise<string> {
  const config = await servedConfig(configPath);
  if (config.bindings.store !== undefined)
    throw new BackupError(`the store is ${config.bindings.store}; use the backup tools of its database`);
  return databaseFile(config);
}

export const backup: Command = {
  name: 'backup',
  help: `causeway backup CONFIG FILE

Copies the embedded database as one committed snapshot, while the service runs or not, checks the copy and puts it under
FILE, which must not exist. Causeway keeps nothing else that must be saved, apart from its keys.`,
  async run(args) {
    const { positionals } = readArguments(args, { positionals: ['CONFIG', 'FILE'] });
    const [configPath = '', target = ''] = positionals;
    const bytes = await backupDatabase(await embeddedDatabase(configPath), target);
    print(`${resolve(target)}: ${bytes} bytes, checked`);
    return EXIT.ok;
  },
};

export const restore: Command = {
  name: 'restore',
  help: `causeway restore CONFIG FILE

Puts a backup in the place of the embedded database of a stopped service. What was there is moved aside. A ledger older
than its chains repeats nothing: a lane whose signer the chain knows better halts at the next start until every
transaction that the ledger lacks is matched or proven; \`causeway audit\` says what is missing.`,
  async run(args) {
    const { positionals } = readArguments(args, { positionals: ['CONFIG', 'FILE'] });
    const [configPath = '', from = ''] = positionals;
    const file = await embeddedDatabase(configPath);
    const label = new Date().toISOString().replace(/[:.]/g, '-');
    const aside = await restoreDatabase(from, file, label);
    print(`${file} is restored from ${resolve(from)}${aside === null ? '' : `; the former one is ${aside}`}`);
    return EXIT.ok;
  },
};
