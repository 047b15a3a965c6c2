import type { EndpointRow } from '../../contract/delivery-rows.js';
import type { UnixMs } from '../../contract/ids.js';
import type { RegisteredEndpoint } from '../../contract/notifier.js';
import type { Sealer } from './sealer.js';
import { type EndpointSecrets, settingsOf } from './settings.js';

/** @throws SealError. */
export function secretsOf(sealer: Sealer, { id, sealed }: EndpointRow): EndpointSecrets {
  if (sealed === null) throw new Error(`${id} has no secrets`);
  return JSON.parse(sealer.open(id, sealed)) as EndpointSecrets;
}

/**
 * Without expired secrets.
 *
 * @throws SealError.
 */
export function opened(sealer: Sealer, row: EndpointRow, now: UnixMs): RegisteredEndpoint {
  const { id, url, integratorId: owner } = row;
  if (url === null || owner === null) throw new Error(`${id} is a notifier of the config`);
  const { secrets, headers } = secretsOf(sealer, row);
  const [newest, ...rest] = secrets;
  const valid = rest.filter(({ until }) => until === null || now < until).map(({ text }) => text);
  return { id, owner, url, secrets: [newest.text, ...valid], signatures: settingsOf(row).signatures, headers };
}

interface Kept {
  readonly version: number;
  /** Next expiry of a secret; Infinity: never. */
  readonly until: UnixMs;
  readonly text: string;
  readonly opened: RegisteredEndpoint;
}

export class OpenedEndpoints {
  readonly #sealer: Sealer;
  readonly #kept = new Map<string, Kept>();

  constructor(sealer: Sealer) {
    this.#sealer = sealer;
  }

  /** @throws SealError. */
  of(row: EndpointRow, now: UnixMs): RegisteredEndpoint {
    const { id, version } = row;
    const kept = this.#kept.get(id);
    if (kept?.version === version && now < kept.until) return kept.opened;
    const made = opened(this.#sealer, row, now);
    const text = JSON.stringify(made);
    const ends = secretsOf(this.#sealer, row).secrets.map((secret) => secret.until ?? Number.POSITIVE_INFINITY);
    const until = Math.min(...ends.filter((end) => end > now), Number.POSITIVE_INFINITY);
    const same = kept?.text === text ? kept.opened : made;
    this.#kept.set(id, { version, until, text, opened: same });
    return same;
  }

  forget(id: string): void {
    this.#kept.delete(id);
  }
}
