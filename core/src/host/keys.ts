import { readFileSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Keys, Secp256k1Signer } from '../contract/signer.js';
import type { Redactor } from '../observability/redactor.js';
import { secp256k1Signer } from '../signing/secp256k1.js';
import { isSealed, Keystore, KeystoreError } from './keystore.js';

/** An unusable key reference. Names the reference and the remedy, never a value. */
export class KeyReferenceError extends Error {
  override readonly name = 'KeyReferenceError';
  readonly reference: string;
  readonly advice: string;

  constructor(reference: string, message: string, advice: string) {
    super(message);
    this.reference = reference;
    this.advice = advice;
  }
}

export const KEY_REFERENCE = /^(?:env:([A-Za-z_][A-Za-z0-9_]*)|file:(.+))$/;

const READABLE_BY_OTHERS = 0o077;

/** Shorter admin keys could be guessed. */
const MIN_ADMIN_KEY_LENGTH = 16;
const MIN_ENDPOINT_KEY_LENGTH = 32;

const MIN_PASSPHRASE_LENGTH = 12;
/** Of encrypted key files: the passphrase itself, or the path of a file that holds it. */
const PASSPHRASE = 'CAUSEWAY_KEY_PASSPHRASE';

/**
 * `env:NAME`, or `file:PATH` relative to the config, plain or encrypted (`Keystore`). Files readable by group or others
 * are refused. Every secret is registered with the redactor before it is returned.
 */
export class ReferencedKeys implements Keys {
  readonly #directory: string;
  readonly #environment: Readonly<Record<string, string | undefined>>;
  readonly #redactor: Redactor;
  readonly #signers = new Map<string, Secp256k1Signer>();
  #opened: Keystore | undefined;

  constructor(deps: {
    readonly directory: string;
    readonly environment: Readonly<Record<string, string | undefined>>;
    readonly redactor: Redactor;
  }) {
    this.#directory = deps.directory;
    this.#environment = deps.environment;
    this.#redactor = deps.redactor;
  }

  secret(reference: string): string {
    if (reference.startsWith('remote:'))
      throw new KeyReferenceError(
        reference,
        'names an account of a remote signer, which signs whole transactions and nothing else',
        'write env:NAME or file:PATH here: this key signs other data, or is a secret',
      );
    const match = KEY_REFERENCE.exec(reference);
    if (!match) {
      throw new KeyReferenceError(
        '(not a reference)',
        'is not a key reference',
        'write env:NAME or file:PATH; keys themselves do not belong into a config',
      );
    }
    const text =
      match[1] === undefined ? this.#fromFile(reference, match[2] ?? '') : this.#fromEnvironment(reference, match[1]);
    this.#redactor.add(text);
    return text;
  }

  /** @throws KeyReferenceError also if it is short enough to guess. */
  adminKey(reference: string): string {
    return this.#longEnough(reference, MIN_ADMIN_KEY_LENGTH, 'an admin key');
  }

  /** @throws KeyReferenceError also if it is short enough to guess with the database. */
  endpointKey(reference: string): string {
    return this.#longEnough(reference, MIN_ENDPOINT_KEY_LENGTH, 'a key');
  }

  #longEnough(reference: string, least: number, what: string): string {
    const text = this.secret(reference);
    if (text.length >= least) return text;
    throw new KeyReferenceError(
      reference,
      `holds fewer than ${least} characters, which can be guessed`,
      `make ${what} with: openssl rand -hex 32`,
    );
  }

  secp256k1(reference: string): Secp256k1Signer {
    const known = this.#signers.get(reference);
    if (known) return known;
    const hex = /^(?:0x)?([0-9a-fA-F]{64})$/.exec(this.secret(reference))?.[1];
    if (hex === undefined) {
      throw new KeyReferenceError(
        reference,
        'does not hold a key',
        'expected 64 hex digits, with or without 0x, and nothing else',
      );
    }
    const signer = secp256k1Signer(Uint8Array.from(Buffer.from(hex, 'hex')));
    this.#signers.set(reference, signer);
    return signer;
  }

  #fromEnvironment(reference: string, name: string): string {
    const value = this.#environment[name]?.trim();
    if (!value)
      throw new KeyReferenceError(
        reference,
        `environment variable ${name} is not set`,
        `export ${name} before starting`,
      );
    return value;
  }

  /**
   * Of the passphrase in the environment, or in the file that the environment names.
   *
   * @throws KeyReferenceError without one, or if it is short enough to guess.
   */
  keystore(reference: string): Keystore {
    if (this.#opened !== undefined) return this.#opened;
    const path = this.#environment[`${PASSPHRASE}_FILE`]?.trim();
    const text = path ? this.#read(reference, path, 'passphrase file') : this.#environment[PASSPHRASE]?.trim();
    const advice = `set ${PASSPHRASE}, or ${PASSPHRASE}_FILE to the path of a file that holds it`;
    if (!text) throw new KeyReferenceError(reference, 'takes a passphrase, and none is set', advice);
    this.#redactor.add(text);
    if (text.length < MIN_PASSPHRASE_LENGTH)
      throw new KeyReferenceError(
        reference,
        `the passphrase has fewer than ${MIN_PASSPHRASE_LENGTH} characters, which can be guessed`,
        'make one with: openssl rand -base64 24',
      );
    this.#opened = new Keystore(text);
    return this.#opened;
  }

  #fromFile(reference: string, path: string): string {
    const text = this.#read(reference, path, 'key file');
    if (!isSealed(text)) return text;
    try {
      return this.keystore(reference).open(text);
    } catch (error) {
      if (!(error instanceof KeystoreError)) throw error;
      throw new KeyReferenceError(reference, `key file ${path} ${error.message}`, `check ${PASSPHRASE} and the file`);
    }
  }

  /** Trimmed text of a file that its owner alone can read. */
  #read(reference: string, path: string, what: 'key file' | 'passphrase file'): string {
    const file = resolve(this.#directory, path);
    let mode: number;
    let text: string;
    try {
      mode = statSync(file).mode;
      text = readFileSync(file, 'utf8').trim();
    } catch (error) {
      const code = (error as NodeJS.ErrnoException).code ?? 'unreadable';
      throw new KeyReferenceError(
        reference,
        `${what} ${path} cannot be read (${code})`,
        what === 'key file' ? 'make it with: causeway keys new; or correct the path' : 'correct the path',
      );
    }
    if (process.platform !== 'win32' && (mode & READABLE_BY_OTHERS) !== 0) {
      const octal = (mode & 0o777).toString(8).padStart(4, '0');
      throw new KeyReferenceError(
        reference,
        `${what} ${path} may be read by others (mode ${octal})`,
        `run: chmod 600 ${file}`,
      );
    }
    if (text === '') throw new KeyReferenceError(reference, `${what} ${path} is empty`, 'write the secret into it');
    return text;
  }
}
