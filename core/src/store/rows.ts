import type { TableName, Tables } from '../contract/store-rows.js';
import { type Column, schemaOf, type TableSchema } from './schema.js';

export type Cell = string | number | null;

/** Throws on a value that cannot be stored exactly, a caller's bug. */
export function encodeCell(schema: TableSchema, column: Column, value: unknown): Cell {
  if (value === null && column.nullable) return null;
  switch (column.type) {
    case 'text':
    case 'json':
      if (typeof value === 'string') return value;
      break;
    case 'int':
      if (Number.isSafeInteger(value)) return value as number;
      break;
    case 'big':
      if (typeof value === 'bigint') return value.toString();
      break;
    case 'bool':
      if (typeof value === 'boolean') return value ? 1 : 0;
      break;
  }
  throw new TypeError(`${schema.table}.${column.field} cannot hold ${describe(value)}`);
}

function describe(value: unknown): string {
  return typeof value === 'string'
    ? 'a text'
    : typeof value === 'object'
      ? 'an object'
      : `${typeof value} ${String(value)}`;
}

/** One cell per schema column. A missing field is a caller's bug. */
export function encodeRow(schema: TableSchema, row: object): Cell[] {
  const fields = row as Readonly<Record<string, unknown>>;
  return schema.columns.map((column) => encodeCell(schema, column, fields[column.field]));
}

export type RawRow = Readonly<Record<string, unknown>>;

export function decodeRow<T extends TableName>(table: T, raw: RawRow): Tables[T] {
  const row: Record<string, unknown> = {};
  for (const column of schemaOf(table).columns) row[column.field] = decodeCell(column, raw[column.name]);
  return row as unknown as Tables[T];
}

export function decodeRows<T extends TableName>(table: T, raws: readonly RawRow[]): Tables[T][] {
  return raws.map((raw) => decodeRow(table, raw));
}

export function decodeCell(column: Column, value: unknown): unknown {
  if (value === null || value === undefined) return null;
  if (column.type === 'big') return BigInt(value as string);
  // Some drivers return 64-bit integers as text.
  if (column.type === 'int') return typeof value === 'number' ? value : Number(value);
  if (column.type === 'bool') return value === 1 || value === true;
  return value;
}
