/** How statements name what is ours: always with the schema, so that no session setting decides what they touch. */
export interface Names {
  readonly schema: string;
  /** Quoted, with the schema. */
  table(name: string): string;
}

export function names(schema: string): Names {
  return { schema, table: (name) => `${quoted(schema)}.${quoted(name)}` };
}

export function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

export function literal(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}
