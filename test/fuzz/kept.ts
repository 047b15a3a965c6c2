import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import type { FuzzRequest } from './request.js';

const FOLDER = new URL('kept/', import.meta.url);

/** A minimised request that once broke a rule; sent before all others. */
export interface Kept {
  readonly why: string;
  readonly request: FuzzRequest;
}

export function keptRequests(): ReadonlyMap<string, Kept> {
  const names = readdirSync(FOLDER).filter((name) => name.endsWith('.json'));
  return new Map(
    names.map((name) => [
      name.slice(0, -'.json'.length),
      JSON.parse(readFileSync(new URL(name, FOLDER), 'utf8')) as Kept,
    ]),
  );
}

export function keep(name: string, kept: Kept): void {
  writeFileSync(new URL(`${name}.json`, FOLDER), `${JSON.stringify(kept, null, 2)}\n`);
}
