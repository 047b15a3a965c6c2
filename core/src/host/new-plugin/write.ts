import { existsSync, mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** Something is where the package would go. Nothing was written. */
export class FolderInUseError extends Error {
  override readonly name = 'FolderInUseError';
}

/**
 * Writes files into a folder that does not exist yet, or has nothing in it.
 *
 * @throws FolderInUseError where it has.
 */
export function writePackage(folder: string, files: ReadonlyMap<string, string>): void {
  if (existsSync(folder)) {
    if (!statSync(folder).isDirectory()) throw new FolderInUseError(`${folder} is a file: nothing was written`);
    if (readdirSync(folder).length > 0)
      throw new FolderInUseError(`${folder} is not empty: nothing was written; name another folder with --dir`);
  }
  for (const [path, text] of files) {
    const file = join(folder, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text, { flag: 'wx' });
  }
}
