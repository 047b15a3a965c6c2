interface Hashes {
  readonly txHash?: string | undefined;
  /** Set when a wallet replaced the transaction; takes precedence. */
  readonly replacementTxHash?: string | undefined;
}

/**
 * `tx` is the step data as JSON, into which the public SDK writes the hash, or the hash itself. Fields next to `tx`
 * take precedence. Undefined if none is text; the caller checks its form.
 */
export function stepHash({ tx, ...extra }: Hashes & { readonly tx?: string | undefined }): string | undefined {
  const named = nameOf(extra);
  if (named !== undefined || tx === undefined) return named;
  const data = readObject(tx);
  return data === undefined ? tx : nameOf(data);
}

function nameOf({ replacementTxHash, txHash }: { readonly [K in keyof Hashes]: unknown }): string | undefined {
  return [replacementTxHash, txHash].find((one): one is string => typeof one === 'string');
}

/** Undefined for text that is not JSON. */
function readObject(text: string): { readonly [K in keyof Hashes]: unknown } | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}
