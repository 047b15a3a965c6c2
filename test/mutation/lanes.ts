import type { Lane } from './mutation.js';

/** Test files of a family's plugin, run against its real local node. */
export const chain = (family: string, ...names: string[]): Lane => ({
  project: 'chain',
  files: names.map((name) => `plugins/${family}/test/${name}.test.ts`),
});
