import { describe, expect, it } from 'vitest';
import { UnitOfWork } from '../../src/engine/base/unit-of-work.js';
import { depositRow, eventRow, legRow, requestRow } from '../../src/testing/store-fixtures.js';

function changesOf(unit: UnitOfWork) {
  return unit.toChangeSet('test').changes;
}

const line = { groupId: 'g', requestId: null, legId: null, createdAt: 1 };

describe('a unit of work', () => {
  it('writes nothing for what it only read', () => {
    const unit = new UnitOfWork();
    unit.load('requests', requestRow(1));
    expect(unit.empty).toBe(true);
  });

  it('turns any number of changes of a row into one update at the version it read', () => {
    const unit = new UnitOfWork();
    const row = unit.load('requests', requestRow(1, { version: 7 }));
    unit.update('requests', row.id, { status: 'submitted', failReason: 'UNKNOWN' });
    unit.update('requests', row.id, { status: 'success' });
    expect(unit.get('requests', row.id)).toMatchObject({ status: 'success', failReason: 'UNKNOWN', version: 7 });
    expect(changesOf(unit)).toEqual([
      {
        op: 'update',
        table: 'requests',
        key: { id: row.id },
        version: 7,
        set: { status: 'success', failReason: 'UNKNOWN' },
      },
    ]);
  });

  it('does not change the rows it was given', () => {
    const unit = new UnitOfWork();
    const row = requestRow(1);
    unit.load('requests', row);
    unit.update('requests', row.id, { status: 'success' });
    expect(row.status).toBe('pending');
    const fresh = requestRow(2);
    unit.insert('requests', fresh);
    unit.update('requests', fresh.id, { status: 'success' });
    expect(fresh.status).toBe('pending');
  });

  it('writes a new row once, as it is in the end', () => {
    const unit = new UnitOfWork();
    unit.insert('requests', requestRow(1));
    unit.update('requests', requestRow(1).id, { status: 'submitted' });
    expect(changesOf(unit)).toEqual([{ op: 'insert', table: 'requests', row: requestRow(1, { status: 'submitted' }) }]);
  });

  it('keeps pending changes when the row is loaded again', () => {
    const unit = new UnitOfWork();
    unit.load('legs', legRow(1, { version: 2 }));
    unit.update('legs', legRow(1).id, { state: 'done' });
    expect(unit.load('legs', legRow(1, { version: 3, state: 'owed' })).state).toBe('done');
    expect(changesOf(unit)).toMatchObject([{ op: 'update', version: 2 }]);
  });

  it('makes a row it only read part of the change when it touches it', () => {
    const unit = new UnitOfWork();
    unit.load('deposits', depositRow(1, { version: 4 }));
    unit.touch('deposits', depositRow(1).fundingKey);
    unit.touch('deposits', depositRow(1).fundingKey);
    expect(changesOf(unit)).toEqual([
      { op: 'update', table: 'deposits', key: { fundingKey: depositRow(1).fundingKey }, version: 4, set: {} },
    ]);
    unit.update('deposits', depositRow(1).fundingKey, { decision: 'fill' });
    expect(changesOf(unit)).toHaveLength(1);
  });

  it('refuses to change what was never loaded, and to insert one row twice', () => {
    const unit = new UnitOfWork();
    expect(() => unit.update('legs', 'x', {})).toThrow(/not loaded/);
    expect(() => unit.touch('legs', 'x')).toThrow(/not loaded/);
    unit.insert('legs', legRow(1));
    expect(() => unit.insert('legs', legRow(1))).toThrow(/twice/);
  });

  it('orders rows before what refers to them, and counts last, in the order they were made', () => {
    const unit = new UnitOfWork();
    unit.count({ account: '#a', by: 5n });
    unit.post([{ ...line, account: 'a', amount: 0n }]);
    unit.insert('events', eventRow(1));
    unit.load('legs', legRow(1));
    unit.update('legs', legRow(1).id, { state: 'done' });
    unit.insert('requests', requestRow(1));
    unit.count({ account: '#a', by: -2n, atLeast: 0n });
    expect(changesOf(unit).map(({ op }) => op)).toEqual(['insert', 'update', 'insert', 'post', 'count', 'count']);
    expect(unit.counted('#a')).toBe(3n);
    expect(unit.counted('#b')).toBe(0n);
  });

  it('leaves out counts of nothing and postings without lines', () => {
    const unit = new UnitOfWork();
    unit.count({ account: '#a', by: 0n });
    unit.post([]);
    expect(unit.empty).toBe(true);
  });

  it('lists the rows of a table as they would be', () => {
    const unit = new UnitOfWork();
    unit.load('legs', legRow(1));
    unit.insert('legs', legRow(2));
    unit.update('legs', legRow(1).id, { state: 'held' });
    expect(unit.all('legs').map(({ state }) => state)).toEqual(['held', 'owed']);
  });
});
