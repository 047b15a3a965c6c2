import { createCipheriv, createDecipheriv, createHash, hkdfSync } from 'node:crypto';
import type { Random } from '../../contract/clock.js';

const ALGORITHM = 'aes-256-gcm';
const [NONCE, TAG] = [12, 16];

export class SealError extends Error {
  override readonly name = 'SealError';
}

/**
 * Encrypts secrets under keys outside the database: AES-256-GCM, bound to the row id, so that write access to the
 * database cannot move a secret to another endpoint.
 */
export class Sealer {
  readonly #keys: readonly { readonly name: string; readonly bytes: Buffer }[];
  readonly #random: Pick<Random, 'bytes'>;

  /** @param secrets newest first: it seals, all of them open. */
  constructor(secrets: readonly string[], random: Pick<Random, 'bytes'>) {
    this.#keys = secrets.map((secret) => {
      const bytes = Buffer.from(hkdfSync('sha256', secret, '', 'causeway endpoint secrets', 32));
      return { name: createHash('sha256').update(bytes).digest('hex').slice(0, 8), bytes };
    });
    this.#random = random;
  }

  get canSeal(): boolean {
    return this.#keys.length > 0;
  }

  /** @throws without a key. */
  seal(id: string, text: string): string {
    const [key] = this.#keys;
    if (key === undefined) throw new Error('there is no key to encrypt secrets of endpoints with');
    const nonce = Buffer.from(this.#random.bytes(NONCE));
    const cipher = createCipheriv(ALGORITHM, key.bytes, nonce).setAAD(Buffer.from(id));
    const body = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
    return `${key.name}.${Buffer.concat([nonce, cipher.getAuthTag(), body]).toString('base64url')}`;
  }

  /** @throws SealError. */
  open(id: string, sealed: string): string {
    const [name, rest = ''] = sealed.split('.');
    const key = this.#keys.find((one) => one.name === name);
    if (key === undefined) throw new SealError(`it was encrypted under the key ${name}, which is not configured`);
    const bytes = Buffer.from(rest, 'base64url');
    try {
      const decipher = createDecipheriv(ALGORITHM, key.bytes, bytes.subarray(0, NONCE))
        .setAAD(Buffer.from(id))
        .setAuthTag(bytes.subarray(NONCE, NONCE + TAG));
      return Buffer.concat([decipher.update(bytes.subarray(NONCE + TAG)), decipher.final()]).toString('utf8');
    } catch {
      throw new SealError('it was changed after encryption');
    }
  }

  isOld(sealed: string): boolean {
    return this.#keys[0] !== undefined && !sealed.startsWith(`${this.#keys[0].name}.`);
  }
}
