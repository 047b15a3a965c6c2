// Plays the conformance kit alone on copies of the example chain, each up to the first case that fails. A child of `kit.ts`.

import { pathToFileURL } from 'node:url';
import { type CaseReport, chainConformance, runConformance } from '@causeway/core/testing';
import type * as GroundModule from '../fixtures/example-chain/test/support/ground.js';
import type * as HarnessModule from '../fixtures/example-chain/test/support/harness.js';
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
  const moduleOf = (name: string) => import(pathToFileURL(`${folder}/test/support/${name}.ts`).href);
  const { FINALITY, ground } = (await moduleOf('ground')) as typeof GroundModule;
  const { harnessOf } = (await moduleOf('harness')) as typeof HarnessModule;
  const place = await ground();
  const make = async () => {
    // What the case before sent is final.
    await place.node.dev('mine', { blocks: FINALITY + 1 });
    return await harnessOf(place);
  };
  try {
    let ran = 0;
    for (const isFirst of first === '' ? [false] : [true, false]) {
      const { cases } = await runConformance(chainConformance, make, {
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
    await place.node.stop();
  }
}
