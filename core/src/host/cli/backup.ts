import { resolve } from 'node:path';
import { initKeccak } from '../../domain/keccak.js';
import { isAccepted } from '../../domain/narrowed-key.js';
import { markRestored } from '../../engine/recovery/restored.js';
import { BackupError, backupDatabase, type RestoredKeys, restoreDatabase } from '../../store/index.js';
import { assemble } from '../assemble.js';
import { composeStore, databaseFile } from '../compose-store.js';
import { readArguments } from './arguments.js';
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
  help: `causeway restore CONFIG FILE [--yes]

Puts a backup in the place of the embedded database of a stopped service. The former one is renamed. A ledger older
than its chains repeats nothing: a lane whose signer the chain knows better halts at the next start until every
transaction that the ledger lacks is matched or proven, and what was paid in before is paid back only once the chain of
its order proves that nothing filled it; \`causeway audit\` says what is missing. A database that was put back by other
means needs \`causeway restored CONFIG\`.

API keys that were revoked, ended or narrowed since the backup was made stay so: the former database says which. Those
that it does not know are accepted again, which needs --yes; those that only it knows are listed, and must be created again.

  --yes    accepts keys again although it is unknown whether they were revoked since`,
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
    ...reported('API keys that stay withdrawn, as the former database has it:', carried),
    ...reported('API keys that the backup does not know; create them again with causeway keys create:', gone),
    ...reported('API keys that are accepted again; revoke those that must not be with causeway keys revoke:', unproven),
  ];
}

export const restored: Command = {
  name: 'restored',
  help: `causeway restored CONFIG

Marks the database of a stopped service as restored by other means than \`causeway restore\`, as by the tools of a
storage plugin's database, or as a promoted standby that may have lagged. What was sent since is then found even
where no node shows it. Safe to repeat. The API keys that it accepts are printed: one that was revoked since must be
revoked again.`,
  async run(args) {
    const { positionals } = readArguments(args, { positionals: ['CONFIG'] });
    await initKeccak();
    const store = composeStore(assemble(await servedConfig(positionals[0] ?? ''), { writeLog: () => {} }));
    await store.open();
    const now = Date.now();
    try {
      await markRestored(store, now);
      print('marked: what was paid in so far is paid back only on proof that nothing filled it');
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
