/** Where public clients put the hash of what they sent: beside the step's data, or among them. */
interface Hashes {
  readonly txHash?: string | undefined;
  /** Where a wallet replaced the transaction; wins. */
  readonly replacementTxHash?: string | undefined;
}

/**
 * The hash of a step's transaction. `tx` is the data of the step as JSON, into which the public SDK
 * writes the hash, or the hash itself. What stands beside `tx` is believed before what stands in it. Undefined where none
 * of them is text; whether the text is a hash is for the caller to judge.
 */
export function stepHash({ tx, ...beside }: Hashes & { readonly tx?: string | undefined }): string | undefined {
  const named = nameOf(beside);
  if (named !== undefined || tx === undefined) return named;
  const data = readObject(tx);
  return data === undefined ? tx : nameOf(data);
}

function nameOf({ replacementTxHash, txHash }: { readonly [K in keyof Hashes]: unknown }): string | undefined {
  return [replacementTxHash, txHash].find((one): one is string => typeof one === 'string');
}

/** Undefined for text that is no JSON, which a hash is not. */
function readObject(text: string): { readonly [K in keyof Hashes]: unknown } | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}
