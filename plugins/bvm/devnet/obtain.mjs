// Finds or downloads node software: `node obtain.mjs bitcoin` or `litecoin` prints the path of a program that answers
// `-version`, or the problem on standard error.
//
// No installation and no root: apt downloads Debian packages and checks their signatures; they are unpacked into a
// private folder, libraries and loader included, and reused.

import { execFileSync } from 'node:child_process';
import {
  accessSync,
  chmodSync,
  constants,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { homedir, userInfo } from 'node:os';
import { delimiter, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const KINDS = {
  bitcoin: {
    variable: 'BITCOIND',
    program: 'bitcoind',
    says: /^Bitcoin (Core|Knots)[^\n]* version v?(\d+)/,
    least: 25,
    package: 'bitcoin-knots',
    binary: 'usr/bin/bitcoind',
    // Only the newest suites have it, under a changing version.
    suites: ['sid', 'forky'],
  },
  litecoin: {
    variable: 'LITECOIND',
    program: 'litecoind',
    says: /^Litecoin Core[^\n]* version v?(\d+)/,
    least: 0,
    package: 'litecoind',
    // The one in usr/bin is a script.
    binary: 'usr/lib/litecoin/litecoind',
    suites: ['bookworm', 'trixie'],
  },
};

/** Not every test file repeats a failed attempt. */
const RETRY_DELAY_MS = 10 * 60_000;
const KEYRING = '/usr/share/keyrings/debian-archive-keyring.gpg';

class Unavailable extends Error {}

/** @returns the path of the program. @throws Unavailable with a remedy. */
export function obtain(kind) {
  const { variable, program } = KINDS[kind];
  const named = process.env[variable];
  if (named) {
    const problem = problemOf(kind, named);
    if (problem) throw new Unavailable(`${variable} names ${named}, which ${problem}`);
    return named;
  }
  for (const folder of (process.env.PATH ?? '').split(delimiter)) {
    const path = join(folder || '.', program);
    if (isProgram(path) && !problemOf(kind, path)) return path;
  }
  return fetched(kind);
}

function problemOf(kind, path) {
  const { says, least } = KINDS[kind];
  try {
    const said = execFileSync(path, ['-version'], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
    const found = says.exec(said);
    if (!found) return `is another program: ${said.split('\n')[0]}`;
    return Number(found[2]) < least ? `is too old: ${said.split('\n')[0]}` : undefined;
  } catch (error) {
    return `does not run: ${error.message.split('\n')[0]}`;
  }
}

function isProgram(path) {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

function fetched(kind) {
  const { program, variable } = KINDS[kind];
  const cache = process.env.CAUSEWAY_NODES || join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'causeway');
  const home = join(cache, kind);
  const path = join(home, program);
  if (existsSync(path) && !problemOf(kind, path)) return path;
  const help = `install ${program}, or name it in ${variable}`;
  const failure = join(cache, `${kind}.failed`);
  if (existsSync(failure) && Date.now() - statSync(failure).mtimeMs < RETRY_DELAY_MS)
    throw new Unavailable(`${readFileSync(failure, 'utf8')} (tried a moment ago); ${help}`);
  mkdirSync(cache, { recursive: true, mode: 0o700 });
  const work = mkdtempSync(join(cache, `${kind}-`));
  try {
    fetchInto(kind, work);
    const problem = problemOf(kind, join(work, program));
    if (problem) throw new Unavailable(`what was fetched ${problem}`);
    // First of concurrent downloads wins; the results are equal.
    if (existsSync(path) && !problemOf(kind, path)) return path;
    rmSync(home, { recursive: true, force: true });
    renameSync(work, home);
    rmSync(failure, { force: true });
    return path;
  } catch (error) {
    if (existsSync(path) && !problemOf(kind, path)) return path;
    const reason = error instanceof Unavailable ? error.message : String(error.message).split('\n')[0];
    writeFileSync(failure, reason);
    throw new Unavailable(`${reason}; ${help}`);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

function fetchInto(kind, work) {
  const { suites, package: name } = KINDS[kind];
  for (const tool of ['apt-get', 'apt-cache', 'dpkg'])
    if (!(process.env.PATH ?? '').split(delimiter).some((folder) => isProgram(join(folder, tool))))
      throw new Unavailable(`there is no ${tool} to fetch it with`);
  const mirror = mirrorOf();
  const reasons = [];
  for (const suite of suites) {
    try {
      process.stderr.write(`fetching ${name} from Debian ${suite}, once...\n`);
      fetchFrom(kind, join(work, suite), work, mirror, suite);
      return;
    } catch (error) {
      const said = `${error.stderr ?? ''}`.split('\n').find((line) => line.startsWith('E:')) ?? error.message;
      reasons.push(`${suite}: ${said.split('\n')[0].replaceAll(mirror, '')}`);
    }
  }
  throw new Unavailable(`Debian's ${name} cannot be fetched (${reasons.join('; ')})`);
}

function mirrorOf() {
  const format = '$(REPO_URI) $(RELEASE) $(COMPONENT)';
  const reported = run('apt-get', ['indextargets', '--format', format, 'Created-By: Packages']);
  const rows = reported.split('\n').map((line) => line.split(' '));
  const row = rows.find(
    ([uri, release, component]) => /\/debian\/?$/.test(uri) && component === 'main' && !/-/.test(release),
  );
  if (!row) throw new Unavailable("this machine's apt has no Debian mirror");
  return row[0];
}

function fetchFrom(kind, apt, work, mirror, suite) {
  const { package: name } = KINDS[kind];
  for (const folder of ['state/lists/partial', 'cache/archives/partial', 'debs'])
    mkdirSync(join(apt, folder), { recursive: true });
  const signed = existsSync(KEYRING) ? ` [signed-by=${KEYRING}]` : '';
  writeFileSync(join(apt, 'sources.list'), `deb${signed} ${mirror} ${suite} main\n`);
  writeFileSync(join(apt, 'status'), '');
  const options = Object.entries({
    'Dir::Etc::SourceList': join(apt, 'sources.list'),
    'Dir::Etc::SourceParts': '/dev/null',
    'Dir::Etc::PreferencesParts': '/dev/null',
    'Dir::State': join(apt, 'state'),
    'Dir::State::status': join(apt, 'status'),
    'Dir::Cache': join(apt, 'cache'),
    'Acquire::Languages': 'none',
    'Acquire::Retries': '2',
    'Acquire::http::Timeout': '20',
    'APT::Sandbox::User': userInfo().username,
  }).flatMap(([key, value]) => ['-o', `${key}=${value}`]);
  run('apt-get', [...options, 'update']);
  run('apt-get', [...options, 'download', ...closure(options, name)], join(apt, 'debs'));
  const root = join(work, 'root');
  rmSync(root, { recursive: true, force: true });
  for (const deb of readdirSync(join(apt, 'debs'))) run('dpkg', ['-x', join(apt, 'debs', deb), root]);
  writeStart(kind, work, root);
  rmSync(apt, { recursive: true, force: true });
}

/** All dependencies down to the loader: the machine's may be too old. */
function closure(options, name) {
  const flags = ['recommends', 'suggests', 'conflicts', 'breaks', 'replaces', 'enhances'].map((kind) => `--no-${kind}`);
  const known = new Set([name]);
  for (let open = [name]; open.length > 0; ) {
    const reported = run('apt-cache', [...options, 'depends', ...flags, ...open]);
    const named = reported
      .split('\n')
      .flatMap((line) => /^ +\|?(?:Pre)?Depends: ([a-z0-9][a-z0-9+.-]*)/.exec(line)?.[1] ?? []);
    open = [...new Set(named)].filter((each) => /^(lib|zlib|openssl)/.test(each) && !known.has(each));
    for (const each of open) known.add(each);
  }
  return [...known];
}

/** Same process, so that signals reach it. */
function writeStart(kind, work, root) {
  const { program, binary } = KINDS[kind];
  const files = readdirSync(root, { recursive: true, withFileTypes: true }).filter((one) => !one.isDirectory());
  const loader = files.find(
    ({ name, parentPath }) => /^ld-linux[^/]*\.so\.\d$/.test(name) && !/lib64$/.test(parentPath),
  );
  if (!loader) throw new Unavailable('the packages have no loader');
  const folders = [...new Set(files.filter(({ name }) => /\.so(\.|$)/.test(name)).map(({ parentPath }) => parentPath))];
  const within = (path) => `"$here/${relative(work, path)}"`;
  const libraries = folders.map((folder) => `$here/${relative(work, folder)}`).join(':');
  const start = [
    '#!/bin/sh',
    'here=$(dirname "$(readlink -f "$0")")',
    `exec ${within(join(loader.parentPath, loader.name))} --library-path "${libraries}" ${within(join(root, binary))} "$@"`,
  ];
  const path = join(work, program);
  writeFileSync(path, `${start.join('\n')}\n`);
  chmodSync(path, 0o755);
}

function run(command, args, cwd) {
  const options = { encoding: 'utf8', cwd, stdio: ['ignore', 'pipe', 'pipe'], maxBuffer: 64 * 1024 * 1024 };
  return execFileSync(command, args, { ...options, env: { ...process.env, LC_ALL: 'C' } });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  try {
    process.stdout.write(`${obtain(process.argv[2] ?? 'bitcoin')}\n`);
  } catch (error) {
    if (!(error instanceof Unavailable)) throw error;
    // A separate channel distinguishes the reason from progress output.
    writeSync(Number(process.env.CAUSEWAY_REASON_FD ?? 2), `${error.message}\n`);
    process.exit(1);
  }
}
