import type { Cell } from '../rows.js';

export interface Term {
  readonly sql: string;
  readonly cells: readonly Cell[];
}

export const ALWAYS: Term = { sql: '1 = 1', cells: [] };
export const NEVER: Term = { sql: '1 = 0', cells: [] };

function joined(terms: readonly Term[], word: string, none: Term): Term {
  if (terms.length === 0) return none;
  return { sql: `(${terms.map((term) => term.sql).join(word)})`, cells: terms.flatMap((term) => term.cells) };
}

export const allOf = (terms: readonly Term[]): Term => joined(terms, ' and ', ALWAYS);
export const anyOf = (terms: readonly Term[]): Term => joined(terms, ' or ', NEVER);

/** Negation that is also true for null. */
export const not = ({ sql, cells }: Term): Term => ({ sql: `(${sql}) is not true`, cells });
