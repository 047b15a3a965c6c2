import type { EqualityCondition, SearchCondition } from '../../contract/search.js';
import { featureBit } from '../../domain/features.js';
import { column, columnsOf, RANGE_COLUMNS } from './columns.js';
import { blockTerm, hashBranch, inTransactions, isHash, rangeTerm } from './conditions.js';
import { NEVER, not, type Term } from './term.js';

const BY_AMOUNT: ReadonlySet<EqualityCondition['field']> = new Set([
  'originChainId',
  'destinationChainId',
  'originSymbol',
  'destinationSymbol',
  'keyId',
]);

export interface Branch {
  readonly term: Term;
  /** Excludes rows of earlier branches, so that sums count no row twice. */
  readonly apart: readonly Term[];
}

export interface Driver {
  readonly condition: SearchCondition;
  readonly branches: readonly Branch[];
  /** Its indexes are ordered by creation: a walk by `createdAt` ends with its page. */
  readonly ordered: boolean;
  readonly byAmount: boolean;
  /** Few rows for any value, so they are not counted. */
  readonly few: boolean;
  readonly rank: number;
  readonly counts: readonly Term[];
}

const RANKS: readonly EqualityCondition['field'][] = [
  'id',
  'depositHash',
  'fillHash',
  'refundHash',
  'orderId',
  'depositAddress',
  'term',
  'user',
  'recipient',
  'refundFailReason',
  'failReason',
  'referrer',
  'keyId',
  'status',
  'originCurrency',
  'destinationCurrency',
  'feature',
  'originSymbol',
  'destinationSymbol',
  'destinationChainId',
  'originChainId',
  'chainId',
  'requestType',
];

const SELECTIVE_FIELDS: ReadonlySet<EqualityCondition['field']> = new Set([
  'id',
  'depositHash',
  'fillHash',
  'refundHash',
  'orderId',
]);

/**
 * Conditions that can drive, rarest first by rank.
 *
 * @param mostBranches limit, because a statement can join only some hundred selects; larger conditions only filter.
 */
export function driversOf(conditions: readonly SearchCondition[], mostBranches: number): Driver[] {
  const origin = originOf(conditions);
  return conditions
    .flatMap((condition) => driverOf(condition, origin) ?? [])
    .filter(({ branches }) => branches.length <= mostBranches)
    .sort((a, b) => a.rank - b.rank);
}

function originOf(conditions: readonly SearchCondition[]): number | undefined {
  for (const condition of conditions) {
    if (condition.kind !== 'is' || condition.field !== 'originChainId' || condition.not || condition.orMissing)
      continue;
    const [value, ...others] = condition.values;
    if (typeof value === 'number' && others.length === 0) return value;
  }
  return undefined;
}

function driverOf(condition: SearchCondition, originChainId: number | undefined): Driver | undefined {
  switch (condition.kind) {
    case 'is':
      return equalityDriver(condition);
    case 'range': {
      const term = rangeTerm(condition, column(RANGE_COLUMNS[condition.field]));
      return plain(condition, [term], { rank: RANKS.length + 1, counts: [listed(term)] });
    }
    case 'blocks': {
      if (condition.originOnly && originChainId === undefined) return undefined;
      const term = blockTerm(condition, String(originChainId));
      return plain(condition, [inTransactions(term)], { rank: RANKS.length, counts: [noted(term)] });
    }
    case 'family': {
      const terms = [oneOf('id', condition.ids), oneOf('parent_request_id', condition.parents)];
      return plain(condition, terms, { rank: -1, few: true });
    }
  }
}

function equalityDriver(condition: EqualityCondition): Driver | undefined {
  const { field, values, orMissing, not: negated } = condition;
  const rank = RANKS.indexOf(field);
  if (negated && orMissing && values.length === 0) return presenceDriver(condition);
  if (negated || orMissing || rank < 0) return undefined;
  if (values.length === 0) return plain(condition, [NEVER], { rank: -1, few: true });
  const few = SELECTIVE_FIELDS.has(field);
  if (isHash(field)) return plain(condition, [inTransactions(hashBranch(condition))], { rank, few });
  if (field === 'feature') {
    const bits = [...new Set(values.map((value) => featureBit(String(value))))].filter((bit) => bit > 0);
    const terms = bits.map((bit): Term => ({ sql: `(r.features & ${bit}) = ${bit}`, cells: [] }));
    return { ...plain(condition, terms, { rank }), ordered: true, counts: terms.map(listed) };
  }
  const unique = [...new Set(values)];
  if (field === 'id') return plain(condition, [oneOf('id', unique)], { rank, few });
  const groups = columnsOf(field).map((name) => unique.map((value) => equal(name, value)));
  if (field === 'term') groups.push([inTransactions(hashBranch(condition))]);
  const branches = groups.flatMap((terms, at) => {
    const apart = at === 0 ? [] : [not(earlier(condition, at))];
    return terms.map((term): Branch => ({ term, apart }));
  });
  const ordered = field !== 'term';
  const byAmount = BY_AMOUNT.has(field) && branches.length === 1;
  return { condition, branches, ordered, byAmount, few, rank, counts: branches.map(({ term }) => listed(term)) };
}

const SELDOM: ReadonlySet<EqualityCondition['field']> = new Set([
  'depositAddress',
  'failReason',
  'refundFailReason',
  'keyId',
  'referrer',
]);

function presenceDriver(condition: EqualityCondition): Driver | undefined {
  if (!SELDOM.has(condition.field)) return undefined;
  const terms = columnsOf(condition.field).map((name): Term => ({ sql: `${column(name)} is not null`, cells: [] }));
  return plain(condition, terms, { rank: RANKS.length + 2, counts: terms.map(listed) });
}

function earlier({ field, values }: EqualityCondition, columns: number): Term {
  const terms = columnsOf(field)
    .slice(0, columns)
    .map((name) => {
      const marks = values.map(() => '?').join(', ');
      return { sql: `${column(name)} in (${marks})`, cells: values };
    });
  return { sql: terms.map((term) => term.sql).join(' or '), cells: terms.flatMap((term) => term.cells) };
}

function plain(
  condition: SearchCondition,
  terms: readonly Term[],
  rest: { readonly rank: number; readonly few?: boolean; readonly counts?: readonly Term[] },
): Driver {
  const found = terms.length > 0 ? terms : [NEVER];
  const branches = found.map((term, at): Branch => ({ term, apart: found.slice(0, at).map(not) }));
  return { condition, branches, ordered: false, byAmount: false, few: false, counts: [], ...rest };
}

/** For what is sorted anyway: branches of one value each would have to exclude one another. */
const oneOf = (name: string, values: readonly (string | number)[]): Term => ({
  sql: `${column(name)} in (${values.map(() => '?').join(', ')})`,
  cells: values,
});
const equal = (name: string, value: string | number): Term => ({ sql: `${column(name)} = ?`, cells: [value] });

const listed = ({ sql, cells }: Term): Term => ({ sql: `select 1 from request_listing r where ${sql}`, cells });
const noted = ({ sql, cells }: Term): Term => ({ sql: `select 1 from transactions t where ${sql}`, cells });
