import { chmodSync, existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { runCli } from '../../src/host/cli/index.js';
import { ReferencedKeys } from '../../src/host/keys.js';
import { Keystore } from '../../src/host/keystore.js';
import { writeNewKey } from '../../src/host/new-keys/write-key.js';
import { Redactor } from '../../src/observability/redactor.js';
import { cliOutput } from './cli-output.js';
import { type Home, newHome, pluginSource, SECRET } from './home.js';

const PASSPHRASE = 'correct horse battery';

/** Reads its currencies through `this`, as adapters do. */
const CHAIN = `context.chains.add({
  facts: { id: 1, name: 'c1', vmType: 'any', network: 'local', currency: { symbol: 'COIN', decimals: 9 } },
  lanes: [{ signer: 'someone' }], held: [], currencies() { return this.held; } });`;

const said = cliOutput();
let home: Home;
let file: string;

beforeEach(() => {
  home = newHome();
  home.write('prices.mjs', pluginSource({ id: 'prices', register: CHAIN }));
  file = home.write(
    'solver.yaml',
    'service:\n  network: local\n  orderSigner: file:./keys/order.key\n  adminKey: file:./keys/admin.key\nplugins:\n  - use: ./prices.mjs\n',
  );
});

const keysWith = (environment: Readonly<Record<string, string>>) =>
  new ReferencedKeys({ directory: home.dir, environment, redactor: new Redactor() });

describe('an account of a remote signer where a key or a secret is expected', () => {
  it('is refused with what remote signers do', () => {
    const keys = keysWith({});
    for (const read of [() => keys.secret('remote:vault#0x1'), () => keys.secp256k1('remote:vault#0x1')])
      expect(read).toThrow(expect.objectContaining({ message: expect.stringContaining('signs whole transactions') }));
  });
});

describe('causeway keys new', () => {
  it('makes what is missing, once, for its owner alone, and prints what to fund but no secret', async () => {
    expect(await runCli(['keys', 'new', file]), said.text()).toBe(0);
    expect(said.text()).toContain('  c1: someone: COIN for fees and as inventory');
    const made = ['order', 'admin'].map((key) => home.path(`keys/${key}.key`));
    const texts = made.map((key) => readFileSync(key, 'utf8'));
    for (const [n, key] of made.entries()) {
      expect(statSync(key).mode & 0o777).toBe(0o600);
      expect(said.text()).not.toContain(texts[n]?.trim());
    }
    said.forget();
    expect(await runCli(['keys', 'new', file])).toBe(0);
    expect(said.text()).not.toContain('made ');
    expect(made.map((key) => readFileSync(key, 'utf8'))).toEqual(texts);
  });

  it('never replaces a key, also where it appears while another is made', () => {
    const path = home.write('keys/one.key', `${SECRET}\n`);
    expect(writeNewKey(path, 'other')).toBe(false);
    expect(readFileSync(path, 'utf8')).toBe(`${SECRET}\n`);
  });

  it('encrypts on request, and every command opens what it made', async () => {
    expect(await runCli(['keys', 'new', file, '--encrypt'])).toBe(1);
    expect(said.text()).toContain('--encrypt takes a passphrase, and none is set: set CAUSEWAY_KEY_PASSPHRASE');
    expect(existsSync(home.path('keys/order.key'))).toBe(false);
    vi.stubEnv('CAUSEWAY_KEY_PASSPHRASE', 'short');
    expect(await runCli(['keys', 'new', file, '--encrypt'])).toBe(1);
    expect(said.text()).toContain('fewer than 12 characters, which can be guessed');
    vi.stubEnv('CAUSEWAY_KEY_PASSPHRASE', PASSPHRASE);
    expect(await runCli(['keys', 'new', file, '--encrypt']), said.text()).toBe(0);
    const sealed = readFileSync(home.path('keys/order.key'), 'utf8');
    const secret = keysWith({ CAUSEWAY_KEY_PASSPHRASE: PASSPHRASE }).secret('file:./keys/order.key');
    expect(secret).toMatch(/^[0-9a-f]{64}$/);
    expect(sealed).not.toContain(secret);
    expect(said.text()).not.toContain(secret);
    expect(await runCli(['doctor', file])).not.toBe(78);
    vi.stubEnv('CAUSEWAY_KEY_PASSPHRASE', '');
    said.forget();
    expect(await runCli(['doctor', file])).toBe(78);
    expect(said.text()).toMatch(/service\.orderSigner: takes a passphrase, and none is set\n.*CAUSEWAY_KEY_PASSPHRASE/);
  }, 60_000);

  it('encrypts what is plain, once what it wrote opens to the same text, and changes nothing otherwise', async () => {
    const plain = home.write('keys/order.key', `${SECRET}\n`);
    chmodSync(plain, 0o600);
    expect(await runCli(['keys', 'encrypt', file])).toBe(1);
    expect(said.text()).toContain('takes a passphrase, and none is set');
    expect(readFileSync(plain, 'utf8')).toBe(`${SECRET}\n`);
    vi.stubEnv('CAUSEWAY_KEY_PASSPHRASE', PASSPHRASE);
    const broken = vi.spyOn(Keystore.prototype, 'seal').mockReturnValueOnce(new Keystore(PASSPHRASE).seal('other'));
    expect(await runCli(['keys', 'encrypt', file])).toBe(1);
    broken.mockRestore();
    expect(readFileSync(plain, 'utf8')).toBe(`${SECRET}\n`);
    expect(readdirSync(home.path('keys'))).toEqual(['order.key']);
    said.forget();
    // The admin key is not there yet.
    expect(await runCli(['keys', 'encrypt', file])).toBe(1);
    expect(said.text()).toMatch(/encrypted file:.*order\.key\nNOT THERE file:.*admin\.key/);
    expect(said.text() + readFileSync(plain, 'utf8')).not.toContain(SECRET);
    expect(statSync(plain).mode & 0o777).toBe(0o600);
    expect(await runCli(['keys', 'new', file, '--encrypt'])).toBe(0);
    expect(await runCli(['keys', 'encrypt', file])).toBe(0);
    const opened = keysWith({ CAUSEWAY_KEY_PASSPHRASE: PASSPHRASE }).secret('file:./keys/order.key');
    expect(opened).toBe(SECRET);
    vi.stubEnv('CAUSEWAY_KEY_PASSPHRASE', 'another battery staple');
    said.forget();
    expect(await runCli(['keys', 'encrypt', file])).toBe(1);
    expect(said.text()).toContain('does not open with this passphrase');
  }, 60_000);

  it('makes nothing in a folder that cannot be written, and says so in one line', async () => {
    // A file in the place of the folder, which also root cannot write into.
    home.write('keys', '');
    expect(await runCli(['keys', 'new', file])).toBe(1);
    expect(said.text()).toMatch(/^.*keys cannot be written \(E\w+\), so no key was made there: make it writable.*\n$/);
  });
});

describe('an encrypted key file', () => {
  const sealed = new Keystore(PASSPHRASE).seal(SECRET);
  const changed = (name: string, value: unknown) => JSON.stringify({ ...JSON.parse(sealed), [name]: value });

  it('opens with the passphrase of a file too, which its owner alone may read', () => {
    home.write('keys/one.key', sealed);
    const path = home.write('passphrase', `${PASSPHRASE}\n`);
    const environment = { CAUSEWAY_KEY_PASSPHRASE_FILE: path };
    expect(keysWith(environment).secret('file:keys/one.key')).toBe(SECRET);
    chmodSync(path, 0o644);
    expect(() => keysWith(environment).secret('file:keys/one.key')).toThrow('may be read by others');
  });

  it.each([
    ['another passphrase', sealed, 'wrong horse battery', 'does not open with this passphrase, or is damaged'],
    ['a file that was cut off', sealed.slice(0, -9), PASSPHRASE, 'is cut off or damaged'],
    ['a changed secret', changed('sealed', '00'), PASSPHRASE, 'does not open with this passphrase, or is damaged'],
    ['a short tag', changed('tag', '00'), PASSPHRASE, 'is damaged'],
    ['a cost that would take hours', changed('N', 2 ** 30), PASSPHRASE, 'is no keystore of this version'],
    ['an Ethereum keystore', '{"version":3,"crypto":{}}', PASSPHRASE, 'is no keystore of this version'],
  ])(
    'is refused in one line: %s',
    (_, text, passphrase, message) => {
      home.write('keys/one.key', text);
      const open = () => keysWith({ CAUSEWAY_KEY_PASSPHRASE: passphrase }).secret('file:keys/one.key');
      expect(open).toThrow(message);
      expect(open).not.toThrow(SECRET);
    },
    60_000,
  );
});
