import { rpcBatch } from './rpc.js';

/** Meanwhile every transaction makes a block at once, however the node mines otherwise. */
export async function automined<T>(url: string, task: () => Promise<T>): Promise<T> {
  const [automine, seconds] = await rpcBatch<unknown>(url, [
    { method: 'anvil_getAutomine', params: [] },
    { method: 'anvil_getIntervalMining', params: [] },
  ]);
  if (automine === true) return task();
  await rpcBatch(url, [{ method: 'evm_setAutomine', params: [true] }]);
  try {
    return await task();
  } finally {
    const before =
      typeof seconds === 'number'
        ? { method: 'evm_setIntervalMining', params: [seconds] }
        : { method: 'evm_setAutomine', params: [false] };
    await rpcBatch(url, [before]);
  }
}
