import { accessSync, constants, existsSync, mkdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** Nothing was written. */
export class InitError extends Error {
  override readonly name = 'InitError';
}

const SECRET = /^(\.env$|keys\/)/;

/**
 * All files or none; `keys` has mode 0700, `.env` mode 0600.
 *
 * @throws InitError if a file exists already or the folder cannot be written.
 */
export function writeFolder(folder: string, files: ReadonlyMap<string, string>): void {
  const present = [...files.keys()].filter((path) => existsSync(join(folder, path)));
  if (present.length > 0)
    throw new InitError(`${join(folder, present[0] ?? '')} exists already: nothing was written; use another folder`);
  const made: string[] = [];
  try {
    mkdirSync(folder, { recursive: true });
    if (!statSync(folder).isDirectory()) throw new InitError(`${folder} is a file: nothing was written`);
    accessSync(folder, constants.W_OK);
    for (const [path, text] of files) {
      const file = join(folder, path);
      mkdirSync(dirname(file), { recursive: true, mode: path.startsWith('keys/') ? 0o700 : 0o755 });
      writeFileSync(file, text, { flag: 'wx', mode: SECRET.test(path) ? 0o600 : 0o644 });
      made.push(file);
    }
  } catch (error) {
    for (const file of made) rmSync(file, { force: true });
    if (error instanceof InitError) throw error;
    const code = (error as NodeJS.ErrnoException).code ?? String(error);
    throw new InitError(`${folder} cannot be written (${code}): nothing was written; use another folder`);
  }
}
