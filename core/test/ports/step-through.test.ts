import { describe, expect, it } from 'vitest';
import type { ChainAdapter, Store } from '../../src/contract/index.js';
import { type Around, type Step, stepThrough } from '../../src/ports/step-through.js';

const quiet = new AbortController().signal;

function recorder(): { readonly steps: Step[]; readonly around: Around } {
  const steps: Step[] = [];
  return {
    steps,
    around: (step, call) => {
      steps.push(step);
      return call();
    },
  };
}

/** Private state, as real adapters have. */
class Adapter {
  readonly facts = { id: 7 };
  #sent = 0;
  status(): number {
    return this.#sent;
  }
  async send(): Promise<number> {
    this.#sent += 1;
    return this.#sent;
  }
  async *watchDeposits(): AsyncIterable<number> {
    yield 1;
    yield 2;
  }
}

const adapter = () => new Adapter() as unknown as ChainAdapter;

describe('stepping through a port', () => {
  it('surrounds calls that leave the process and nothing else', async () => {
    const { steps, around } = recorder();
    const port = stepThrough('chains', adapter(), around);
    expect(port.facts.id).toBe(7);
    expect(await port.send({ bytes: '0x', hash: '0x' })).toBe(1);
    expect(port.status()).toBe(1);
    expect(port.replace).toBeUndefined();
    expect(steps).toEqual([{ name: 'chain.send', kind: 'call' }]);
  });

  it('surrounds each item of a stream', async () => {
    const { steps, around } = recorder();
    const seen: unknown[] = [];
    for await (const batch of stepThrough('chains', adapter(), around).watchDeposits(undefined, quiet))
      seen.push(batch);
    expect(seen).toEqual([1, 2]);
    // The third ends the stream.
    expect(steps.map(({ name }) => name)).toEqual(Array(3).fill('chain.watchDeposits'));
  });

  it('surrounds the calls of the part of a chain that its keys are, under the names of the chain', async () => {
    const { steps, around } = recorder();
    const keys = Object.freeze({
      by: 'position',
      lanePosition: async () => '3',
      positionAhead: () => true,
      spenderOf: async () => undefined,
    });
    const port = stepThrough('chains', { keys } as unknown as ChainAdapter, around);
    if (port.keys.by !== 'position') throw new Error('what it is stays told');
    expect(port.keys.positionAhead('3', '2')).toBe(true);
    expect(await port.keys.lanePosition('signer')).toBe('3');
    expect({ ...port.keys }.by).toBe('position');
    await port.keys.spenderOf('signer:2', 'signer');
    expect(steps.map(({ name }) => name)).toEqual(['chain.lanePosition', 'chain.spenderOf']);
    expect(port.keys).toBe(port.keys);
  });

  it('ends the stream when its reader leaves', async () => {
    let ended = false;
    async function* endless() {
      try {
        for (;;) yield 1;
      } finally {
        ended = true;
      }
    }
    const port = stepThrough('chains', { watchDeposits: endless } as unknown as ChainAdapter, recorder().around);
    for await (const _ of port.watchDeposits(undefined, quiet)) break;
    expect(ended).toBe(true);
  });

  it('names a change set by its own name, and distinguishes reads', async () => {
    const { steps, around } = recorder();
    const store = { apply: async () => ({ ok: true }), lanes: async () => [] } as unknown as Store;
    const port = stepThrough('stores', store, around);
    await port.apply({ name: 'engine.ingest', changes: [] });
    await port.lanes();
    expect(steps).toEqual([
      { name: 'store.engine.ingest', kind: 'call' },
      { name: 'store.lanes', kind: 'read' },
    ]);
  });

  it('lets a call never return, as in a process that is no more', async () => {
    const port = stepThrough('chains', adapter(), () => new Promise<never>(() => {}));
    const outcome = await Promise.race([port.send({ bytes: '0x', hash: '0x' }), Promise.resolve('silence')]);
    expect(outcome).toBe('silence');
    expect(port.status()).toBe(0);
  });

  it('turns what a method throws at once into a rejection', async () => {
    const store = {
      prune: () => {
        throw new Error('closed');
      },
    } as unknown as Store;
    await expect(stepThrough('stores', store, recorder().around).prune(0)).rejects.toThrow('closed');
  });
});
