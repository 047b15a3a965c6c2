import type { RemoteSigner } from '../../contract/signer.js';
import { OwnedRegistry } from '../registries.js';

/** Remembers which of them plugins asked for, so that unused ones are reported. */
export class RemoteSigners extends OwnedRegistry<RemoteSigner> {
  readonly #asked = new Set<string>();

  constructor(admit: (signer: RemoteSigner) => RemoteSigner) {
    super('remote signer', ({ id }) => [id], admit);
  }

  named(id: string): RemoteSigner | undefined {
    this.#asked.add(id);
    return this.all().find((signer) => signer.id === id);
  }

  isAsked({ id }: RemoteSigner): boolean {
    return this.#asked.has(id);
  }
}
