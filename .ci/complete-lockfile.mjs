// Adds to package-lock.json the optional platform packages that the registry in use does not carry, so that `npm ci`
// finds every name that package manifests mention. They are never fetched here: their `os` and `cpu` exclude them.
// Run after `npm install` when `npm ci` says `Missing: NAME from lock file`.
import { readFileSync, writeFileSync } from 'node:fs';

const path = new URL('../package-lock.json', import.meta.url);
const lock = JSON.parse(readFileSync(path, 'utf8'));

const SYSTEMS = ['android', 'darwin', 'freebsd', 'linux', 'openharmony', 'win32'];
const PROCESSORS = {
  'arm-eabi': 'arm',
  'arm-gnueabihf': 'arm',
  'arm-musleabihf': 'arm',
  amd64: 'x64',
  arm64: 'arm64',
  x64: 'x64',
  ia32: 'ia32',
  ppc64: 'ppc64',
  riscv64: 'riscv64',
  s390x: 's390x',
};

function platformOf(name) {
  const os = SYSTEMS.find((system) => name.includes(`-${system}`));
  const cpu = Object.keys(PROCESSORS).find((processor) => name.includes(`-${processor}`));
  if (!os || !cpu) return undefined;
  const libc = os === 'linux' ? (name.includes('musl') ? ['musl'] : ['glibc']) : undefined;
  return { os: [os], cpu: [PROCESSORS[cpu]], ...(libc && { libc }) };
}

const added = [];
for (const [owner, entry] of Object.entries(lock.packages)) {
  for (const [name, version] of Object.entries(entry.optionalDependencies ?? {})) {
    const place = `node_modules/${name}`;
    if (lock.packages[place] || lock.packages[`${owner}/${place}`]) continue;
    const platform = platformOf(name);
    if (!platform) continue;
    lock.packages[place] = { version, ...platform, optional: true, ...(entry.dev && { dev: true }) };
    added.push(name);
  }
}
const sorted = Object.entries(lock.packages).sort(([a], [b]) => (a < b ? -1 : 1));
lock.packages = Object.fromEntries(sorted);
writeFileSync(path, `${JSON.stringify(lock, null, 2)}\n`);
console.log(added.length === 0 ? 'nothing was missing' : `added ${added.length}: ${added.join(', ')}`);
