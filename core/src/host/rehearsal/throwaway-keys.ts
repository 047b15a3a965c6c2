import { createHash, randomBytes } from 'node:crypto';
import type { Secp256k1Signer } from '../../contract/signer.js';
import type { ConfiguredPlugin } from '../config/configured-plugins.js';
import { ReferencedKeys } from '../keys.js';
import { referencesIn } from '../new-keys/references.js';

/**
 * Keys of a rehearsal. Invariant: no key of a signer is read, neither from a file nor from the environment. What a family
 * reads as text is made at random for this process alone and never leaves it; secp256k1 signers have an address and no key.
 *
 * Secrets that sign nothing, such as those of RPC providers, are read as usual.
 */
export class ThrowawayKeys extends ReferencedKeys {
  readonly #made = new Map<string, string>();
  readonly #salt = randomBytes(32);

  /** The keys of signers are those that their plugin could make. */
  constructor(
    deps: ConstructorParameters<typeof ReferencedKeys>[0],
    plugins: readonly ConfiguredPlugin[],
    orderSigner: string | undefined,
  ) {
    super(deps);
    if (orderSigner !== undefined) this.#made.set(orderSigner, randomBytes(32).toString('hex'));
    for (const { plugin, options } of plugins)
      for (const [path, reference] of referencesIn(options)) {
        const text = plugin.newKey?.(path, randomBytes(32));
        if (text !== undefined && !this.#made.has(reference)) this.#made.set(reference, text);
      }
  }

  override secret(reference: string): string {
    return this.#made.get(reference) ?? super.secret(reference);
  }

  /** The same address for the same reference, for as long as the process runs. */
  override secp256k1(reference: string): Secp256k1Signer {
    const digest = createHash('sha256').update(this.#salt).update(reference).digest('hex');
    return Object.freeze({
      address: `0x${digest.slice(0, 40)}` as const,
      sign: () => {
        throw new Error('a rehearsal has no keys and signs nothing');
      },
    });
  }
}
