import type { Clock } from '../../contract/clock.js';
import type { RequestId } from '../../contract/ids.js';
import type { Change, Store } from '../../contract/store.js';
import { ApiError, invalidRequest } from '../../errors/api-error.js';
import type { Keeping } from '../../quoting/keeping.js';
import type { Stage } from '../../quoting/stage.js';
import { createOwnersOf } from '../owners.js';
import type { Caller, DocumentedError } from '../route.js';
import { object, text } from '../schema.js';
import { partyOf } from '../server/gate.js';
import { digest, fingerprint } from './fingerprint.js';

const FIELD = 'Idempotency-Key';
const AGAIN_SECONDS = 1;

/** For `takesHeaders`. @param effect a sentence on what the route does under the key. */
export function idempotencyHeaders(effect: string) {
  const rules = { minLength: 1, maxLength: 255, pattern: '^[ -~]+$' };
  return object({}, { [FIELD]: text({ ...rules, description: `${effect} Printable ASCII, unique to one request.` }) });
}

export type IdempotencyHeaders = { readonly [FIELD]?: string };

export const IDEMPOTENCY_ERRORS: readonly DocumentedError[] = [['INVALID_REQUEST', 409]];

export interface Repeatable {
  /** Name of the operation: the same key may be used once for each. */
  readonly operation: string;
  readonly caller: Pick<Caller, 'key' | 'address'>;
  readonly key: string;
  readonly body: unknown;
}

/**
 * Requests under an `Idempotency-Key`.
 *
 * Invariants (G11): what a key did and its answer are in one change set, and the key is unique there; so the same
 * caller, key and body do it once, across crashes and processes, and get the same answer. An API key and the keys that it
 * was rotated to are the same caller. A refused request stores nothing.
 *
 * Not guaranteed: that a key is known after `IDEMPOTENCY_LIFE_MS`, or in a restored older database.
 */
export class Idempotency {
  readonly #deps: { readonly store: Store; readonly clock: Pick<Clock, 'now'> };
  /** Of this process. Bounded by the requests in progress. */
  readonly #running = new Set<string>();
  readonly #ownersOf: ReturnType<typeof createOwnersOf>;

  constructor(deps: { readonly store: Store; readonly clock: Pick<Clock, 'now'> }) {
    this.#deps = deps;
    this.#ownersOf = createOwnersOf(deps.store);
  }

  /** @param work must add what `Keeping` gives to its change set. */
  async once<T extends object>(
    { operation, caller, key, body }: Repeatable,
    work: (keeping: Keeping<T>) => Promise<Stage<T>>,
  ): Promise<Stage<T>> {
    const id = digest(operation, await this.#party(caller), key);
    const print = fingerprint(body);
    if (print === undefined) return invalidRequest('body', 'is nested too deeply');
    if (this.#running.has(id)) return IN_PROGRESS;
    this.#running.add(id);
    try {
      const before = await this.#answered<T>(id, print);
      if (before !== undefined) return before;
      const done = await work({ taken: IN_PROGRESS, changes: (answer, of) => this.#keep(id, print, answer, of) });
      // Another process was faster: nothing was stored here.
      return done === IN_PROGRESS ? ((await this.#answered<T>(id, print)) ?? IN_PROGRESS) : done;
    } finally {
      this.#running.delete(id);
    }
  }

  /** A client that repeats a request may have got a new API key meanwhile. */
  async #party({ key, address }: Repeatable['caller']): Promise<string> {
    const owners = await this.#ownersOf([key?.id ?? null]);
    const owner = key && owners.get(key.id);
    // guard: repeats-survive-rotation
    return owner ? `key:${owner.line}` : partyOf(key, address);
  }

  async #answered<T>(id: string, print: string): Promise<Stage<T> | undefined> {
    const row = await this.#deps.store.idempotencyKey(id);
    if (row === undefined) return undefined;
    // guard: idempotency-key-of-another-body
    return row.fingerprint === print ? (JSON.parse(row.answer) as T) : USED;
  }

  #keep(id: string, print: string, answer: object, requestId: RequestId): readonly Change[] {
    const createdAt = this.#deps.clock.now();
    const row = { id, fingerprint: print, requestId, answer: JSON.stringify(answer), createdAt };
    return [{ op: 'insert', table: 'idempotencyKeys', row }];
  }
}

const IN_PROGRESS = conflict('a request under this key is in progress: repeat this one to get its answer', true);
const USED = conflict('was used for another body: take a new key for another request', false);

/** 409: same code as other malformed input, distinguished by status (decision 22). */
function conflict(reason: string, isRetriable: boolean): ApiError {
  const about = { field: FIELD, reason };
  const again = isRetriable ? AGAIN_SECONDS : undefined;
  return new ApiError('INVALID_REQUEST', `${FIELD}: ${reason}`, about, 409, undefined, isRetriable, again);
}
