import { keptSponsorship } from '../capabilities/sponsorship/rotated-key.js';
import type { Clock, Random } from '../contract/clock.js';
import type { UnixMs } from '../contract/ids.js';
import type { Change, Store } from '../contract/store.js';
import type { ApiKeyRow, IntegratorRow } from '../contract/store-rows.js';
import { ApiError, invalidRequest } from '../errors/api-error.js';
import { makeKey } from './key-format.js';
import { grantedChains, keyState } from './keys.js';

export interface DirectoryDeps {
  readonly store: Pick<Store, 'apply' | 'apiKey' | 'apiKeysOf' | 'integrator' | 'pot' | 'sponsorPolicy'>;
  readonly clock: Pick<Clock, 'now'>;
  readonly random: Pick<Random, 'bytes' | 'hex'>;
  /** `mainnet`, `testnet` or `local`. */
  readonly network: string;
}

export interface Rights {
  readonly scopes: readonly string[];
  readonly tier: ApiKeyRow['tier'];
  readonly privateChains: readonly string[];
}

/** A key with its secret, which is readable only in this answer. */
export interface NewKey {
  readonly row: ApiKeyRow;
  readonly secret: string;
}

interface Decision<T> {
  readonly changes: readonly Change[];
  readonly result: T;
}

type Result<T> = Promise<T | ApiError>;

/** Of the row that the command decides by; undefined: allowed. */
type Refusal = (row: ApiKeyRow) => ApiError | undefined;

/** A rotation that an operator did not ask for. */
export interface OwnRotation {
  /** @param replaced the key that this one replaced; undefined: none. */
  readonly refuse: (row: ApiKeyRow, replaced: ApiKeyRow | undefined, now: UnixMs) => ApiError | undefined;
  /** Latest end of the new key; null: none. */
  readonly endsBy: UnixMs | null;
}

/**
 * Each command is one change set; concurrent commands on one row are decided one after the other. A command throws
 * when a commit's outcome is unknown: a key whose secret was never returned may then exist, is listed, and should be
 * revoked.
 */
export interface KeyDirectory {
  addIntegrator(name: string, fundingAddress: string | null): Result<IntegratorRow>;
  /** @param fundingAddress canonical; null removes the link. */
  link(integratorId: string, fundingAddress: string | null): Result<IntegratorRow>;
  create(ask: {
    readonly integratorId: string;
    readonly name: string | null;
    readonly rights: Rights;
    readonly lifeMs: number | null;
  }): Result<NewKey>;
  /**
   * A new key with the same rights, lifetime and sponsorship policy; the old one is accepted for `overlapMs` more, but
   * never longer than before.
   */
  rotate(keyId: string, overlapMs: number, own?: OwnRotation): Result<NewKey & { readonly old: ApiKeyRow }>;
  /** Permanent. Other processes notice within 10 s. */
  revoke(keyId: string, refuse?: Refusal): Result<{ readonly row: ApiKeyRow; readonly before: boolean }>;
  grant(keyId: string, change: (rights: Rights) => Rights): Result<ApiKeyRow>;
}

const MAX_COMMIT_TRIES = 5;

export function createKeyDirectory({ store, clock, random, network }: DirectoryDeps): KeyDirectory {
  let before: Promise<unknown> = Promise.resolve();
  /** Serialises the commands of this process, so that they never conflict with each other. */
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    const turn = before.then(work, work);
    before = turn;
    return turn;
  };
  const decided = <Row extends { readonly version: number }, T>(
    read: () => Promise<Row | ApiError>,
    decide: (row: Row) => Decision<T> | ApiError,
    name: string,
  ): Promise<T | ApiError> => inTurn(() => attempt(read, decide, name));
  const attempt = async <Row extends { readonly version: number }, T>(
    read: () => Promise<Row | ApiError>,
    decide: (row: Row) => Decision<T> | ApiError,
    name: string,
  ): Promise<T | ApiError> => {
    for (let round = 0; round < MAX_COMMIT_TRIES; round += 1) {
      const row = await read();
      if (row instanceof ApiError) return row;
      const decision = decide(row);
      if (decision instanceof ApiError) return decision;
      if (decision.changes.length === 0) return decision.result;
      const outcome = await store.apply({ name, changes: decision.changes });
      if (outcome.ok) return decision.result;
      if (outcome.conflict.kind === 'duplicate' && outcome.conflict.table === 'integrators') return taken();
    }
    throw new Error(`${name}: the row changed ${MAX_COMMIT_TRIES} times meanwhile`);
  };
  const keyOf = async (id: string) => (await store.apiKey(id)) ?? absentKey();
  const integratorOf = async (id: string) =>
    (await store.integrator(id)) ?? absent('integratorId', 'no integrator has this id');

  const newKey = (
    { integratorId, name }: Pick<ApiKeyRow, 'integratorId' | 'name'>,
    rights: Rights,
    now: number,
    lifeMs: number | null,
  ): NewKey => {
    const { secret, id, prefix, hash } = makeKey(random, network);
    const [scopes, privateChains] = [JSON.stringify(rights.scopes), JSON.stringify(rights.privateChains)];
    const expiresAt = lifeMs === null ? null : now + lifeMs;
    const born = { createdAt: now, expiresAt, replacedBy: null, revokedAt: null };
    return {
      secret,
      row: { id, version: 1, name, prefix, hash, integratorId, scopes, tier: rights.tier, privateChains, ...born },
    };
  };

  return {
    async addIntegrator(name, fundingAddress) {
      const id = `int_${random.hex(8).slice(2)}`;
      const row: IntegratorRow = { id, version: 1, name, fundingAddress, createdAt: clock.now() };
      const changes: Change[] = [{ op: 'insert', table: 'integrators', row }];
      return (await store.apply({ name: 'api.addIntegrator', changes })).ok ? row : taken();
    },

    link: (integratorId, fundingAddress) =>
      decided(
        () => integratorOf(integratorId),
        (row) => ({
          changes: [update('integrators', row, { fundingAddress })],
          result: { ...row, version: row.version + 1, fundingAddress },
        }),
        'api.linkIntegrator',
      ),

    create: ({ integratorId, name, rights, lifeMs }) =>
      decided(
        () => integratorOf(integratorId),
        ({ id, version }) => {
          const made = newKey({ integratorId: id, name }, rights, clock.now(), lifeMs);
          const known: Change = { op: 'require', table: 'integrators', key: { id }, version };
          return { changes: [known, { op: 'insert', table: 'apiKeys', row: made.row }], result: made };
        },
        'api.createKey',
      ),

    rotate: (keyId, overlapMs, own) =>
      decided(
        async () => {
          const row = await keyOf(keyId);
          if (row instanceof ApiError) return row;
          const others = own === undefined ? [] : await store.apiKeysOf(row.integratorId);
          const replaced = others.find(({ replacedBy }) => replacedBy === keyId);
          return { row, version: row.version, replaced, sponsors: await keptSponsorship(store, keyId, clock.now()) };
        },
        ({ row, replaced, sponsors }) => {
          const now = clock.now();
          const refused = own?.refuse(row, replaced, now);
          if (refused) return refused;
          const state = keyState(row, now);
          if (state !== 'active') return notNow(`the key is ${state}`);
          if (row.replacedBy !== null) return notNow(`the key was rotated to ${row.replacedBy}`);
          const life = Math.min(
            row.expiresAt === null ? Infinity : row.expiresAt - row.createdAt,
            /* guard: own-keys-end */ (own?.endsBy ?? Infinity) - now,
          );
          const made = newKey(row, rightsOf(row), now, life === Infinity ? null : life);
          const ends = { expiresAt: Math.min(row.expiresAt ?? Infinity, now + overlapMs), replacedBy: made.row.id };
          return {
            changes: [
              { op: 'insert', table: 'apiKeys', row: made.row },
              update('apiKeys', row, ends),
              /* guard: rotated-keys-keep-policy */ ...sponsors(made.row.id),
            ],
            result: { ...made, old: { ...row, ...ends } },
          };
        },
        'api.rotateKey',
      ),

    revoke: (keyId, refuse) =>
      decided(
        () => keyOf(keyId),
        (row): Decision<{ readonly row: ApiKeyRow; readonly before: boolean }> | ApiError => {
          const refused = refuse?.(row);
          if (refused) return refused;
          if (row.revokedAt !== null) return { changes: [], result: { row, before: true } };
          const set = { revokedAt: clock.now() };
          return { changes: [update('apiKeys', row, set)], result: { row: { ...row, ...set }, before: false } };
        },
        'api.revokeKey',
      ),

    grant: (keyId, change) =>
      decided(
        () => keyOf(keyId),
        (row) => {
          if (row.revokedAt !== null) return notNow('the key is revoked');
          const { scopes, tier, privateChains } = change(rightsOf(row));
          const set = { scopes: JSON.stringify(scopes), tier, privateChains: JSON.stringify(privateChains) };
          return { changes: [update('apiKeys', row, set)], result: { ...row, ...set } };
        },
        'api.grantKey',
      ),
  };
}

function rightsOf(row: ApiKeyRow): Rights {
  return { scopes: JSON.parse(row.scopes) as string[], tier: row.tier, privateChains: grantedChains(row) };
}

function update(table: 'apiKeys', row: ApiKeyRow, set: Partial<ApiKeyRow>): Change;
function update(table: 'integrators', row: IntegratorRow, set: Partial<IntegratorRow>): Change;
function update(table: 'apiKeys' | 'integrators', { id, version }: ApiKeyRow | IntegratorRow, set: object): Change {
  return { op: 'update', table, key: { id }, version, set };
}

export function absentKey(): ApiError {
  return absent('keyId', 'no key has this id');
}

function absent(field: string, reason: string): ApiError {
  return new ApiError('INVALID_REQUEST', `${field}: ${reason}`, { field, reason }, 404);
}

export function notNow(reason: string): ApiError {
  return new ApiError('INVALID_REQUEST', `keyId: ${reason}`, { field: 'keyId', reason }, 409);
}

function taken(): ApiError {
  return invalidRequest('fundingAddress', 'is linked to another integrator');
}
