/**
 * What is answered to a body, as text. Ends when nobody waits any more.
 *
 * @throws with a message of our own: what `fetch` says may carry the address, and an address may carry a key.
 */
export async function ask(url: string, token: string, body: string, signal: AbortSignal): Promise<string> {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const response = await fetch(url, { method: 'POST', headers, body, signal }).catch(() => undefined);
  if (response === undefined) throw new Error(signal.aborted ? 'no caller waited any more' : 'could not be reached');
  if (!response.ok) throw new Error(`answered ${response.status}`);
  return await response.text().catch(() => {
    throw new Error('the answer broke off');
  });
}
