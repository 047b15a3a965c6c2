import { createRequire } from 'node:module';

/** Start of the warning by `bigint-buffer` without its native part. */
const KNOWN = 'bigint: Failed to load bindings';

/** Suppresses that line only. `load` is synchronous, so no other warning can be lost. */
export function withoutKnownWarning(load: () => void): void {
  const { warn } = console;
  console.warn = (...said: unknown[]) => {
    if (!String(said[0]).startsWith(KNOWN)) warn.apply(console, said);
  };
  try {
    load();
  } finally {
    console.warn = warn;
  }
}

const WAY = ['@solana/spl-token', '@solana/buffer-layout-utils'];

// Imported before the token library. The native part is missing where install scripts are disabled; plain JavaScript
// suffices, and the operator need not act.
withoutKnownWarning(() => {
  try {
    const from = WAY.reduce((at, name) => createRequire(at).resolve(name), import.meta.url);
    createRequire(from)('bigint-buffer');
  } catch {
    // No longer a dependency; a package that needs it reports its absence.
  }
});
