import { resolve } from 'node:path';
import { initKeccak } from '../../domain/keccak.js';
import { isAccepted } from '../../domain/narrowed-key.js';
import { markRestored } from '../../engine/recovery/restored.js';
import { BackupError, backupDatabase, type RestoredKeys, restoreDatabase } from '../../store/index.js';
import { assemble } from '../assemble.js';
import { composeStore, databaseFile } from '../compose-store.js';
import { configIn, readArguments } from './arguments.js';
import { type Command, EXIT } from './command.js';
import { print } from './output.js';
import { servedConfig } from './served-config.js';

async function embeddedDatabase(configPath: string): Promise<string> {
  const config = await servedConfig(configPath);
  if (config.bindings.store !== undefined)
    throw new BackupError(`the store is ${config.bindings.store}; use the backup tools of its database`);
  return databaseFile(config);
}

export const backup: Command = {
  name: 'backup',
  help: `causeway backup CONFIG FILE

Copies the embedded database as one committed snapshot to FILE, which must not exist, and checks the copy. The service may
run meanwhile. The database and the keys are all that has to be backed up.`,
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
  help: `causeway restore CONFIG FILE [--yes]

Replaces the embedded database of a stopped service by a backup. The former database is renamed.

No payment is repeated. If a signer sent transactions that the backup does not contain, its lane halts at the next start
until each of them is matched with a payment or proven foreign. Deposits from before the restore are refunded only after
their destination chain proves that they were not filled. \`causeway audit\` lists what is missing. After a restore by other
means, run \`causeway restored CONFIG\`.

API keys that were revoked, expired or narrowed since the backup stay so, according to the former database. Keys that it does
not contain are accepted again, which requires --yes. Keys that only it contains are listed; create them again.

  --yes    accept keys of the backup even if they may have been revoked since`,
  async run(args) {
    const { positionals, flags } = readArguments(args, {
      flags: { yes: { type: 'boolean' } },
      positionals: ['CONFIG', 'FILE'],
    });
    const [configPath = '', from = ''] = positionals;
    const file = await embeddedDatabase(configPath);
    const now = new Date();
    const label = now.toISOString().replace(/[:.]/g, '-');
    const keysAccepted = flags['yes'] === true;
    const { onHold, keys } = await restoreDatabase(from, file, { label, at: now.getTime(), keysAccepted });
    print(`${file} is restored from ${resolve(from)}${onHold === null ? '' : `; the former one is ${onHold}`}`);
    for (const line of keyLines(keys)) print(line);
    return EXIT.ok;
  },
};

function keyLines({ carried, gone, unproven }: RestoredKeys): readonly string[] {
  const reported = (title: string, keys: readonly string[]) =>
    keys.length === 0 ? [] : [title, ...keys.map((key) => `  ${key}`)];
  return [
    ...reported('API keys that stay revoked or narrowed, as in the former database:', carried),
    ...reported('API keys that the backup does not contain; create them again with causeway api-keys create:', gone),
    ...reported('API keys that are accepted again; if one must not be, run causeway api-keys revoke:', unproven),
  ];
}

export const restored: Command = {
  name: 'restored',
  help: `causeway restored [CONFIG]

Marks the database of a stopped service as restored by other means than \`causeway restore\`: by tools of the database, or by
promoting a standby that may have lagged. The service then assumes that payments may be missing in it, and searches the
chains for them. Safe to repeat. Prints the API keys that the database accepts: revoke again those that were revoked since.`,
  async run(args) {
    const parsed = readArguments(args, { positionals: ['CONFIG'], optional: 1 });
    await initKeccak();
    const store = composeStore(assemble(await servedConfig(configIn(parsed)), { writeLog: () => {} }));
    await store.open();
    const now = Date.now();
    try {
      await markRestored(store, now);
      print('marked: earlier deposits are refunded only on proof that they were not filled');
      const unproven = (await store.apiKeys())
        .filter((key) => isAccepted(key, now))
        .map(({ id, name, integratorId }) => `${id}  ${name ?? integratorId}`);
      for (const line of keyLines({ carried: [], gone: [], unproven })) print(line);
    } finally {
      await store.close();
    }
    return EXIT.ok;
  },
};
