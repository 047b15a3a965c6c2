import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { freePorts } from '@causeway/core/testing';
import { afterEach, describe, expect, it } from 'vitest';
import { devnet } from '../../src/devnet/index.js';
import { missingNode } from '../../src/devnet/process.js';
import { rpc } from '../../src/devnet/rpc.js';

const SCRIPT = fileURLToPath(new URL('../../devnet/node.mjs', import.meta.url));
const PARENT = fileURLToPath(new URL('./parent.mjs', import.meta.url));

const started: ChildProcess[] = [];
afterEach(() => {
  for (const child of started.splice(0)) child.kill('SIGKILL');
});

function run(script: string, args: readonly string[], ipc = false): ChildProcess {
  const child = spawn(process.execPath, [script, ...args], {
    stdio: ['ignore', 'pipe', 'pipe', ...(ipc ? (['ipc'] as const) : [])],
  });
  started.push(child);
  return child;
}

const config = (port: number) => JSON.stringify({ port, slotTimeMs: 100 });

function lives(pid: number): boolean {
  try {
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
}

async function gone(pid: number): Promise<void> {
  for (let waited = 0; lives(pid); waited += 20) {
    if (waited > 5_000) throw new Error(`process ${pid} is still there`);
    await delay(20);
  }
}

describe('a local node', () => {
  it('has a time for its final slot from the beginning, where it is asked to and its slots are short', async () => {
    const timeOfFinal = async (slotTimeMs: number, timed: boolean) => {
      const port = await freePorts(2);
      const child = run(SCRIPT, [JSON.stringify({ port, slotTimeMs, timed })]);
      await once(child.stdout ?? child, 'data');
      const url = `http://127.0.0.1:${port}`;
      const slot = await rpc<number>(url, 'getSlot', [{ commitment: 'finalized' }]);
      return rpc<number | null>(url, 'getBlockTime', [slot]);
    };
    const began = Math.floor(Date.now() / 1_000);
    const time = await timeOfFinal(100, true);
    expect(time).toBeGreaterThanOrEqual(began - 1);
    expect(time).toBeLessThanOrEqual(Date.now() / 1_000 + 4);
    expect(await timeOfFinal(100, false)).toBeNull();
    expect(await timeOfFinal(400, true)).toBeNull();
  });

  it.each(['SIGTERM', 'SIGINT'] as const)('ends with %s, and its ports are free again', async (signal) => {
    const port = await freePorts(2);
    const child = run(SCRIPT, [config(port)]);
    await once(child.stdout ?? child, 'data');
    expect(await rpc(`http://127.0.0.1:${port}`, 'getHealth')).toBe('ok');
    child.kill(signal);
    expect(await once(child, 'exit')).toEqual([0, null]);
    await expect(rpc(`http://127.0.0.1:${port}`, 'getHealth')).rejects.toThrow();
    const again = createServer().listen(port + 1, '127.0.0.1');
    await once(again, 'listening');
    again.close();
  });

  it('ends with the channel to its parent', async () => {
    const child = run(SCRIPT, [config(await freePorts(2))], true);
    await once(child.stdout ?? child, 'data');
    child.disconnect();
    expect(await once(child, 'exit')).toEqual([0, null]);
  });

  it('ends with a parent that is killed and had no channel to it', async () => {
    const parent = run(PARENT, [SCRIPT, config(await freePorts(2))]);
    const [text] = (await once(parent.stdout ?? parent, 'data')) as [Buffer];
    const pid = Number(text.toString());
    expect(lives(pid)).toBe(true);
    parent.kill('SIGKILL');
    await gone(pid);
  });

  it('is missed by name where its package is not installed', () => {
    expect(devnet.unavailable?.()).toBeUndefined();
    expect(missingNode('darwin', 'arm64')).toMatch(/^@solana\/surfpool-darwin-arm64-gnu is not installed/);
  });

  it('says so when one of its ports is taken', async () => {
    const port = await freePorts(2);
    const other = createServer().listen(port + 1, '127.0.0.1');
    await once(other, 'listening');
    try {
      const child = run(SCRIPT, [config(port)]);
      let said = '';
      child.stderr?.on('data', (chunk: Buffer) => {
        said += chunk.toString();
      });
      const [code] = await once(child, 'close');
      expect(code).not.toBe(0);
      expect(said).toContain('EADDRINUSE');
    } finally {
      other.close();
    }
  });
});
