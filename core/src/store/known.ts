import type { Claim, PreparedSet } from './prepare.js';
import type { Cell } from './rows.js';
import type { TableSchema } from './schema.js';

export interface Questions {
  readonly rows: ReadonlyMap<TableSchema, readonly ReadonlyMap<string, readonly Cell[]>[]>;
  readonly groups: ReadonlySet<string>;
  readonly pots: ReadonlySet<string>;
}

export class Known {
  readonly #rows = new Map<TableSchema, Map<string, number>[]>();
  readonly groups = new Set<string>();
  readonly pots = new Map<string, bigint>();

  /** Identity -> version; 0 on tables without versions. The primary key's map (`at` 0) is authoritative. */
  rows(schema: TableSchema, at: number): Map<string, number> {
    let maps = this.#rows.get(schema);
    if (!maps) {
      maps = schema.uniques.map(() => new Map<string, number>());
      this.#rows.set(schema, maps);
    }
    return maps[at]!;
  }

  pot(account: string): bigint {
    return this.pots.get(account) ?? 0n;
  }
}

export function questionsOf(sets: readonly PreparedSet[]): Questions {
  const rows = new Map<TableSchema, Map<string, readonly Cell[]>[]>();
  const groups = new Set<string>();
  const pots = new Set<string>();
  const ask = (schema: TableSchema, at: number, claim: Claim): void => {
    let maps = rows.get(schema);
    if (!maps) {
      maps = schema.uniques.map(() => new Map<string, readonly Cell[]>());
      rows.set(schema, maps);
    }
    maps[at]!.set(claim.identity, claim.cells);
  };
  for (const set of sets) {
    for (const step of set.steps) {
      switch (step.op) {
        case 'insert':
          step.claims.forEach((claim, at) => {
            if (claim) ask(step.schema, at, claim);
          });
          break;
        case 'update':
        case 'require':
        case 'fence':
          ask(step.schema, 0, step.key);
          break;
        case 'post':
          for (const group of step.groups) groups.add(group);
          for (const line of step.lines) pots.add(line.account);
          break;
        case 'count':
          pots.add(step.account);
          if (step.atMostPot) pots.add(step.atMostPot.account);
          break;
      }
    }
  }
  return { rows, groups, pots };
}
