import type { TableName } from '../contract/store-rows.js';
import { type ColumnType, DEFINITIONS } from './definitions.js';
import { NULLABLE } from './nullable.js';

export interface Column {
  readonly field: string;
  readonly name: string;
  readonly type: ColumnType;
  readonly nullable: boolean;
  readonly at: number;
}

export interface UniqueKey {
  readonly columns: readonly Column[];
  readonly whenNull: Column | null;
}

export interface TableSchema {
  readonly table: TableName;
  readonly name: string;
  readonly columns: readonly Column[];
  readonly byField: ReadonlyMap<string, Column>;
  readonly uniques: readonly [UniqueKey, ...UniqueKey[]];
  readonly key: UniqueKey;
  readonly version: Column | null;
}

/** `originChainId` -> `origin_chain_id`. */
export function snakeCase(field: string): string {
  return field.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

interface PlainDefinition {
  readonly columns: Readonly<Record<string, ColumnType>>;
  readonly key: readonly string[];
  readonly unique?: readonly { readonly fields: readonly string[]; readonly whenNull?: string }[];
}

function compile(table: TableName, definition: PlainDefinition): TableSchema {
  const columns = Object.entries(definition.columns).map(
    ([field, type], at): Column =>
      Object.freeze({ field, name: snakeCase(field), type, nullable: field in NULLABLE[table], at }),
  );
  const byField = new Map(columns.map((column) => [column.field, column]));
  const find = (field: string): Column => {
    const column = byField.get(field);
    if (!column) throw new Error(`${table} has no field ${field}`);
    return column;
  };
  const key: UniqueKey = { columns: definition.key.map(find), whenNull: null };
  const others = (definition.unique ?? []).map((unique) => ({
    columns: unique.fields.map(find),
    whenNull: unique.whenNull === undefined ? null : find(unique.whenNull),
  }));
  const version = byField.get('version') ?? null;
  return Object.freeze({
    table,
    name: snakeCase(table),
    columns,
    byField,
    uniques: [key, ...others] as const,
    key,
    version,
  });
}

const SCHEMAS = new Map<TableName, TableSchema>(
  (Object.keys(DEFINITIONS) as TableName[]).map((table) => [
    table,
    compile(table, DEFINITIONS[table] as PlainDefinition),
  ]),
);

export const TABLES: readonly TableSchema[] = [...SCHEMAS.values()];

export function schemaOf(table: TableName): TableSchema {
  const schema = SCHEMAS.get(table);
  if (!schema) throw new Error(`no table ${table}`);
  return schema;
}
