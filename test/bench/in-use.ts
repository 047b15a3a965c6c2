import { setTimeout as pause } from 'node:timers/promises';
import { WebSocket } from 'ws';
import { until } from '../support/until.js';

const MB = 1024 * 1024;

/** Memory of a process beside its libraries, MB. */
export interface InUse {
  /** Objects that something still refers to: the garbage was collected before. */
  readonly heap: number;
  /** Buffers and what else objects hold outside of the heap. */
  readonly external: number;
  /** What V8 keeps for the heap, with what is free in it. */
  readonly reserved: number;
  /** What is resident then, with code, libraries and what these allocate. */
  readonly resident: number;
}

/**
 * Collects the garbage of a Node process and tells what is left. What is resident says little of growth: V8 takes memory as long as the
 * machine has it, and gives it back late.
 *
 * @param port of its inspector, which the process was started with (`--inspect-port`) and opens on the signal.
 */
export async function inUse(pid: number, port: number): Promise<InUse> {
  process.kill(pid, 'SIGUSR1');
  const url = await until('the inspector listens', async () => {
    const answer = await fetch(`http://127.0.0.1:${port}/json/list`).catch(() => undefined);
    const targets = (await answer?.json()) as readonly { readonly webSocketDebuggerUrl: string }[] | undefined;
    return targets?.[0]?.webSocketDebuggerUrl;
  });
  const socket = new WebSocket(url);
  await new Promise((resolve, reject) => {
    socket.once('open', resolve);
    socket.once('error', reject);
  });
  let next = 0;
  const ask = (method: string, params: object = {}) =>
    new Promise<unknown>((resolve, reject) => {
      next += 1;
      const id = next;
      const hear = (data: Buffer) => {
        const told = JSON.parse(data.toString()) as { id?: number; result?: unknown; error?: { message: string } };
        if (told.id !== id) return;
        socket.off('message', hear);
        if (told.error) reject(new Error(`${method}: ${told.error.message}`));
        else resolve(told.result);
      };
      socket.on('message', hear);
      socket.send(JSON.stringify({ id, method, params }));
    });
  try {
    // What finalizers let go of is garbage of the next round.
    for (let n = 0; n < 3; n += 1) {
      await ask('HeapProfiler.collectGarbage');
      await pause(200);
    }
    const told = (await ask('Runtime.evaluate', { expression: 'process.memoryUsage()', returnByValue: true })) as {
      readonly result: {
        readonly value: {
          readonly heapUsed: number;
          readonly external: number;
          readonly heapTotal: number;
          readonly rss: number;
        };
      };
    };
    const { heapUsed, external, heapTotal, rss } = told.result.value;
    return { heap: heapUsed / MB, external: external / MB, reserved: heapTotal / MB, resident: rss / MB };
  } finally {
    socket.terminate();
  }
}
