import type { Knex } from 'knex';
import sqlite3 from 'sqlite3';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Change, CommitUnknownError } from '../../src/contract/index.js';
import { type Connection, connectionOf } from '../../src/store/sqlite/connection.js';
import { closeDatabase, openDatabase } from '../../src/store/sqlite/open.js';
import { writerPool } from '../../src/store/sqlite/pools.js';
import { Writer } from '../../src/store/sqlite/writer.js';
import { addressRow, changeSet, insert, laneRow, legRow, quoteRow } from '../../src/testing/store-fixtures.js';
import { clock, log, metrics, type SqliteHarness, sqliteHarness } from './sqlite-harness.js';

let harness: SqliteHarness;
let pool: Knex;
let database: sqlite3.Database;

beforeEach(async () => {
  harness = await sqliteHarness();
  pool = writerPool(harness.file, log);
  database = await pool.client.acquireConnection();
});

afterEach(async () => {
  await pool.client.releaseConnection(database);
  await pool.destroy();
  await harness.dispose();
});

type Fault = (sql: string, real: () => Promise<number>) => Promise<number>;

/** A real database's writer through `fault`, with its statements. */
function writerWith(fault: Fault): { writer: Writer; statements: string[] } {
  const real = connectionOf(database);
  const statements: string[] = [];
  const connection: Connection = {
    all: (sql, cells) => {
      statements.push(sql);
      return real.all(sql, cells);
    },
    run: (sql, cells) => {
      statements.push(sql);
      return fault(sql, () => real.run(sql, cells));
    },
    script: async (some) => {
      const written = some.filter((sql) => !/temp\."(updated|overtaken)"/.test(sql));
      statements.push(...written);
      const all = async () => real.script(some).then(() => 0);
      await written.reduceRight((rest, sql) => () => fault(sql, rest), all)();
    },
  };
  return { writer: new Writer({ connection, clock, log, metrics }), statements };
}

const faultless: Fault = (_sql, real) => real();
const failing = (code: string) => Object.assign(new Error(`${code}: planned`), { code });
const lane = (n: number): Change => insert('lanes', laneRow(n));

/** Fails the first match, before or after its effect. */
function once(pattern: RegExp, code: string, after = false): Fault {
  let armed = true;
  return async (sql, real) => {
    if (!armed || !pattern.test(sql)) return real();
    armed = false;
    if (after) await real();
    throw failing(code);
  };
}

const lanes = async () => (await harness.store.lanes()).map((row) => row.id);

describe('group commit', () => {
  it('commits what arrives together in one transaction', async () => {
    const { writer, statements } = writerWith(faultless);
    await Promise.all([1, 2, 3, 4].map((n) => writer.apply(changeSet(lane(n)))));
    expect(statements.filter((sql) => sql === 'commit')).toHaveLength(1);
    expect(statements.filter((sql) => sql.startsWith('insert'))).toHaveLength(1);
  });

  it('writes quotes that arrive together in one statement', async () => {
    const { writer, statements } = writerWith(faultless);
    const quotes = [1, 2, 3, 4].map((n) => writer.apply(changeSet(insert('quotes', quoteRow(n)))));
    expect(await Promise.all(quotes)).toEqual(Array(4).fill({ ok: true }));
    expect(statements).toHaveLength(1);
  });

  it('updates many rows of one shape in one statement', async () => {
    const { writer, statements } = writerWith(faultless);
    const numbers = Array.from({ length: 100 }, (_, n) => n);
    await writer.apply(changeSet(...numbers.map((n) => insert('legs', legRow(n)))));
    statements.length = 0;
    const update = (n: number): Change => ({
      op: 'update',
      table: 'legs',
      key: { id: legRow(n).id },
      version: 1,
      set: { state: 'bound', amount: BigInt(n) },
    });
    expect(await writer.apply(changeSet(...numbers.map(update)))).toEqual({ ok: true });
    expect(statements.length).toBeLessThanOrEqual(4);
    const [seventh] = await harness.store.legs([legRow(7).id]);
    expect(seventh).toEqual(legRow(7, { version: 2, state: 'bound', amount: 7n }));
  });
});

describe('a commit that fails', () => {
  for (const after of [false, true]) {
    it(`is unknown to every caller of the group, ${after ? 'though it took effect' : 'and took no effect'}`, async () => {
      const { writer } = writerWith(once(/^commit$/, 'SQLITE_IOERR', after));
      const outcomes = await Promise.allSettled([1, 2].map((n) => writer.apply(changeSet(lane(n)))));
      for (const outcome of outcomes) {
        expect(outcome.status).toBe('rejected');
        if (outcome.status === 'rejected') expect(outcome.reason).toBeInstanceOf(CommitUnknownError);
      }
      expect(await lanes()).toEqual(after ? [laneRow(1).id, laneRow(2).id] : []);
      expect(await writer.apply(changeSet(lane(3)))).toEqual({ ok: true });
    });
  }

  it('is unknown for quotes too', async () => {
    const { writer } = writerWith(once(/^insert into "quotes"/, 'SQLITE_IOERR', true));
    await expect(writer.apply(changeSet(insert('quotes', quoteRow(1))))).rejects.toThrow(CommitUnknownError);
    expect(await writer.apply(changeSet(insert('quotes', quoteRow(1))))).toMatchObject({
      conflict: { kind: 'duplicate' },
    });
  });
});

describe('quotes with deposit addresses', () => {
  const addressed = (n: number, at = n) =>
    changeSet(insert('quotes', quoteRow(n)), insert('addresses', addressRow(at, { orderId: quoteRow(n).orderId })));

  it('are written together with others by one statement, without reading first', async () => {
    const { writer, statements } = writerWith(faultless);
    await writer.apply(changeSet(insert('quotes', quoteRow(9))));
    await writer.apply(addressed(8));
    statements.length = 0;
    const plain = changeSet(insert('quotes', quoteRow(3)));
    const outcomes = await Promise.all([addressed(1), addressed(2), plain].map((set) => writer.apply(set)));
    expect(outcomes).toEqual([{ ok: true }, { ok: true }, { ok: true }]);
    expect(statements).toHaveLength(1);
    const ids = [1, 2, 3].map((n) => addressRow(n).id);
    const kept = await harness.store.addresses(ids);
    expect(kept).toHaveLength(2);
    expect(kept).toEqual(expect.arrayContaining([1, 2].map((n) => addressRow(n, { orderId: quoteRow(n).orderId }))));
    for (const n of [1, 2, 3]) expect(await harness.store.quote(quoteRow(n).id)).toEqual(quoteRow(n));
  });

  it('are refused as one where the address is taken, and the others are written', async () => {
    const { writer } = writerWith(faultless);
    await writer.apply(addressed(1));
    const [other, taken] = await Promise.all([writer.apply(addressed(2)), writer.apply(addressed(3, 1))]);
    expect(other).toEqual({ ok: true });
    expect(taken).toMatchObject({ ok: false, conflict: { kind: 'duplicate' } });
    const kept = await Promise.all([1, 2, 3].map((n) => harness.store.quote(quoteRow(n).id)));
    expect(kept.map((quote) => quote?.id)).toEqual([quoteRow(1).id, quoteRow(2).id, undefined]);
  });

  it('are of unknown outcome where the commit fails', async () => {
    const { writer } = writerWith(once(/^insert into temp."new_quotes"/, 'SQLITE_IOERR', true));
    await expect(writer.apply(addressed(1))).rejects.toThrow(CommitUnknownError);
    expect(await writer.apply(addressed(1))).toMatchObject({ conflict: { kind: 'duplicate' } });
  });
});

describe('a statement that fails', () => {
  it('fails only the set that caused it', async () => {
    const { writer } = writerWith(faultless);
    const orphan = {
      id: 'a#1',
      version: 1,
      keyId: 'no such key',
      chainId: 1,
      signer: 's',
      n: 1,
      hash: 'h',
      bytes: '',
      fees: '',
    };
    const attempt = insert('attempts', { ...orphan, state: 'signed', signedAt: 1, sentAt: null, message: null });
    const [before, bad, behind] = await Promise.allSettled([
      writer.apply(
        changeSet(lane(1), { op: 'update', table: 'lanes', key: { id: laneRow(1).id }, version: 1, set: {} }),
      ),
      writer.apply(changeSet(lane(2), attempt)),
      writer.apply(changeSet(lane(3))),
    ]);
    expect(before).toMatchObject({ value: { ok: true } });
    expect([before?.status, bad?.status, behind?.status]).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(bad?.status === 'rejected' && bad.reason).not.toBeInstanceOf(CommitUnknownError);
    expect(await lanes()).toEqual([laneRow(1).id, laneRow(3).id]);
  });

  it('fails the group when the disk is full, and nothing is written', async () => {
    const { writer } = writerWith(once(/^insert/, 'SQLITE_FULL'));
    const outcomes = await Promise.allSettled([1, 2].map((n) => writer.apply(changeSet(lane(n)))));
    expect(outcomes.map((outcome) => outcome.status)).toEqual(['rejected', 'rejected']);
    expect(await lanes()).toEqual([]);
    expect(await writer.apply(changeSet(lane(1)))).toEqual({ ok: true });
  });

  it('is tried again while another program holds the lock', async () => {
    let busy = 3;
    const { writer } = writerWith(async (sql, real) => {
      if (sql === 'begin immediate' && busy > 0) {
        busy -= 1;
        throw failing('SQLITE_BUSY');
      }
      return real();
    });
    expect(await writer.apply(changeSet(lane(1)))).toEqual({ ok: true });
    expect(busy).toBe(0);
  });

  it('leaves no transaction open when even the rollback fails', async () => {
    let broken = 2;
    const { writer } = writerWith(async (sql, real) => {
      if (broken > 0 && /^(insert|rollback)/.test(sql)) {
        broken -= 1;
        throw failing('SQLITE_IOERR');
      }
      return real();
    });
    await expect(writer.apply(changeSet(lane(1)))).rejects.toThrow('IOERR');
    expect(await writer.apply(changeSet(lane(2)))).toEqual({ ok: true });
    expect(await lanes()).toEqual([laneRow(2).id]);
  });

  it('lets no set rely on what it left behind, while it cannot be rolled back', async () => {
    let broken = 3;
    const { writer } = writerWith(async (sql, real) => {
      if (broken > 0 && /^(commit|rollback)/.test(sql)) {
        broken -= 1;
        throw failing('SQLITE_IOERR');
      }
      return real();
    });
    const relying = changeSet({ op: 'require', table: 'lanes', key: { id: laneRow(1).id }, version: 1 });
    await expect(writer.apply(changeSet(lane(1)))).rejects.toThrow(CommitUnknownError);
    await expect(writer.apply(relying)).rejects.toThrow('could not be ended');
    expect(broken).toBe(0);
    expect(await writer.apply(relying)).toMatchObject({ ok: false });
  });

  it('loses no quote after it, when even the rollback fails', async () => {
    let broken = 2;
    const { writer } = writerWith(async (sql, real) => {
      if (broken > 0 && /^(insert|rollback)/.test(sql)) {
        broken -= 1;
        throw failing('SQLITE_IOERR');
      }
      return real();
    });
    await expect(writer.apply(changeSet(lane(1)))).rejects.toThrow('IOERR');
    expect(await writer.apply(changeSet(insert('quotes', quoteRow(1))))).toEqual({ ok: true });
    expect(await writer.apply(changeSet(lane(2)))).toEqual({ ok: true });
    expect(await harness.store.quote(quoteRow(1).id)).toBeDefined();
  });
});

describe('another program that writes between the look-up and the transaction', () => {
  const count = (atLeast: bigint): Change => ({ op: 'count', account: '#c', by: -2n, atLeast });

  it.each([
    ['is not overwritten', 0n, { ok: true }, 3n],
    ['is judged', 4n, { ok: false }, 5n],
  ])('%s', async (_, atLeast, outcome, total) => {
    const other = await openDatabase(harness.file, sqlite3.OPEN_READWRITE);
    let writes = true;
    const { writer } = writerWith(async (sql, real) => {
      if (sql === 'begin immediate' && writes) {
        writes = false;
        await connectionOf(other).run(`update pots set amount = '5' where account = '#c'`);
      }
      return real();
    });
    await harness.store.apply(changeSet({ op: 'count', account: '#c', by: 9n }));
    expect(await writer.apply(changeSet(count(atLeast)))).toMatchObject(outcome);
    const rows = await connectionOf(other).all(`select amount from pots where account = '#c'`);
    expect(rows).toEqual([{ amount: String(total) }]);
    await closeDatabase(other);
  });
});

describe('a unique key that an update takes', () => {
  it('is a conflict, like one that an insert takes', async () => {
    const { writer } = writerWith(faultless);
    const key = (n: number) => ({
      name: null,
      prefix: 'p',
      integratorId: 'i',
      scopes: '["*"]',
      tier: 'default' as const,
      privateChains: '[]',
      createdAt: 1,
      expiresAt: null,
      replacedBy: null,
      revokedAt: null,
      id: `k${n}`,
    });
    await writer.apply(changeSet(...[1, 2].map((n) => insert('apiKeys', { ...key(n), version: 1, hash: `h${n}` }))));
    const take: Change = { op: 'update', table: 'apiKeys', key: { id: 'k2' }, version: 1, set: { hash: 'h1' } };
    const [taken, other] = await Promise.all([writer.apply(changeSet(take)), writer.apply(changeSet(lane(1)))]);
    expect(taken).toMatchObject({ ok: false, conflict: { kind: 'duplicate' } });
    expect(other).toEqual({ ok: true });
  });
});
