import type { Lane } from './guard.js';

/** Test files of one project of `vitest.config.ts`. */
export function lane(...files: readonly [string, ...string[]]): Lane {
  return { project: projectOf(files[0]), files };
}

/** Those of their tests with this in their name. */
export function cases(test: string, ...files: readonly [string, ...string[]]): Lane {
  return { ...lane(...files), test };
}

function projectOf(file: string): string {
  if (file.endsWith('.nightly.test.ts')) return 'nightly';
  if (file.startsWith('core/test/host/')) return 'unit-alone';
  if (file.startsWith('core/')) return 'unit';
  if (file.startsWith('plugins/')) return 'chain';
  return file.split('/')[1] ?? file;
}
