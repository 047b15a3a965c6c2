import { describe, expect, it } from 'vitest';
import { Turns } from '../src/turns.js';

/** A task that ends when it is told to. */
function task(begun: string[], name: string) {
  let end: (how: 'well' | 'badly') => void = () => undefined;
  const run = () =>
    new Promise<string>((resolve, reject) => {
      begun.push(name);
      end = (how) => (how === 'well' ? resolve(name) : reject(new Error(name)));
    });
  return { run, end: (how: 'well' | 'badly' = 'well') => end(how) };
}

describe('turns', () => {
  it('are taken by a few at once, in order, and by nobody where too many wait', async () => {
    const turns = new Turns(2, 1);
    const begun: string[] = [];
    const [a, b, c, d] = ['a', 'b', 'c', 'd'].map((name) => task(begun, name));
    const all = [a, b, c, d].map((one) => turns.take(one?.run ?? expect.fail('no task')));
    expect(await all[3]).toBeUndefined();
    expect(begun).toEqual(['a', 'b']);
    b?.end();
    expect(await all[1]).toBe('b');
    expect(begun).toEqual(['a', 'b', 'c']);
    a?.end();
    c?.end();
    expect(await Promise.all([all[0], all[2]])).toEqual(['a', 'c']);
  });

  it('are given back by what fails, and no more often than they were taken', async () => {
    const turns = new Turns(1, 5);
    const begun: string[] = [];
    for (let n = 0; n < 3; n += 1) {
      const bad = task(begun, `bad ${n}`);
      const taken = turns.take(bad.run);
      bad.end('badly');
      await expect(taken).rejects.toThrow(`bad ${n}`);
    }
    const [first, second] = [task(begun, 'first'), task(begun, 'second')];
    const both = [turns.take(first.run), turns.take(second.run)];
    expect(begun.slice(3)).toEqual(['first']);
    first.end();
    await both[0];
    expect(begun.slice(3)).toEqual(['first', 'second']);
    second.end();
    expect(await both[1]).toBe('second');
  });
});
