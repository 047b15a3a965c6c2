/** Always with the schema, so that no session setting redirects a statement. */
export interface Names {
  readonly schema: string;
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
