// Runs the one script of the bundle (`build-bundle.mjs`). Not published, as the bundle is not.
import { createHash } from 'node:crypto';
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { cachedDataVersionTag } from 'node:v8';
import { Script } from 'node:vm';

const DIGEST_BYTES = 20;

/**
 * Runs the script, from its compiled code where an earlier start kept it: compiling takes a quarter of a start's processor
 * time, and Node.js before 22.8 keeps nothing itself. The code is cached for one script and one V8 with its flags, since V8
 * compares no more of a script than its length; a digest proves that the file is whole.
 *
 * @param url of the folder of the bundle.
 * @param digest names the content of the script.
 * @param urls URLs of built files to those of their modules in the bundle.
 * @returns `load`, of a module by its name in the bundle, and `keepCode`, for later starts.
 */
export function openBundle(url, digest, urls) {
  const filename = fileURLToPath(new URL('modules.cjs', url));
  const codeFile = fileURLToPath(new URL(`modules-${digest}-${cachedDataVersionTag()}.code`, url));
  // ASCII, which the build makes sure of. Latin-1 is read ten times as fast as UTF-8, and kept in half of the memory of UTF-16.
  const source = readFileSync(filename, 'latin1');
  const cachedData = readCode(codeFile);
  const script = new Script(source, { filename, ...(cachedData === undefined ? {} : { cachedData }) });
  // A flag alone, or the six megabytes of code would stay in memory with `keepCode`.
  const isKept = cachedData !== undefined && !script.cachedDataRejected;
  const exports = {};
  script.runInThisContext()(exports, createRequire(filename), {
    url,
    resolve: (specifier) => import.meta.resolve(specifier),
    load: (specifier) => import(specifier),
  });
  const load = (name) => exports.modules[name]?.();
  const bundle = { urls, load, keepCode };
  globalThis[Symbol.for('causeway.bundle')] = bundle;
  return bundle;

  function keepCode() {
    if (isKept) return;
    const code = script.createCachedData();
    const written = `${codeFile}.${process.pid}`;
    writeFileSync(written, Buffer.concat([digestOf(code), code]));
    renameSync(written, codeFile);
  }
}

/** Undefined where there is none, or only a part of it. */
function readCode(file) {
  let kept;
  try {
    kept = readFileSync(file);
  } catch {
    return undefined;
  }
  const code = kept.subarray(DIGEST_BYTES);
  return digestOf(code).equals(kept.subarray(0, DIGEST_BYTES)) ? code : undefined;
}

function digestOf(bytes) {
  return createHash('sha1').update(bytes).digest();
}
