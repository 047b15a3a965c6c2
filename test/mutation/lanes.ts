import type { Lane } from './mutation.js';

/** Test files of a family's plugin, run against its real local node. */
export const chain = (family: string, ...names: string[]): Lane => ({
  project: 'chain',
  files: names.map((name) => `plugins/${family}/test/${name}.test.ts`),
});

/** Units of the engine. */
export const engine = (...names: string[]): Lane => ({
  project: 'unit',
  files: names.map((name) => `core/test/engine/${name}.test.ts`),
});

/** The same of files that only the night plays. */
export const nightly = (family: string, ...names: string[]): Lane => ({
  project: 'nightly',
  files: names.map((name) => `plugins/${family}/test/${name}.nightly.test.ts`),
});
