// Builds the pages (`ui`) into `dist/ui`, unless neither they nor what they are made of have changed since.
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';

const HERE = dirname(fileURLToPath(import.meta.url));
const OUT = join(HERE, 'dist/ui');
const STAMP = join(HERE, 'dist/ui.stamp');

/** Bytes of JavaScript, gzip, of all pages together. */
const MAX_GZIP_BYTES = 120 * 1024;

function filesOf(folder) {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
}

function stampOf() {
  const hash = createHash('sha256');
  for (const file of [...filesOf(join(HERE, 'ui')), join(HERE, 'package.json'), fileURLToPath(import.meta.url)])
    hash.update(file.slice(HERE.length)).update('\0').update(readFileSync(file)).update('\0');
  return hash.digest('hex');
}

const stamp = stampOf();
if (!existsSync(STAMP) || readFileSync(STAMP, 'utf8') !== stamp || !existsSync(join(OUT, 'index.html'))) {
  const { build } = await import('vite');
  await build({ configFile: join(HERE, 'ui/vite.config.ts'), logLevel: 'warn' });
  const scripts = filesOf(OUT).filter((file) => file.endsWith('.js'));
  const bytes = scripts.reduce((sum, file) => sum + gzipSync(readFileSync(file), { level: 9 }).length, 0);
  if (bytes > MAX_GZIP_BYTES)
    throw new Error(`the dashboard has ${bytes} bytes of JavaScript (gzip), of ${MAX_GZIP_BYTES}`);
  process.stdout.write(`dashboard: ${bytes} bytes of JavaScript (gzip), of ${MAX_GZIP_BYTES}\n`);
  writeFileSync(STAMP, stamp);
}
