import { fileURLToPath } from 'node:url';
import { bundled } from '../plugins/bundle.js';

/** Path of another entry of this package: `.ts` when run from source, else `.js`. */
export function sibling(name: string, from: string): string {
  const extension = from.endsWith('.ts') ? 'ts' : 'js';
  return fileURLToPath(bundled(new URL(`${name}.${extension}`, from).href));
}
