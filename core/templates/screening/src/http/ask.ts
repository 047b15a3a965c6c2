/**
 * Posts a query and returns the body of the response. Aborts with `signal`.
 *
 * @throws with a fixed message: an error message of `fetch` may contain the URL, and a URL may contain a key.
 */
export async function ask(url: string, token: string, body: string, signal: AbortSignal): Promise<string> {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const response = await fetch(url, { method: 'POST', headers, body, signal }).catch(() => undefined);
  if (response === undefined) throw new Error(signal.aborted ? 'aborted by the caller' : 'could not be reached');
  if (!response.ok) throw new Error(`answered ${response.status}`);
  return await response.text().catch(() => {
    throw new Error('the response was incomplete');
  });
}
