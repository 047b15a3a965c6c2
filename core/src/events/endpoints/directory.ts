import type { Clock, Random } from '../../contract/clock.js';
import type { EndpointRow } from '../../contract/delivery-rows.js';
import type { EndpointChannel } from '../../contract/notifier.js';
import type { Change, Store } from '../../contract/store.js';
import { metaChange } from '../../domain/meta-rows.js';
import { shardMark, shardOf } from '../dispatch/shards.js';
import { afterMove } from './moved.js';
import { secretsOf } from './opened.js';
import { SealError, type Sealer } from './sealer.js';
import { type EndpointSecrets, type EndpointSettings, settingsOf } from './settings.js';

export const MAX_ENDPOINTS = 20;
const MAX_RETAINED_ENDPOINTS = 200;
const MAX_SECRETS = 5;
const MAX_COMMIT_TRIES = 10;

export interface DirectoryDeps {
  readonly store: Pick<Store, 'apply' | 'endpoint' | 'endpoints' | 'feedEnd' | 'meta' | 'apiKey'>;
  readonly channel: EndpointChannel | undefined;
  readonly sealer: Sealer;
  readonly clock: Clock;
  readonly random: Random;
}

export interface EndpointWishes extends EndpointSettings {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

export interface Refusal {
  readonly ok: false;
  readonly code: 'notFound' | 'invalid' | 'conflict' | 'unavailable';
  readonly field: string;
  readonly message: string;
}

type Result<T> = ({ readonly ok: true } & T) | Refusal;
type Made = Result<{ readonly endpoint: EndpointRow; readonly secret: string }>;
type Changed = Result<{ readonly endpoint: EndpointRow; readonly secret?: string }>;

interface EndpointChanges extends Partial<EndpointWishes> {
  readonly enabled?: boolean;
  /** A signing secret to keep at a new origin. */
  readonly secret?: string;
}

/**
 * Invariant: an endpoint receives every event written after its registration. Its row and a new version of its
 * shard's position are one change set, so a dispatcher turn decided without the endpoint is not written, but decided
 * again.
 */
export class EndpointDirectory {
  readonly #deps: DirectoryDeps;

  constructor(deps: DirectoryDeps) {
    this.#deps = deps;
  }

  /** Not removed, oldest first; of all integrators if none is named. */
  async list(integratorId?: string): Promise<readonly EndpointRow[]> {
    return (await this.#deps.store.endpoints()).filter(
      (row) =>
        row.integratorId !== null &&
        row.state !== 'removed' &&
        (integratorId === undefined || row.integratorId === integratorId),
    );
  }

  /** An integrator sees its own endpoints, an operator also those of configured notifiers. */
  async logged(integratorId?: string): Promise<readonly EndpointRow[]> {
    if (integratorId !== undefined) return this.list(integratorId);
    return (await this.#deps.store.endpoints()).filter(({ state }) => state !== 'removed');
  }

  async loggedOne(id: string, integratorId?: string): Promise<EndpointRow | undefined> {
    const row = await this.#deps.store.endpoint(id);
    const isTheirs = integratorId === undefined || row?.integratorId === integratorId;
    return isTheirs && row?.state !== 'removed' ? row : undefined;
  }

  async one(id: string, integratorId?: string): Promise<EndpointRow | undefined> {
    const row = await this.loggedOne(id, integratorId);
    return row?.integratorId === null ? undefined : row;
  }

  async register(integratorId: string, wishes: EndpointWishes): Promise<Made> {
    const { store, channel, sealer, clock, random } = this.#deps;
    if (channel === undefined) return NOT_SET_UP;
    // Checked before the DNS lookup, which may be slow.
    const refusal = (await this.#fullOf(integratorId)) ?? (await this.#refusalOf(integratorId, wishes));
    if (refusal) return refusal;
    const id = `we_${random.hex(12).slice(2)}`;
    const secret = channel.newSecret();
    for (let tries = 1; tries <= MAX_COMMIT_TRIES; tries += 1) {
      const full = await this.#fullOf(integratorId);
      if (full) return full;
      const now = clock.now();
      const fromPosition = await store.feedEnd();
      const row: EndpointRow = {
        ...{ id, version: 1, channel: channel.id, shard: shardOf(id), integratorId, url: wishes.url },
        ...{
          settings: textOf(wishes),
          sealed: seal(sealer, id, { secrets: [{ text: secret, until: null }], headers: wishes.headers }),
        },
        ...{ state: 'active', reason: null, fromPosition, failingSince: null, createdAt: now, updatedAt: now },
      };
      const changes = [{ op: 'insert', table: 'endpoints', row } as const, await this.#nextMark(row)];
      if ((await store.apply({ name: 'endpoints.register', changes })).ok) return { ok: true, endpoint: row, secret };
    }
    throw new Error(`${id} could not be registered: others changed the same rows, ${MAX_COMMIT_TRIES} times`);
  }

  /**
   * Omitted fields stay, except for a URL of another origin: headers and secrets of the old one are not sent there
   * unless given again, and the answer has a new secret. `enabled` true: events missed while disabled are sent now.
   */
  async change(id: string, integratorId: string | undefined, wishes: EndpointChanges): Promise<Changed> {
    const { sealer, channel, clock } = this.#deps;
    let fresh: string | undefined;
    const result = await this.#update(id, integratorId, async (row) => {
      const { enabled, headers, url, secret, ...settings } = wishes;
      if (channel === undefined) return NOT_SET_UP;
      const kept = secretsOf(sealer, row);
      const to = url ?? row.url ?? '';
      const next = afterMove(kept, { from: row.url ?? '', to, headers, secret, now: clock.now() }, () =>
        channel.newSecret(),
      );
      if (next === undefined) return refused('invalid', 'secret', 'is no secret of this endpoint');
      const all = { ...settingsOf(row), ...settings, url: to, headers: next.secrets.headers };
      // An unreachable endpoint may still be disabled or filtered.
      const leads = url !== undefined || headers !== undefined;
      const refusal = await this.#refusalOf(row.integratorId ?? '', all, leads);
      if (refusal) return refusal;
      fresh = next.fresh;
      const sealed = next.secrets === kept ? {} : { sealed: seal(sealer, id, next.secrets) };
      return { ok: true, url: to, settings: textOf(all), ...sealed, ...stateAfter(enabled) };
    });
    return result.ok && fresh !== undefined ? { ...result, secret: fresh } : result;
  }

  /** Earlier secrets continue to sign for the overlap. */
  async rotate(id: string, integratorId: string | undefined, overlapMs: number): Promise<Made> {
    const { sealer, channel, clock } = this.#deps;
    if (channel === undefined) return NOT_SET_UP;
    const secret = channel.newSecret();
    const result = await this.#update(id, integratorId, async (row) => {
      if (!sealer.canSeal) return NOT_SET_UP;
      const now = clock.now();
      const end = now + overlapMs;
      const kept = secretsOf(sealer, row);
      const before = kept.secrets
        .map(({ text, until }) => ({ text, until: until === null ? end : Math.min(until, end) }))
        .filter(({ until }) => until > now);
      const secrets: EndpointSecrets['secrets'] = [{ text: secret, until: null }, ...before.slice(0, MAX_SECRETS - 1)];
      return { ok: true, sealed: seal(sealer, id, { ...kept, secrets }) };
    });
    return result.ok ? { ...result, secret } : result;
  }

  /** Permanent: deletes its secrets and stops sending. */
  async remove(id: string, integratorId: string | undefined): Promise<Changed> {
    return this.#update(id, integratorId, async () => ({ ok: true, state: 'removed', sealed: null, reason: null }));
  }

  /** Re-encrypts with the newest key. @returns the number of endpoints. */
  async reseal(): Promise<number> {
    const { sealer } = this.#deps;
    const old = (await this.list()).filter(({ sealed }) => sealed !== null && sealer.isOld(sealed));
    let count = 0;
    for (const { id } of old) {
      const done = await this.#update(id, undefined, async (row) => ({
        ok: true,
        sealed: seal(sealer, id, secretsOf(sealer, row)),
      }));
      if (done.ok) count += 1;
    }
    return count;
  }

  async #fullOf(integratorId: string): Promise<Refusal | undefined> {
    const all = (await this.#deps.store.endpoints()).filter((row) => row.integratorId === integratorId);
    if (all.filter(({ state }) => state !== 'removed').length >= MAX_ENDPOINTS)
      return refused('conflict', 'url', `there are ${MAX_ENDPOINTS} endpoints already: remove one first`);
    // Removed endpoints are retained for a month and still read by the dispatcher, so their number is limited too.
    if (all.length >= MAX_RETAINED_ENDPOINTS)
      return refused(
        'conflict',
        'url',
        `${MAX_RETAINED_ENDPOINTS} endpoints were registered within a month: change one instead`,
      );
    return undefined;
  }

  async #refusalOf(owner: string, { url, headers, keys }: EndpointWishes, leads = true): Promise<Refusal | undefined> {
    const { store, channel, sealer } = this.#deps;
    if (channel === undefined || !sealer.canSeal) return NOT_SET_UP;
    for (const id of keys) {
      if ((await store.apiKey(id))?.integratorId !== owner)
        return refused('invalid', 'keys', `${id} is none of your keys`);
    }
    const wrong = leads ? await channel.refuse({ owner, url, headers }) : undefined;
    return wrong && refused('invalid', wrong.field, wrong.reason);
  }

  /** The position stays, also where none is written yet: other endpoints of the shard may await earlier events. */
  async #nextMark({ shard }: EndpointRow): Promise<Change> {
    const key = shardMark(shard);
    const before = await this.#deps.store.meta(key);
    return metaChange(before, key, before?.value ?? '0');
  }

  async #update(
    id: string,
    integratorId: string | undefined,
    decide: (
      row: EndpointRow,
    ) => Promise<Refusal | ({ readonly ok: true } & Partial<Omit<EndpointRow, 'id' | 'version'>>)>,
  ): Promise<Changed> {
    const { store, clock } = this.#deps;
    for (let tries = 1; tries <= MAX_COMMIT_TRIES; tries += 1) {
      const row = await this.one(id, integratorId);
      if (row === undefined) return refused('notFound', 'id', `there is no endpoint ${id}`);
      const decided = await readable(() => decide(row));
      if (!decided.ok) return decided;
      const { ok: _, ...changes } = decided;
      const set = { ...changes, updatedAt: clock.now() };
      const change: Change = { op: 'update', table: 'endpoints', key: { id }, version: row.version, set };
      if ((await store.apply({ name: 'endpoints.change', changes: [change] })).ok)
        return { ok: true, endpoint: { ...row, ...set, version: row.version + 1 } };
    }
    throw new Error(`${id} could not be changed: others changed it, ${MAX_COMMIT_TRIES} times`);
  }
}

const NOT_SET_UP: Refusal = {
  ok: false,
  code: 'unavailable',
  field: 'url',
  message: 'this service takes no endpoints: the operator has to configure a channel and service.endpointKeys',
};

async function readable<T>(decide: () => Promise<T | Refusal>): Promise<T | Refusal> {
  try {
    return await decide();
  } catch (error) {
    if (!(error instanceof SealError)) throw error;
    return refused('unavailable', 'id', `its secrets cannot be read: ${error.message}`);
  }
}

function refused(code: Refusal['code'], field: string, message: string): Refusal {
  return { ok: false, code, field, message };
}

function textOf({ description, statuses, chains, keys, signatures }: EndpointSettings): string {
  return JSON.stringify({ description, statuses, chains, keys, signatures } satisfies EndpointSettings);
}

function seal(sealer: Sealer, id: string, secrets: EndpointSecrets): string {
  return sealer.seal(id, JSON.stringify(secrets));
}

function stateAfter(enabled: boolean | undefined): Partial<Pick<EndpointRow, 'state' | 'reason' | 'failingSince'>> {
  if (enabled === undefined) return {};
  if (enabled) return { state: 'active', reason: null, failingSince: null };
  return { state: 'disabled', reason: 'its owner disabled it' };
}
