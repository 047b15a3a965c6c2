import { initKeccak } from '../../domain/keccak.js';
import { assemble } from '../assemble.js';
import { loadConfig } from '../config/load-config.js';
import { ConfigError } from '../config/problems.js';
import { CORE } from '../core-tokens.js';
import { ReferencedKeys } from '../keys.js';
import { type EncryptedKey, encryptKeys } from '../new-keys/encrypt-keys.js';
import { type MadeKey, makeKeys } from '../new-keys/make-keys.js';
import { referencesIn } from '../new-keys/references.js';
import { apiKeys } from './api-keys.js';
import { readArguments, USUAL_CONFIG } from './arguments.js';
import { type Command, EXIT, UsageError } from './command.js';
import { complain, explain, print } from './output.js';

/** Verbs of `api-keys`, which had this name before. */
const FORMER = ['create', 'list', 'rotate', 'revoke', 'grant', 'integrators', 'link'];

export const keys: Command = {
  name: 'keys',
  help: `causeway keys new [CONFIG] [--encrypt]
causeway keys encrypt [CONFIG]

Creates each missing key file that CONFIG names as file:PATH, in the format of its plugin and with mode 0600. Existing files
are never changed. Prints the addresses and what to send to each, never a secret. Back up the folder of keys: funds of a
lost key are lost.

  --encrypt  encrypt what is made (scrypt, AES-256-GCM), with the passphrase in CAUSEWAY_KEY_PASSPHRASE, or in the file whose path
             is in CAUSEWAY_KEY_PASSPHRASE_FILE. Every command that reads such keys needs it.

\`keys encrypt\` encrypts every plain file that CONFIG names, with the same passphrase. A file is replaced once the encrypted one was
written, read back and opened. Copies and backups of plain files are yours to erase.

Keys that are named as env:NAME are the environment's, or those of .env. Ends with 1 while one is missing.

API keys of clients are created with \`causeway api-keys\`; its commands work here, too.`,

  async run(args) {
    if (FORMER.includes(args[0] ?? '')) return apiKeys.run(args);
    const flags = { encrypt: { type: 'boolean' } } as const;
    const parsed = readArguments(args, { positionals: ['VERB', 'CONFIG'], optional: 1, flags });
    const [verb, path = USUAL_CONFIG] = parsed.positionals;
    if (verb !== 'new' && verb !== 'encrypt')
      throw new UsageError(`keys ${verb} is not known; use keys new or keys encrypt`);
    try {
      if (verb === 'encrypt') return await encryptAll(path);
      return await makeAll(path, parsed.flags['encrypt'] === true);
    } catch (error) {
      complain(explain(error));
      return error instanceof ConfigError ? EXIT.config : EXIT.failed;
    }
  },
};

async function makeAll(path: string, encrypt: boolean): Promise<number> {
  const config = await loadConfig(path, { devnet: true, checkKeys: false });
  const { directory, redactor } = config;
  const keystore = encrypt
    ? new ReferencedKeys({ directory, redactor, environment: process.env }).keystore('--encrypt')
    : undefined;
  const all = makeKeys(config, process.env, keystore && ((text) => keystore.seal(text)));
  for (const { state, reference, options } of all) print(`${MARKS[state]} ${reference} (${options.join(', ')})`);
  if (all.some(({ state }) => state === 'unmade' || state === 'unset')) return EXIT.failed;
  if (config.service.mode === 'rehearsal') {
    print(
      '\nservice.mode is rehearsal, which uses none of these keys; run this again with `serve` to see what to fund',
    );
    return EXIT.ok;
  }
  await initKeccak();
  const whole = await loadConfig(path, {});
  const assembly = assemble(whole, { writeLog: () => {}, settingUp: true });
  print('\nto be funded:');
  for (const chain of assembly.container.resolve(CORE.registries).chains.all()) {
    const { facts, lanes } = chain;
    for (const [n, { signer, former }] of lanes.entries()) {
      if (former === true) continue;
      const tokens = n === 0 ? chain.currencies().flatMap(({ isNative, symbol }) => (isNative ? [] : [symbol])) : [];
      const inventory =
        n === 0 ? ` for fees and as inventory${tokens.map((symbol) => `, ${symbol}`).join('')}` : ' for fees';
      print(`  ${facts.name}: ${signer}: ${facts.currency.symbol}${inventory}`);
    }
  }
  return EXIT.ok;
}

async function encryptAll(path: string): Promise<number> {
  const config = await loadConfig(path, { devnet: true, checkKeys: false });
  const options = [config.service, ...config.plugins.map((plugin) => plugin.options)];
  const references = options.flatMap((each) => referencesIn(each).map(([, reference]) => reference));
  const all = encryptKeys(config, references);
  for (const { state, reference } of all) print(`${SEALED[state]} ${reference}`);
  return all.some(({ state }) => state === 'missing') ? EXIT.failed : EXIT.ok;
}

const SEALED: Readonly<Record<EncryptedKey['state'], string>> = {
  encrypted: 'encrypted',
  there: 'encrypted before',
  missing: 'NOT THERE',
  environment: 'of the environment, not changed',
};

const MARKS: Readonly<Record<MadeKey['state'], string>> = {
  there: 'there   ',
  made: 'made    ',
  unmade: 'NOT MADE',
  unset: 'NOT SET ',
};
