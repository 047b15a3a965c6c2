import { expect, it } from 'vitest';
import { Portions, RpcError, TransportError } from '../../src/rpc/index.js';

/** At most this many entries per answer. */
function provider(most: number, refusal: Error = new RpcError('lt not in db', 500, undefined)) {
  const asked: number[] = [];
  const ask = async (wanted: number): Promise<number> => {
    asked.push(wanted);
    if (wanted > most) throw refusal;
    return wanted;
  };
  return { asked, ask };
}

it.each([
  new RpcError('a pox', -32000, undefined),
  new TransportError('HTTP status 500', 'http'),
  new TransportError('too large', 'tooLarge'),
])('asks for less where so much is refused: %s', async (refusal) => {
  const portions = new Portions(50);
  const { asked, ask } = provider(10, refusal);
  expect(await portions.ask(ask, 50, ask)).toBe(3);
  expect(await portions.ask(ask, 50, ask)).toBe(3);
  expect(asked).toEqual([50, 12, 3, 3]);
});

it('asks for more again slowly', async () => {
  const portions = new Portions(50);
  const limited = provider(10);
  await portions.ask(limited, 50, limited.ask);
  const healed = provider(50);
  for (let n = 0; n < 200; n += 1) await portions.ask(limited, 50, healed.ask);
  expect(new Set(healed.asked)).toEqual(new Set([3, 6, 12, 24, 48, 50]));
});

it('what is refused at one says nothing of how much may be asked for', async () => {
  const portions = new Portions(50);
  const nothing = provider(0);
  await expect(portions.ask(nothing, 50, nothing.ask)).rejects.toThrow('lt not in db');
  expect(nothing.asked).toEqual([50, 12, 3, 1]);
  const healed = provider(50);
  expect(await portions.ask(nothing, 50, healed.ask)).toBe(50);
});

it.each([new TransportError('no answer', 'timeout'), new TransportError('throttled', 'rate'), new Error('a bug')])(
  'asks no one again who was not asked for too much: %s',
  async (refusal) => {
    const { asked, ask } = provider(10, refusal);
    await expect(new Portions(50).ask(ask, 50, ask)).rejects.toBe(refusal);
    expect(asked).toEqual([50]);
  },
);
