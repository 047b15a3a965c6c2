import { expect, it } from 'vitest';
import { Turns } from '../../src/rpc/index.js';

const never = new AbortController().signal;

/** Named tasks in starting order. */
function ground(mostAtOnce: number, mostWaiting: number) {
  const turns = new Turns(mostAtOnce, mostWaiting);
  const begun: string[] = [];
  const ends = new Map<string, (error?: Error) => void>();
  const take = (party: string, name = party, signal = never, crowds: readonly string[] = []) =>
    turns.take({ party, signal, crowds }, () => {
      begun.push(name);
      return new Promise<string>((resolve, reject) => {
        ends.set(name, (error) => (error === undefined ? resolve(name) : reject(error)));
      });
    });
  const end = async (name: string, error?: Error) => {
    ends.get(name)?.(error);
    await new Promise(setImmediate);
  };
  return { take, end, begun };
}

it('are taken by a few at once, half of them by one party at most', async () => {
  const { take, end, begun } = ground(4, 9);
  const all = ['a1', 'a2', 'a3'].map((name) => take('a', name));
  const [b, c] = [take('b'), take('c')];
  expect(begun).toEqual(['a1', 'a2', 'b', 'c']);
  await end('a1');
  expect(begun.slice(4)).toEqual(['a3']);
  for (const name of ['a2', 'a3', 'b', 'c']) await end(name);
  expect(await Promise.all([...all, b, c])).toEqual(['a1', 'a2', 'a3', 'b', 'c']);
});

it('come first to a party that had none, however many others wait', async () => {
  const { take, end, begun } = ground(4, 64);
  const strangers = Array.from({ length: 8 }, (_, n) => `stranger ${n}`);
  for (let n = 0; n < 8; n += 1) for (const party of strangers) void take(party, `${party}: ${n}`);
  void take('client');
  expect(begun).toHaveLength(4);
  await end(begun[0] as string);
  // First turns precede repeated ones, each in order of arrival.
  for (let n = 1; n < 5 && !begun.includes('client'); n += 1) await end(begun[n] as string);
  expect(begun).toContain('client');
  void take('another client');
  await end('client');
  expect(begun.at(-1)).toBe('another client');
});

it('are refused to the party that lets most wait where too many do', async () => {
  const { take, end, begun } = ground(2, 4);
  const [, , , , , last] = ['a1', 'a2', 'a3', 'a4', 'a5', 'a6'].map((name) => take('a', name));
  expect(await last).toBeUndefined();
  const turnedAway = take('a', 'a7');
  const client = take('b');
  expect(await turnedAway).toBeUndefined();
  void take('c');
  await end('a1');
  await end('b');
  expect(begun.slice(0, 3)).toEqual(['a1', 'b', 'c']);
  expect(await client).toBe('b');
});

it('are given back by what fails and by who leaves, at once and no more often than they were taken', async () => {
  const { take, end, begun } = ground(1, 5);
  for (let n = 0; n < 3; n += 1) {
    const failed = expect(take('a', `bad ${n}`)).rejects.toThrow('bad');
    await end(`bad ${n}`, new Error('bad'));
    await failed;
  }
  const [leaves, waits] = [new AbortController(), new AbortController()];
  const hangs = take('a', 'hangs', leaves.signal);
  const gone = take('b', 'gone', waits.signal);
  const next = take('c', 'next');
  waits.abort();
  expect(await gone).toBeUndefined();
  expect(begun.slice(3)).toEqual(['hangs']);
  leaves.abort(new Error('late'));
  await expect(hangs).rejects.toThrow('late');
  await end('hangs');
  expect(begun.slice(3)).toEqual(['hangs', 'next']);
  void take('d');
  expect(begun.slice(3)).toEqual(['hangs', 'next']);
  await end('next');
  expect(await next).toBe('next');
  expect(begun.at(-1)).toBe('d');
});

it('are not left to one network, however many parties of it ask', async () => {
  const { take, end, begun } = ground(8, 64);
  const wide = (n: number) => [`56 ${n >> 3}`, '48'];
  const stranger = (n: number) => take(`64 ${n}`, `stranger ${n}`, never, wide(n));
  const all = Array.from({ length: 72 }, (_, n) => stranger(n));
  expect(begun).toHaveLength(4);
  expect(await all[71]).toBeUndefined();
  const client = take('client', 'client', never, ['another 56', 'another 48']);
  expect(begun.at(-1)).toBe('client');
  // Its own network is full, but not of itself.
  for (const name of ['key 1', 'key 2', 'key 3']) void take(name);
  expect(begun).toHaveLength(8);
  const waits = take('key 4');
  await end('stranger 0');
  expect(begun.at(-1)).toBe('key 4');
  await end('client');
  expect(await client).toBe('client');
  await end('key 4');
  expect(await waits).toBe('key 4');
});

it('are refused within the largest network first, there to its largest party', async () => {
  const { take } = ground(2, 4);
  const [one, other] = [['net 1'], ['net 2']];
  void take('x');
  void take('y');
  const many = ['a', 'a', 'b'].map((party, n) => take(party, `${party}${n}`, never, one));
  void take('c', 'c', never, other);
  void take('d', 'd', never, other);
  expect(await many[1]).toBeUndefined();
  // Each network has two waiting, of two parties: no one makes room for a third.
  expect(await take('e', 'e', never, other)).toBeUndefined();
  expect(await take('f', 'f', never, one)).toBeUndefined();
});
