import { describe, expect, it, vi } from 'vitest';
import { KeptAnswers } from '../../src/store/sqlite/kept-answers.js';

function later<T>() {
  const waiting: ((value: T) => void)[] = [];
  const ask = vi.fn(() => new Promise<T>((resolve) => waiting.push(resolve)));
  return { ask, answer: (value: T) => waiting.shift()?.(value) };
}

describe('an answer of the database', () => {
  it('is asked for once while nothing is written to what it is read from, also by those who ask at the same time', async () => {
    const kept = new KeptAnswers();
    const { ask, answer } = later<number>();
    const both = [kept.of('q', ['legs', 'keys'], ask), kept.of('q', ['legs', 'keys'], ask)];
    answer(1);
    expect(await Promise.all(both)).toEqual([1, 1]);
    kept.writing(['deposits'])();
    expect(await kept.of('q', ['legs', 'keys'], ask)).toBe(1);
    expect(ask).toHaveBeenCalledOnce();
  });

  it('is shared by no one while something writes to that, and asked for again afterwards', async () => {
    const kept = new KeptAnswers();
    let now = 0;
    const ask = vi.fn(async () => now);
    const read = () => kept.of('q', ['legs', 'keys'], ask);
    expect(await read()).toBe(0);
    const ended = kept.writing(['keys']);
    now = 1;
    expect([await read(), await read()]).toEqual([1, 1]);
    ended();
    now = 2;
    expect([await read(), await read()]).toEqual([2, 2]);
    expect(ask).toHaveBeenCalledTimes(4);
  });

  it('that was on its way when something was written is given to no one who asks later', async () => {
    const kept = new KeptAnswers();
    const { ask, answer } = later<string>();
    const before = kept.of('q', ['legs'], ask);
    kept.writing(['legs'])();
    const after = kept.of('q', ['legs'], ask);
    answer('old');
    answer('new');
    expect([await before, await after]).toEqual(['old', 'new']);
    expect(await kept.of('q', ['legs'], ask)).toBe('new');
  });

  it('that was asked for while something was written is not kept', async () => {
    const kept = new KeptAnswers();
    const { ask, answer } = later<string>();
    const ended = kept.writing(['legs']);
    const during = kept.of('q', ['legs'], ask);
    ended();
    answer('old');
    const after = kept.of('q', ['legs'], ask);
    answer('new');
    expect([await during, await after]).toEqual(['old', 'new']);
  });

  it('counts each of two transactions, and an end that is reported twice once', async () => {
    const kept = new KeptAnswers();
    const ask = vi.fn(async () => 0);
    const [first, second] = [kept.writing(['legs']), kept.writing(['legs'])];
    const read = () => kept.of('q', ['legs'], ask);
    await read();
    first();
    first();
    await read();
    expect(ask).toHaveBeenCalledTimes(2);
    second();
    await read();
    await read();
    expect(ask).toHaveBeenCalledTimes(3);
  });

  it('about one row is asked for again when that row is written, or unnamed rows of its table', async () => {
    const kept = new KeptAnswers();
    let now = 0;
    const ask = vi.fn(async () => now);
    const read = () => kept.ofRow('meta/a', ask);
    await read();
    kept.writing(['meta/b', 'cursors/a', 'pots'])();
    expect(await read()).toBe(0);
    for (const source of ['meta/a', 'meta'] as const) {
      const ended = kept.writing([source]);
      now += 1;
      const during = await read();
      ended();
      now += 1;
      expect([during, await read(), await read()]).toEqual([now - 1, now, now]);
    }
    expect(ask).toHaveBeenCalledTimes(5);
    const whole = kept.writing(['meta/b']);
    await read();
    whole();
    expect(ask).toHaveBeenCalledTimes(5);
    const table = vi.fn(async () => now);
    await kept.of('all', ['meta'], table);
    kept.writing(['meta/a'])();
    await kept.of('all', ['meta'], table);
    expect(table).toHaveBeenCalledTimes(2);
  });

  it('about one row is what the transaction says that it wrote, where it is read', async () => {
    const kept = new KeptAnswers();
    const { ask, answer } = later<bigint>();
    const before = kept.ofRow('pots/a', ask);
    kept.writing(['pots/a', 'pots/b'])([
      ['pots/a', 2n],
      ['pots/b', 3n],
    ]);
    answer(1n);
    expect([await before, await kept.ofRow('pots/a', ask)]).toEqual([1n, 2n]);
    const other = kept.ofRow('pots/b', ask);
    const ended = kept.writing(['pots/b']);
    answer(3n);
    ended([['pots/b', 4n]]);
    expect([await other, await kept.ofRow('pots/b', ask)]).toEqual([3n, 4n]);
    const [one, two] = [kept.writing(['pots/b']), kept.writing(['pots'])];
    one([['pots/b', 5n]]);
    two();
    const last = kept.ofRow('pots/b', ask);
    answer(6n);
    expect(await last).toBe(6n);
  });

  it('that may lack what is under way is asked for once until the next transaction ended', async () => {
    const kept = new KeptAnswers();
    let now = 0;
    const ask = vi.fn(async () => now);
    const read = () => Promise.all([kept.confirmed('lanes', ask), kept.confirmed('pots/a', ask)]);
    expect([await read(), await read()]).toEqual(Array(2).fill([0, 0]));
    const ended = kept.writing(['lanes', 'pots/a']);
    now = 1;
    expect(await read()).toEqual([0, 0]);
    ended();
    expect([await read(), await read()]).toEqual(Array(2).fill([1, 1]));
    kept.writing(['lanes', 'pots/a'])([['pots/a', 2]]);
    now = 3;
    expect(await read()).toEqual([3, 2]);
    kept.writing(['pots/b', 'legs'])();
    expect(await read()).toEqual([3, 2]);
    kept.writing(['pots'])();
    expect(await read()).toEqual([3, 3]);
    expect(ask).toHaveBeenCalledTimes(6);
  });

  it('that may lack what is under way, and is on its way when a transaction ends, is given to no one who asks later', async () => {
    const kept = new KeptAnswers();
    const { ask, answer } = later<string>();
    const ended = kept.writing(['pots/a']);
    const during = kept.confirmed('pots/a', ask);
    ended();
    const after = kept.confirmed('pots/a', ask);
    answer('old');
    answer('new');
    expect([await during, await after, await kept.confirmed('pots/a', ask)]).toEqual(['old', 'new', 'new']);
    expect(ask).toHaveBeenCalledTimes(2);
  });

  it('that failed is asked for again', async () => {
    const kept = new KeptAnswers();
    const ask = vi.fn().mockRejectedValueOnce(new Error('locked')).mockResolvedValue(7);
    await expect(kept.of('q', ['legs'], ask)).rejects.toThrow('locked');
    expect(await kept.of('q', ['legs'], ask)).toBe(7);
  });

  it('cannot be changed by one whom it is given', async () => {
    const kept = new KeptAnswers();
    const rows = await kept.of('q', ['legs'], async () => [{ n: 1, of: [{ m: 1n }] }]);
    expect(() => rows.push({ n: 2, of: [] })).toThrow(TypeError);
    expect(() => Object.assign(rows[0]?.of[0] ?? {}, { m: 2n })).toThrow(TypeError);
  });

  it('that is asked for again and again leaves others their turn', async () => {
    const kept = new KeptAnswers();
    const ask = () => new Promise<number>((resolve) => setImmediate(() => resolve(1)));
    let turns = 0;
    setImmediate(() => {
      turns += 1;
    });
    for (let asked = 0; turns === 0 && asked < 1_000; asked += 1) await kept.of('q', ['legs'], ask);
    turns = 0;
    setImmediate(() => {
      turns += 1;
    });
    for (let asked = 0; asked < 1_000; asked += 1) await kept.of('q', ['legs'], ask);
    expect(turns).toBe(1);
  });
});
