import { relative } from 'node:path';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Files that take longest in their lane, none of which should be left for the end while a worker has nothing else to do. */
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
  'test/faults/rpc.test.ts',
  'test/faults/postgres.test.ts',
  'test/sim/batch.test.ts',
  'test/contract/script-options.test.ts',
];

/** The order of files in a lane: a machine that never ran them has no times to go by. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    // Files of one lane follow each other where several run side by side: they can share the modules of a worker.
    const sorted = (await super.sort(files)).sort((a, b) => a.project.name.localeCompare(b.project.name));
    const isLong = ({ moduleId }: TestSpecification): boolean => LONG.includes(relative(process.cwd(), moduleId));
    return [...sorted.filter(isLong), ...sorted.filter((file) => !isLong(file))];
  }
}
