// Plays the conformance kit on copies of the example chain, each up to its first failure. A child of `kit.ts`.

import { pathToFileURL } from 'node:url';
import { type CaseReport, chainConformance, runConformance } from '@causeway/core/testing';
import type * as GroundModule from '../fixtures/example-chain/test/support/kit-ground.js';
import type { RunAnswer, RunRequest, RunResult } from './run-result.js';

const CASE_MS = 60_000;

process.on('message', (request: RunRequest) => void play(request).then((answer) => process.send?.(answer)));
process.once('disconnect', () => process.exit(0));

async function play(request: RunRequest): Promise<RunAnswer> {
  try {
    return await run(request);
  } catch (error) {
    return { broken: String(error) };
  }
}

async function run({ folder, first }: RunRequest): Promise<RunResult> {
  const { href } = pathToFileURL(`${folder}/test/support/kit-ground.ts`);
  const { kitGround } = (await import(href)) as typeof GroundModule;
  const ground = await kitGround();
  try {
    let ran = 0;
    for (const isFirst of first === '' ? [false] : [true, false]) {
      const { cases } = await runConformance(chainConformance, ground.make, {
        only: ({ name }) => (name === first) === isFirst,
        caseTimeoutMs: CASE_MS,
        untilFailed: true,
      });
      ran += cases.filter(({ outcome }) => outcome !== 'notApplicable').length;
      const failed = cases.find(({ outcome }: CaseReport) => outcome === 'failed');
      if (failed !== undefined) return { ran, failed: { name: failed.name, reason: failed.reason } };
    }
    return { ran, failed: null };
  } finally {
    await ground.stop();
  }
}
