const WITHIN_MS = 2_000;

/** Of the pages that a plugin serves under `/dashboard`; null: none does. */
export async function dashboardUrl(baseUrl: string): Promise<string | null> {
  const url = `${baseUrl}/dashboard/`;
  try {
    const { status, body } = await fetch(url, { signal: AbortSignal.timeout(WITHIN_MS) });
    await body?.cancel();
    return status === 404 ? null : url;
  } catch {
    return null;
  }
}
