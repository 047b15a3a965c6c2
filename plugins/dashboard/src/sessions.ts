import type { Clock, Identity, Principal, Random, SharedRecords } from '@causeway/core';
import { hashOf, isToken, newToken } from './secrets.js';

export interface Session {
  readonly principal: Principal;
  /** Name of the key; null where it has none. */
  readonly name: string | null;
  /** What unsafe calls repeat in a header, which no other page can read. */
  readonly csrf: string;
  /** Unix milliseconds. */
  readonly expiresAt: number;
}

interface Kept extends Omit<Session, 'csrf'> {
  /** Of the token. */
  readonly hash: string;
}

type Records = Pick<SharedRecords, 'read' | 'change'>;

const MAX_PER_KEY = 20;
/** Whose it is, and its secret. */
const TOKEN = /^([\w-]{1,200})\.([\w-]{43})$/;

/**
 * One record per key, oldest session first, so that every process of the service knows them and a restart ends none.
 *
 * Invariant: neither tokens nor keys are kept, and what is kept opens no session.
 */
export class Sessions {
  readonly #lifeMs: number;
  readonly #clock: Pick<Clock, 'now'>;
  readonly #random: Pick<Random, 'bytes'>;

  constructor(lifeMs: number, clock: Pick<Clock, 'now'>, random: Pick<Random, 'bytes'>) {
    this.#lifeMs = lifeMs;
    this.#clock = clock;
    this.#random = random;
  }

  async begin(
    records: Records,
    { principal, name, expiresAt }: Identity,
  ): Promise<{ readonly token: string; readonly session: Session }> {
    const now = this.#clock.now();
    const token = `${ownerOf(principal)}.${newToken(this.#random)}`;
    const kept: Kept = {
      ...{ hash: hashOf(token), principal, name },
      expiresAt: Math.min(now + this.#lifeMs, expiresAt ?? Infinity),
    };
    await records.change(recordOf(ownerOf(principal)), (text) => {
      const open = keptIn(text).filter((one) => one.expiresAt > now);
      // guard: dashboard-session-count
      if (open.length >= MAX_PER_KEY) open.splice(0, open.length - MAX_PER_KEY + 1);
      return JSON.stringify([...open, kept]);
    });
    return { token, session: sessionOf(token, kept) };
  }

  async find(records: Records, token: string): Promise<Session | undefined> {
    const [, owner, secret] = TOKEN.exec(token) ?? [];
    if (owner === undefined || !isToken(secret)) return undefined;
    const hash = hashOf(token);
    const kept = keptIn(await records.read(recordOf(owner))).find((one) => one.hash === hash);
    return kept && this.#clock.now() < kept.expiresAt ? sessionOf(token, kept) : undefined;
  }

  /** @param token of a session that was found. */
  end(records: Records, token: string, { principal }: Session): Promise<void> {
    const hash = hashOf(token);
    return records.change(recordOf(ownerOf(principal)), (text) =>
      JSON.stringify(keptIn(text).filter((one) => one.hash !== hash)),
    );
  }

  /** Ends every session of the principal's key. */
  endAll(records: Records, principal: Principal): Promise<void> {
    return records.change(recordOf(ownerOf(principal)), () => '[]');
  }
}

function sessionOf(token: string, { principal, name, expiresAt }: Kept): Session {
  // Derived, so that what is kept forges no call.
  return { principal, name, expiresAt, csrf: hashOf(`csrf ${token}`) };
}

/** In letters that a cookie and a record's name may have. */
function ownerOf(principal: Principal): string {
  const text = principal.role === 'admin' ? 'admin' : `key ${principal.keyId}`;
  return Buffer.from(text).toString('base64url');
}

function recordOf(owner: string): string {
  return `sessions:${owner}`;
}

function keptIn(text: string | undefined): Kept[] {
  return text === undefined ? [] : (JSON.parse(text) as Kept[]);
}
