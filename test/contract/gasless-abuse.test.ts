import { expect, it } from 'vitest';
import { repositoryFiles, withoutComments } from '../support/repository.js';

const CELLS = 6;
const [page] = repositoryFiles(/core\/docs\/gasless-abuse\.md$/);
const rows = (page?.text ?? '')
  .split('\n')
  .filter((line) => line.startsWith('| ') && !line.startsWith('| who'))
  .map((line) =>
    line
      .slice(1, -1)
      .split('|')
      .map((cell) => cell.trim()),
  );

it('each case of abuse has a cost, both gains and a test that exists', () => {
  const files = new Map(repositoryFiles(/\.test\.ts$/).map(({ path, text }) => [path, withoutComments(text)]));
  expect(rows.length).toBeGreaterThan(35);
  for (const row of rows) {
    expect(row, row.join()).toHaveLength(CELLS);
    const [, file = '', title = ''] = /^`([^`]+)`: (.+)$/.exec(row.at(-1) ?? '') ?? [];
    const written = [`'${title}'`, `"${title}"`, `\`${title}\``];
    expect(
      written.some((one) => files.get(file)?.includes(one)),
      `${file}: ${title}`,
    ).toBe(true);
  }
});
