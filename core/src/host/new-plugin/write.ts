import { existsSync, mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** The target is in use. Nothing was written. */
export class FolderInUseError extends Error {
  override readonly name = 'FolderInUseError';
}

/** @throws FolderInUseError unless the folder is new or empty. */
export function writePackage(folder: string, files: ReadonlyMap<string, string>): void {
  if (existsSync(folder)) {
    if (!statSync(folder).isDirectory()) throw new FolderInUseError(`${folder} is a file: nothing was written`);
    if (readdirSync(folder).length > 0)
      throw new FolderInUseError(`${folder} is not empty: nothing was written; use another folder with --dir`);
  }
  for (const [path, text] of files) {
    const file = join(folder, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text, { flag: 'wx' });
  }
}
