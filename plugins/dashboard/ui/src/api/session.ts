import { createStore } from '../state/store.js';
import { lost } from './connection.js';
import { Failure, failureOf } from './failure.js';

export interface Session {
  readonly role: 'admin' | 'integrator';
  readonly keyId: string | null;
  readonly name: string | null;
  readonly csrf: string;
  /** Unix milliseconds. */
  readonly expiresAt: number;
}

/** Undefined: not known yet; null: signed out. */
export const session = createStore<Session | null | undefined>(undefined);

/** Why the visitor is signed out. */
export const signedOut = createStore<string | null>(null);

const PATH = '/dashboard/session';

export async function readSession(): Promise<void> {
  const answer = await fetch(PATH, { cache: 'no-store' }).catch(() => undefined);
  if (answer === undefined || answer.status >= 500) {
    lost();
    return;
  }
  session.set(answer.ok ? ((await answer.json()) as Session) : null);
}

/** @throws Failure */
export async function signIn(body: { readonly key: string } | { readonly link: string }): Promise<void> {
  const answer = await fetch(PATH, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  }).catch(() => {
    throw new Failure(0, 'NO_ANSWER', 'The service does not answer', undefined);
  });
  if (!answer.ok) throw await failureOf(answer);
  signedOut.set(null);
  session.set((await answer.json()) as Session);
}

/** @param everywhere ends the sessions of the same key in other browsers, too. */
export async function signOut(everywhere: boolean): Promise<void> {
  const csrf = session.get()?.csrf ?? '';
  await fetch(`${PATH}${everywhere ? '?everywhere=1' : ''}`, {
    method: 'DELETE',
    headers: { 'x-causeway-csrf': csrf },
  }).catch(() => undefined);
  signedOut.set(everywhere ? 'You are signed out everywhere.' : 'You are signed out.');
  session.set(null);
}

/** After a 401, which the interface also answers where a key may do less: has the session ended, or was its key revoked? */
export async function checkSession(): Promise<void> {
  if (!session.get()) return;
  const answer = await fetch(PATH, { cache: 'no-store' }).catch(() => undefined);
  if (answer?.status !== 401 || !session.get()) return;
  // Clears the cookie, with which even open routes are refused.
  await fetch(PATH, { method: 'DELETE' }).catch(() => undefined);
  signedOut.set('Your session has ended. Sign in again to go on where you were.');
  session.set(null);
}
