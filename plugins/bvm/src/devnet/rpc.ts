export class LocalNodeError extends Error {
  override readonly name = 'LocalNodeError';
  constructor(
    message: string,
    readonly code: number,
  ) {
    super(message);
  }
}

/**
 * The URL contains the credentials.
 *
 * @throws LocalNodeError
 */
export async function rpc<T>(url: string, method: string, params: readonly unknown[] = []): Promise<T> {
  const { username, password, origin } = new URL(url);
  const response = await fetch(origin, {
    method: 'POST',
    headers: { authorization: `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}` },
    body: JSON.stringify({ id: 1, method, params }),
  });
  const { result, error } = (await response.json()) as { result: T; error: { message: string; code: number } | null };
  if (error) throw new LocalNodeError(`${method}: ${error.message}`, error.code);
  return result;
}
