import { readdirSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { apiReport, entriesOfCore } from '../support/api-report.js';
import { ROOT } from '../support/repository.js';

const FOLDER = `${ROOT}core/api`;
const nameOf = (entry: string) => [entry === '.' ? 'core' : entry.slice('./'.length), 'api', 'md'].join('.');

describe('the public surface of core', () => {
  it.each(entriesOfCore())('is what its report says: $entry', async ({ entry, types }) => {
    await expect(apiReport(entry, types)).toMatchFileSnapshot(`${FOLDER}/${nameOf(entry)}`);
  });

  it('has no report of what is no entry', () => {
    const names = entriesOfCore().map(({ entry }) => nameOf(entry));
    const reports = readdirSync(FOLDER).filter((name) => name !== 'README.md');
    expect(reports.filter((name) => !names.includes(name))).toEqual([]);
  });
});
