import { createCipheriv, createDecipheriv, randomBytes, scryptSync } from 'node:crypto';

/** 128 MiB and about half a second per salt. */
const COST = { N: 2 ** 17, r: 8, p: 1 } as const;
const MAX_MEMORY = 256 * 2 ** 20;
const CIPHER = 'aes-256-gcm';
const FORM = 1;
const HEX = { salt: 32, iv: 24, tag: 32 } as const;

/** Thrown for a file that no passphrase could open. */
export class KeystoreError extends Error {
  override readonly name = 'KeystoreError';
}

/** Derived keys by passphrase and salt: files that were written together share a salt. */
export class Keystore {
  readonly #passphrase: string;
  readonly #derived = new Map<string, Buffer>();
  readonly #salt = randomBytes(HEX.salt / 2).toString('hex');

  constructor(passphrase: string) {
    this.#passphrase = passphrase;
  }

  /** @param secret Text as a plain key file holds it. */
  seal(secret: string): string {
    const iv = randomBytes(HEX.iv / 2);
    const cipher = createCipheriv(CIPHER, this.#keyFor(this.#salt), iv);
    const sealed = Buffer.concat([cipher.update(secret, 'utf8'), cipher.final()]);
    return JSON.stringify({
      ...{ causewayKeystore: FORM, kdf: 'scrypt', ...COST, salt: this.#salt },
      ...{ cipher: CIPHER, iv: iv.toString('hex'), tag: cipher.getAuthTag().toString('hex') },
      sealed: sealed.toString('hex'),
    });
  }

  /** @throws KeystoreError if the passphrase is another, or the file is damaged or of another form. */
  open(file: string): string {
    const { salt, iv, tag, sealed } = parsed(file);
    const decipher = createDecipheriv(CIPHER, this.#keyFor(salt), Buffer.from(iv, 'hex'));
    decipher.setAuthTag(Buffer.from(tag, 'hex'));
    try {
      return Buffer.concat([decipher.update(Buffer.from(sealed, 'hex')), decipher.final()]).toString('utf8');
    } catch {
      throw new KeystoreError('does not open with this passphrase, or is damaged');
    }
  }

  #keyFor(salt: string): Buffer {
    const known = this.#derived.get(salt);
    if (known !== undefined) return known;
    const key = scryptSync(this.#passphrase, Buffer.from(salt, 'hex'), 32, { ...COST, maxmem: MAX_MEMORY });
    this.#derived.set(salt, key);
    return key;
  }
}

/** Plain keys are hex, base58 or arrays, never JSON objects. */
export function isSealed(file: string): boolean {
  return file.startsWith('{');
}

interface Sealed {
  readonly salt: string;
  readonly iv: string;
  readonly tag: string;
  readonly sealed: string;
}

/** The cost is fixed: what a file asks for would be paid before it is known to be genuine. */
function parsed(file: string): Sealed {
  let value: Readonly<Record<string, unknown>>;
  try {
    value = JSON.parse(file) as Readonly<Record<string, unknown>>;
  } catch {
    throw new KeystoreError('is cut off or damaged: restore it from your copy');
  }
  const isOfForm =
    value['causewayKeystore'] === FORM &&
    value['cipher'] === CIPHER &&
    Object.entries({ kdf: 'scrypt', ...COST }).every(([name, wanted]) => value[name] === wanted);
  if (!isOfForm) throw new KeystoreError('is no keystore of this version; causeway keys new --encrypt makes one');
  const isHex = (name: string, length?: number) => {
    const text = value[name];
    return typeof text === 'string' && /^([0-9a-f]{2})+$/.test(text) && (length ?? text.length) === text.length;
  };
  const isWhole = Object.entries(HEX).every(([name, length]) => isHex(name, length)) && isHex('sealed');
  if (!isWhole) throw new KeystoreError('is damaged: restore it from your copy');
  return value as unknown as Sealed;
}
