import { createRequire } from 'node:module';

/** How the one line begins that `bigint-buffer` writes when it is loaded without its native part. */
const KNOWN = 'bigint: Failed to load bindings';

/**
 * Runs `load` and leaves out that line; whatever else is warned of meanwhile is written as ever. `load` is synchronous, so
 * nobody else's warning can come between.
 */
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

/** Found by way of those who depend on it, since this package does not. */
const WAY = ['@solana/spl-token', '@solana/buffer-layout-utils'];

// Imported before whatever imports the token library. The native part is not built where install scripts are not run, and
// plain JavaScript serves as well: an operator can and need do nothing about that line.
withoutKnownWarning(() => {
  try {
    const from = WAY.reduce((at, name) => createRequire(at).resolve(name), import.meta.url);
    createRequire(from)('bigint-buffer');
  } catch {
    // The package is no dependency any more; a package that does need it reports its absence.
  }
});
