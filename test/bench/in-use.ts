import { setTimeout as pause } from 'node:timers/promises';
import { WebSocket } from 'ws';
import { until } from '../support/until.js';

const MB = 1024 * 1024;

export interface InUse {
  readonly heap: number;
  readonly external: number;
  readonly reserved: number;
  readonly resident: number;
}

/**
 * Resident memory is a poor measure of growth: V8 takes what the machine has and returns it late.
 *
 * @param port of its inspector: the process was started with `--inspect-port` and opens it on the signal.
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
        const reported = JSON.parse(data.toString()) as { id?: number; result?: unknown; error?: { message: string } };
        if (reported.id !== id) return;
        socket.off('message', hear);
        if (reported.error) reject(new Error(`${method}: ${reported.error.message}`));
        else resolve(reported.result);
      };
      socket.on('message', hear);
      socket.send(JSON.stringify({ id, method, params }));
    });
  try {
    for (let n = 0; n < 3; n += 1) {
      await ask('HeapProfiler.collectGarbage');
      await pause(200);
    }
    const reported = (await ask('Runtime.evaluate', { expression: 'process.memoryUsage()', returnByValue: true })) as {
      readonly result: {
        readonly value: {
          readonly heapUsed: number;
          readonly external: number;
          readonly heapTotal: number;
          readonly rss: number;
        };
      };
    };
    const { heapUsed, external, heapTotal, rss } = reported.result.value;
    return { heap: heapUsed / MB, external: external / MB, reserved: heapTotal / MB, resident: rss / MB };
  } finally {
    socket.terminate();
  }
}
