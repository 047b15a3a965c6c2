import { describe, expect, it } from 'vitest';
import { createStatusReader } from '../../src/api/status-reader.js';
import type { RequestId, StatusView } from '../../src/contract/index.js';
import { requestId } from '../../src/testing/store-fixtures.js';

const view = (id: RequestId, updatedAt: number): StatusView => ({
  ...{ id, updatedAt, status: 'pending', createdAt: 1, originChainId: 1, destinationChainId: 2 },
  ...{ failReason: null, refundFailReason: null, details: null, requestId: null, transactions: [] },
});

/** Reads finish on request with their initial state. */
function slowStore() {
  const reads: { readonly ids: readonly RequestId[]; readonly end: (error?: Error) => void }[] = [];
  const store = { at: 1, reads };
  const statuses = (ids: readonly RequestId[]) => {
    const found = ids.filter((id) => id !== requestId(9)).map((id) => view(id, store.at));
    return new Promise<readonly StatusView[]>((resolve, reject) => {
      reads.push({ ids, end: (error) => (error ? reject(error) : resolve(found)) });
    });
  };
  return { ...store, statuses, store };
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

describe('reading statuses', () => {
  it('reads at once for who asks first, and together for those who ask meanwhile', async () => {
    const { statuses, reads } = slowStore();
    const read = createStatusReader({ statuses });
    const first = read(requestId(1));
    await turn();
    const others = [2, 3, 2, 9].map((n) => read(requestId(n)));
    await turn();
    expect(reads.map(({ ids }) => ids)).toEqual([[requestId(1)]]);
    reads[0]?.end();
    expect((await first)?.id).toBe(requestId(1));
    await turn();
    expect(reads.map(({ ids }) => ids)).toEqual([[requestId(1)], [2, 3, 9].map(requestId)]);
    reads[1]?.end();
    expect((await Promise.all(others)).map((one) => one?.id)).toEqual([...[2, 3, 2].map(requestId), undefined]);
  });

  it('answers no one from a read that began before he asked', async () => {
    const { statuses, reads, store } = slowStore();
    const read = createStatusReader({ statuses });
    const early = read(requestId(1));
    await turn();
    store.at = 2;
    const late = read(requestId(1));
    reads[0]?.end();
    await turn();
    reads[1]?.end();
    expect((await early)?.updatedAt).toBe(1);
    expect((await late)?.updatedAt).toBe(2);
  });

  it('goes on after a read that failed, and reads a crowd in parts', async () => {
    const { statuses, reads } = slowStore();
    const read = createStatusReader({ statuses });
    const failed = read(requestId(1));
    failed.catch(() => undefined);
    await turn();
    const crowd = Array.from({ length: 600 }, (_, n) => read(requestId(10 + n)));
    reads[0]?.end(new Error('no answer'));
    await expect(failed).rejects.toThrow('no answer');
    for (let at = 1; at <= 3; at += 1) {
      await turn();
      reads[at]?.end();
    }
    expect((await Promise.all(crowd)).every((one) => one !== undefined)).toBe(true);
    expect(reads.slice(1).map(({ ids }) => ids.length)).toEqual([250, 250, 100]);
  });
});
