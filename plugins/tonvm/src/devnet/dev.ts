/** Tells a local chain to do what nobody can do to a real one; see `devnet/README.md`. */
export async function dev<T = unknown>(origin: string, what: string, given: object = {}): Promise<T> {
  const response = await fetch(`${origin}/dev/${what}`, { method: 'POST', body: JSON.stringify(given) });
  const told = (await response.json()) as T & { readonly error?: string };
  if (!response.ok) throw new Error(`${what}: ${told.error ?? response.status}`);
  return told;
}

/** The endpoint that clients take. */
export function endpointOf(origin: string): string {
  return `${origin}/api/v2/jsonRPC`;
}
