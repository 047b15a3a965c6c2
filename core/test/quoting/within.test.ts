import { expect, it } from 'vitest';
import { asked, within } from '../../src/quoting/within.js';

function sleeper() {
  const sleeps: { readonly ms: number; readonly wake: () => void; readonly signal: AbortSignal | undefined }[] = [];
  const sleep = (ms: number, signal?: AbortSignal) =>
    new Promise<void>((wake) => void sleeps.push({ ms, wake, signal }));
  return { clock: { sleep }, sleeps };
}

it('sets no timer for what is answered from memory', async () => {
  const { clock, sleeps } = sleeper();
  const fromMemory = async () => 7;
  expect(await within(clock, fromMemory())).toBe(7);
  await expect(within(clock, Promise.reject(new Error('down')))).rejects.toThrow('down');
  expect(sleeps).toEqual([]);
});

it('gives up on a chain that takes too long, and frees the timer of one that does not', async () => {
  const { clock, sleeps } = sleeper();
  const late = within(clock, new Promise(() => undefined));
  await new Promise(setImmediate);
  sleeps[0]?.wake();
  expect(await late).toBe('late');
  let answer: (value: number) => void = () => undefined;
  const asked = new Promise<number>((resolve) => {
    answer = resolve;
  });
  const known = within(clock, asked);
  await new Promise(setImmediate);
  answer(3);
  expect(await known).toBe(3);
  expect(sleeps.map(({ ms, signal }) => [ms, signal?.aborted])).toEqual([
    [2_000, true],
    [2_000, true],
  ]);
});

it('lets a chain make many calls at once, without a warning to the operator', async () => {
  const warnings: Error[] = [];
  const keep = (warning: Error) => warnings.push(warning);
  process.on('warning', keep);
  await asked(sleeper().clock, { party: 'party' }, async ({ signal }) => {
    for (let n = 0; n < 20; n += 1) signal?.addEventListener('abort', () => n);
  });
  await new Promise(setImmediate);
  process.off('warning', keep);
  expect(warnings).toEqual([]);
});

it('gives the chain the party that asks, and its networks', async () => {
  const crowds = [
    { party: 'ip:56', times: 4 },
    { party: 'ip:48', times: 16 },
  ];
  const reported = await asked(sleeper().clock, { party: 'ip:64', crowds }, async (asker) => [
    asker.party,
    asker.crowds,
  ]);
  expect(reported).toEqual(['ip:64', ['ip:56', 'ip:48']]);
});
