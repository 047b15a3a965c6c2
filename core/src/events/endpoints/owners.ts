import type { RequestId } from '../../contract/ids.js';
import type { Store } from '../../contract/store.js';
import type { RequestOwner } from './settings.js';

const MAX_CACHED_OWNERS = 10_000;
const NO_OWNER: RequestOwner = { keyId: null, integratorId: null };

export class RequestOwners {
  readonly #store: Pick<Store, 'requests' | 'apiKey'>;
  readonly #integrators = new Map<string, string>();

  constructor(store: Pick<Store, 'requests' | 'apiKey'>) {
    this.#store = store;
  }

  async of(ids: readonly RequestId[]): Promise<(id: RequestId) => RequestOwner> {
    const requests = await this.#store.requests([...new Set(ids)]);
    const owners = new Map<RequestId, RequestOwner>();
    for (const { id, keyId } of requests)
      if (keyId !== null) owners.set(id, { keyId, integratorId: await this.#integratorOf(keyId) });
    return (id) => owners.get(id) ?? NO_OWNER;
  }

  async #integratorOf(keyId: string): Promise<string | null> {
    const known = this.#integrators.get(keyId);
    if (known !== undefined) return known;
    const key = await this.#store.apiKey(keyId);
    if (key === undefined) return null;
    if (this.#integrators.size >= MAX_CACHED_OWNERS) this.#integrators.clear();
    this.#integrators.set(keyId, key.integratorId);
    return key.integratorId;
  }
}
