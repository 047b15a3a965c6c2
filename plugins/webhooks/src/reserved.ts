const RESERVED =
  /^(host|content-(type|length|encoding)|transfer-encoding|connection|keep-alive|upgrade|expect|accept-encoding|webhook-.*|x-signature-.*)$/i;

/** Headers of the protocol or the signature, which may not be configured. */
export function isReserved(header: string): boolean {
  return RESERVED.test(header);
}
