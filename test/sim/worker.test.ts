import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { inWorker } from './worker.js';

const TASK = { from: 1, seeds: 3, stride: 1, profile: {} };
const LONG_MS = 500;

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'causeway-worker-'));
});

afterEach(() => {
  rmSync(folder, { recursive: true });
});

/** The worker reported three seeds and closed its channel before its parent handles the first. */
async function playedBy(end: string, until: () => boolean): Promise<number> {
  const script = join(folder, 'worker.mjs');
  const sends = 'for (let n = 0; n < 3; n += 1) process.send({ seed: n });';
  const ends = `setImmediate(() => { process.disconnect(); ${end} });`;
  writeFileSync(script, `process.on('message', () => { ${sends} ${ends} });`);
  let heard = 0;
  await inWorker(pathToFileURL(script), TASK, until, () => {
    heard += 1;
    if (heard === 1) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, LONG_MS);
  });
  return heard;
}

describe('a worker that is asked to stop after it has closed its channel', () => {
  it('is heard to the end', async () => {
    expect(await playedBy('', () => true)).toBe(3);
    expect(await playedBy('', () => false)).toBe(3);
  });

  it('fails the run where it failed', async () => {
    await expect(playedBy('process.exitCode = 3;', () => true)).rejects.toThrow('a worker ended with 3');
  });
});
