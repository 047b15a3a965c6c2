/** Limits stay on, high enough for one address to send everything. */
export function withHighLimits(document: Record<string, unknown>): Record<string, unknown> {
  const service = document.service as Record<string, unknown>;
  const rateLimits = {
    quotesPerSecond: 1_000_000,
    statusPerSecond: 1_000_000,
    requestsPerSecond: 1_000_000,
    otherPerSecond: 1_000_000,
  };
  return { ...document, service: { ...service, rateLimits } };
}
