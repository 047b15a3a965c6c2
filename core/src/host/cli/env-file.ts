import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseEnv } from 'node:util';

/** Adds what `.env` in a folder sets. The environment wins, and so does a file that was read before. */
export function readEnvFile(folder: string): void {
  let text: string;
  try {
    text = readFileSync(join(folder, '.env'), 'utf8');
  } catch {
    return;
  }
  for (const [name, value] of Object.entries(parseEnv(text))) process.env[name] ??= value;
}
