import type { ChainAdapter } from '../../contract/chain-adapter.js';
import type { Store } from '../../contract/store.js';
import type { IntegratorRow } from '../../contract/store-rows.js';
import { linkMessage } from '../../domain/link-message.js';

/** Validity of a link text, and how far a client's clock may be ahead; milliseconds. */
export const LINK_LIFE_MS = 600_000;
const CLOCK_SKEW_MS = 60_000;

interface Deps {
  readonly store: Pick<Store, 'apply'>;
  readonly chains: Iterable<ChainAdapter>;
  readonly service: string;
}

export type LinkRefusal = {
  readonly ok: false;
  /** `overtaken`: another link came first. */
  readonly code: 'invalid' | 'notSigned' | 'overtaken';
  readonly field: 'fundingAddress' | 'time' | 'signature';
  readonly message: string;
};

/** Who can sign for an address, and its canonical form. */
export function signerOf(chains: Iterable<ChainAdapter>, asked: string) {
  for (const chain of chains) {
    const parsed = chain.parseAddress(asked);
    const verify = chain.capabilities.verifyMessage;
    if (parsed.ok && verify)
      return { address: parsed.value, isSigned: (text: string, by: string) => verify(parsed.value, text, by) };
  }
  return undefined;
}

/**
 * Links the address that signed. One address has one integrator at most.
 *
 * Invariant: a link requires the address's signature over the service, the integrator and the version of its row. Linking
 * raises the version, so a signature works once, for one integrator.
 *
 * @param time of the signed text, ISO 8601.
 */
export async function linkSigned(
  { store, chains, service }: Deps,
  row: IntegratorRow,
  asked: { readonly fundingAddress: string; readonly time: string; readonly signature: string },
  now: number,
): Promise<{ readonly ok: true; readonly row: IntegratorRow } | LinkRefusal> {
  const { time, signature } = asked;
  const refuse = (code: LinkRefusal['code'], field: LinkRefusal['field'], message: string): LinkRefusal => ({
    ...{ ok: false, code, field, message },
  });
  const signer = signerOf(chains, asked.fundingAddress);
  if (!signer) return refuse('invalid', 'fundingAddress', 'is no address of a chain whose signatures can be read');
  const at = Date.parse(time);
  const age = now - at;
  if (Number.isNaN(at) || new Date(at).toISOString() !== time)
    return refuse('invalid', 'time', 'is not the time of the text to sign');
  // guard: links-expire
  if (age > LINK_LIFE_MS || age < -CLOCK_SKEW_MS)
    return refuse('notSigned', 'time', 'is too long ago, or ahead: ask for the text again');
  const { id, version } = row;
  const text = linkMessage({ service, integratorId: id, version, address: signer.address, time });
  // guard: links-are-signed
  if (!signer.isSigned(text, signature))
    return refuse('notSigned', 'signature', `is not what ${signer.address} signs for this link`);
  const set = { fundingAddress: signer.address };
  const outcome = await store.apply({
    name: 'api.linkSigned',
    changes: [{ op: 'update', table: 'integrators', key: { id }, version, set }],
  });
  if (outcome.ok) return { ok: true, row: { ...row, ...set, version: version + 1 } };
  return outcome.conflict.kind === 'duplicate'
    ? refuse('invalid', 'fundingAddress', 'is linked to another integrator')
    : refuse('overtaken', 'signature', 'another link came first: ask for the text again');
}
