import type { Clock, Random } from '../contract/clock.js';
import type { Change, Store } from '../contract/store.js';
import type { ApiKeyRow, IntegratorRow } from '../contract/store-rows.js';
import { ApiError, invalidRequest } from '../errors/api-error.js';
import { makeKey } from './key-format.js';
import { grantedChains, keyState } from './keys.js';

export interface DirectoryDeps {
  readonly store: Pick<Store, 'apply' | 'apiKey' | 'integrator'>;
  readonly clock: Pick<Clock, 'now'>;
  readonly random: Pick<Random, 'bytes' | 'hex'>;
  /** `mainnet`, `testnet` or `local`. */
  readonly network: string;
}

/** What a key may do. */
export interface Rights {
  readonly scopes: readonly string[];
  readonly tier: ApiKeyRow['tier'];
  readonly privateChains: readonly string[];
}

/** A key with its secret: the only moment at which anybody can see it. */
export interface NewKey {
  readonly row: ApiKeyRow;
  readonly secret: string;
}

/** What to write, and what to answer once it is written. */
interface Decision<T> {
  readonly changes: readonly Change[];
  readonly result: T;
}

type Result<T> = Promise<T | ApiError>;

/**
 * Integrators and their keys. Each command is one change set; two that meet at one row are decided one after the other.
 * When a commit's outcome is not known the command throws: a key whose secret nobody saw may then exist, is listed, and
 * is to be revoked.
 */
export interface KeyDirectory {
  addIntegrator(name: string, fundingAddress: string | null): Result<IntegratorRow>;
  /** @param fundingAddress canonical; null takes the link back. */
  link(integratorId: string, fundingAddress: string | null): Result<IntegratorRow>;
  create(ask: {
    readonly integratorId: string;
    readonly name: string | null;
    readonly rights: Rights;
    readonly lifeMs: number | null;
  }): Result<NewKey>;
  /** A new key with the same rights and as long a life; the old one is accepted for `overlapMs` more, and never longer than before. */
  rotate(keyId: string, overlapMs: number): Result<NewKey & { readonly old: ApiKeyRow }>;
  /** For good. Other processes know within 10 s. */
  revoke(keyId: string): Result<{ readonly row: ApiKeyRow; readonly before: boolean }>;
  grant(keyId: string, change: (rights: Rights) => Rights): Result<ApiKeyRow>;
}

/** Two processes at one row are rare; more rounds than this mean that something else is wrong. */
const ROUNDS = 5;

export function createKeyDirectory({ store, clock, random, network }: DirectoryDeps): KeyDirectory {
  let before: Promise<unknown> = Promise.resolve();
  /** One after the other, so that commands of this process never run into each other however many come at once. */
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    const turn = before.then(work, work);
    before = turn;
    return turn;
  };
  /** Reads, decides, writes; again when another process was faster. */
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
    for (let round = 0; round < ROUNDS; round += 1) {
      const row = await read();
      if (row instanceof ApiError) return row;
      const decision = decide(row);
      if (decision instanceof ApiError) return decision;
      if (decision.changes.length === 0) return decision.result;
      const outcome = await store.apply({ name, changes: decision.changes });
      if (outcome.ok) return decision.result;
      if (outcome.conflict.kind === 'duplicate' && outcome.conflict.table === 'integrators') return taken();
    }
    throw new Error(`${name}: the row changed ${ROUNDS} times meanwhile`);
  };
  const keyOf = async (id: string) => (await store.apiKey(id)) ?? absent('keyId', 'no key has this id');
  const integratorOf = async (id: string) =>
    (await store.integrator(id)) ?? absent('integratorId', 'no integrator has this id');

  /** @param now when it is born: its life is counted from that very moment. */
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

    rotate: (keyId, overlapMs) =>
      decided(
        () => keyOf(keyId),
        (row) => {
          const now = clock.now();
          const state = keyState(row, now);
          if (state !== 'active') return notNow(`the key is ${state}`);
          if (row.replacedBy !== null) return notNow(`the key was rotated to ${row.replacedBy}`);
          const life = row.expiresAt === null ? null : row.expiresAt - row.createdAt;
          const made = newKey(row, rightsOf(row), now, life);
          const ends = { expiresAt: Math.min(row.expiresAt ?? Infinity, now + overlapMs), replacedBy: made.row.id };
          return {
            changes: [{ op: 'insert', table: 'apiKeys', row: made.row }, update('apiKeys', row, ends)],
            result: { ...made, old: { ...row, ...ends } },
          };
        },
        'api.rotateKey',
      ),

    revoke: (keyId) =>
      decided(
        () => keyOf(keyId),
        (row): Decision<{ readonly row: ApiKeyRow; readonly before: boolean }> => {
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

function absent(field: string, reason: string): ApiError {
  return new ApiError('INVALID_REQUEST', `${field}: ${reason}`, { field, reason }, 404);
}

function notNow(reason: string): ApiError {
  return new ApiError('INVALID_REQUEST', `keyId: ${reason}`, { field: 'keyId', reason }, 409);
}

function taken(): ApiError {
  return invalidRequest('fundingAddress', 'is linked to another integrator');
}
