import { fileURLToPath } from 'node:url';
import { ERROR_CATALOGUE, type ErrorCode } from '@causeway/core';
import { expect, it } from 'vitest';
import { repositoryFiles, withoutComments } from '../support/repository.js';
import { type CodeRow, ERROR_CODE_TABLE } from './error-code-table.js';

const codes = Object.keys(ERROR_CATALOGUE) as ErrorCode[];
const rows: readonly (readonly [ErrorCode, CodeRow])[] = codes.map((code) => [code, ERROR_CODE_TABLE[code]]);
const sources = new Map(repositoryFiles(/\.ts$/).map((file) => [file.path, withoutComments(file.text)]));

it.each(rows)('%s has a producer and a test that see it, or a reason why no one answers with it yet', (code, row) => {
  if ('later' in row) {
    expect(row.later.trim()).not.toBe('');
    // A fail reason may have the same name: only constructed errors count.
    const made = new RegExp(`(apiError\\(|ApiError\\(|code: )\\s*'${code}'`);
    const product = [...sources].filter(([path]) => /^(core|plugins\/[^/]+)\/src\//.test(path));
    expect(product.filter(([, text]) => made.test(text)).map(([path]) => path)).toEqual([]);
    return;
  }
  // A row of the interface is a test too: `test/contract/interface.test.ts` runs them all.
  expect(row.test).toMatch(/(\.test|^test\/contract\/interface\/[\w-]+)\.ts$/);
  for (const path of [row.producer, row.test]) expect(sources.get(path), path).toContain(`'${code}'`);
});

it('core/docs/error-codes.md is what the table says', async () => {
  const lines = rows.map(([code, row]) => {
    const { status, retriable, message } = ERROR_CATALOGUE[code];
    const given = 'later' in row ? `not yet: ${row.later} |` : `\`${row.producer}\` | \`${row.test}\``;
    return `| \`${code}\` | ${status} | ${retriable ? 'yes' : 'no'} | ${message} | ${given} |`;
  });
  const page = `# Error codes

Every \`errorCode\`, its HTTP status, whether the same request may succeed later, who answers with it and the test that
sees it answered. Generated from \`test/contract/error-code-table.ts\`; \`npx vitest run test/contract/error-codes.test.ts -u\`
writes it again.

| code | status | retriable | says | producer | test |
|---|---|---|---|---|---|
${lines.join('\n')}
`;
  await expect(page).toMatchFileSnapshot(fileURLToPath(new URL('../../core/docs/error-codes.md', import.meta.url)));
});
