export function withHighLimits(document: Record<string, unknown>): Record<string, unknown> {
  const service = document.service as Record<string, unknown>;
  const quotes = { ...(service.quotes as object | undefined), unpaidPerPayer: 1_000_000, addressesPerDay: 0 };
  const rateLimits = {
    quotesPerSecond: 1_000_000,
    statusPerSecond: 1_000_000,
    requestsPerSecond: 1_000_000,
    otherPerSecond: 1_000_000,
  };
  return { ...document, service: { ...service, rateLimits, quotes } };
}
