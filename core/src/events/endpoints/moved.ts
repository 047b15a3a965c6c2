import { createHash, timingSafeEqual } from 'node:crypto';
import type { UnixMs } from '../../contract/ids.js';
import type { EndpointSecrets } from './settings.js';

interface Move {
  readonly from: string;
  readonly to: string;
  readonly headers: Readonly<Record<string, string>> | undefined;
  readonly secret: string | undefined;
  readonly now: UnixMs;
}

/**
 * An endpoint's secrets and headers after a change of its URL.
 *
 * Invariant: another origin gets neither headers nor signatures of the previous origin's secrets, unless the caller
 * provides them: a stolen API key alone discloses neither.
 *
 * @returns `secrets` is `kept` itself if nothing changes, `fresh` is a new secret; undefined if `secret` is unknown.
 */
export function afterMove(
  kept: EndpointSecrets,
  { from, to, headers, secret, now }: Move,
  newSecret: () => string,
): { readonly secrets: EndpointSecrets; readonly fresh?: string } | undefined {
  const known = kept.secrets.find(({ text, until }) => (until === null || now < until) && isSame(text, secret));
  if (secret !== undefined && known === undefined) return undefined;
  // guard: moved-endpoint-secrets
  if (originOf(from) === originOf(to)) return { secrets: headers === undefined ? kept : { ...kept, headers } };
  if (known !== undefined) return { secrets: { secrets: [{ text: known.text, until: null }], headers: headers ?? {} } };
  const fresh = newSecret();
  return { secrets: { secrets: [{ text: fresh, until: null }], headers: headers ?? {} }, fresh };
}

function originOf(url: string): string {
  return URL.canParse(url) ? new URL(url).origin : url;
}

function isSame(kept: string, given: string | undefined): boolean {
  if (given === undefined) return false;
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(kept), digest(given));
}
