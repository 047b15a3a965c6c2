import { readFileSync } from 'node:fs';
import { relative } from 'node:path';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** The slowest files of their lanes, to start first. */
const LONG: readonly string[] = [
  'plugins/bvm/test/conformance.test.ts',
  'plugins/storage-pg/test/conformance.test.ts',
  'plugins/storage-pg/test/locks.test.ts',
  'plugins/svm/test/conformance.test.ts',
  'plugins/tonvm/test/conformance.test.ts',
  'test/e2e/local-build.test.ts',
  'test/e2e/operations.test.ts',
  'test/e2e/operator.test.ts',
  'test/e2e/svm.test.ts',
  'test/e2e/bitcoin-families.test.ts',
  'test/crash/kill-matrix.test.ts',
  'test/faults/rpc.nightly.test.ts',
  'test/faults/postgres.nightly.test.ts',
  'test/sim/batch.test.ts',
  'test/contract/script-options.nightly.test.ts',
];

const isLong = ({ moduleId }: TestSpecification): boolean => LONG.includes(relative(process.cwd(), moduleId));
const sharesWorld = ({ moduleId }: TestSpecification): boolean =>
  readFileSync(moduleId, 'utf8').includes('sharedWorld(');

export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sharing = new Set(files.filter(sharesWorld));
    // Files of one lane are adjacent, so that they can share a worker's modules. Those that share its world come last:
    // an unused world takes 0.03 s of processor time per second, and its worker ends with them.
    const sorted = (await super.sort(files)).sort(
      (a, b) => a.project.name.localeCompare(b.project.name) || Number(sharing.has(a)) - Number(sharing.has(b)),
    );
    return [...sorted.filter(isLong), ...sorted.filter((file) => !isLong(file))];
  }
}
