/** Controls a local chain; see `devnet/README.md`. */
export async function dev<T = unknown>(origin: string, what: string, given: object = {}): Promise<T> {
  const response = await fetch(`${origin}/dev/${what}`, { method: 'POST', body: JSON.stringify(given) });
  const reported = (await response.json()) as T & { readonly error?: string };
  if (!response.ok) throw new Error(`${what}: ${reported.error ?? response.status}`);
  return reported;
}

export function endpointOf(origin: string): string {
  return `${origin}/api/v2/jsonRPC`;
}
