const RESERVED =
  /^(host|content-(type|length|encoding)|transfer-encoding|connection|keep-alive|upgrade|expect|accept-encoding|webhook-.*|x-signature-.*)$/i;

/** Whether a header is one of the protocol or of the signature, which nobody else sets. */
export function isReserved(header: string): boolean {
  return RESERVED.test(header);
}
