import { fileURLToPath } from 'node:url';
import { FAIL_REASONS, type FailReason, REFUND_FAIL_REASONS, type RefundFailReason } from '@causeway/core';
import { describe, expect, it } from 'vitest';
import { repositoryFiles, withoutComments } from '../support/repository.js';
import { FAIL_REASON_TABLE, REFUND_FAIL_REASON_TABLE, type Row } from './reason-table.js';

type Entry = readonly [reason: FailReason | RefundFailReason, row: Row];

const fail: readonly Entry[] = FAIL_REASONS.map((reason) => [reason, FAIL_REASON_TABLE[reason]]);
const refund: readonly Entry[] = REFUND_FAIL_REASONS.map((reason) => [reason, REFUND_FAIL_REASON_TABLE[reason]]);
const sources = new Map(repositoryFiles(/\.ts$/).map((file) => [file.path, withoutComments(file.text)]));

function names(path: string, reason: string): boolean {
  return sources.get(path)?.includes(`'${reason}'`) ?? false;
}

describe.each([
  ['failReason', fail],
  ['refundFailReason', refund],
])('every %s', (_, entries) => {
  it('has a row, and no row is blank', () => {
    for (const [reason, row] of entries) {
      const texts = 'filterOnly' in row ? [row.filterOnly] : [row.producer, row.test];
      for (const text of texts) expect(text.trim(), reason).not.toBe('');
    }
  });

  it('that is produced is named by its producer and by its test', () => {
    for (const [reason, row] of entries) {
      if ('filterOnly' in row) continue;
      expect(names(row.producer, reason), `${reason} in ${row.producer}`).toBe(true);
      expect(row.test, reason).toMatch(/\.test\.ts$/);
      expect(names(row.test, reason), `${reason} in ${row.test}`).toBe(true);
    }
  });
});

/** Files that name reasons without giving one. */
const SPEAKS = /^core\/src\/(errors|testing)\/|transition-table\.ts$|transfer-check\.ts$|routes\/execute\.ts$/;

const product = () => [...sources].filter(([path]) => /^(core|plugins\/[^/]+)\/src\//.test(path) && !SPEAKS.test(path));

// Some names are also quote error codes.
it('a failReason that is accepted as filter only is given by no one', () => {
  const refunds: ReadonlySet<string> = new Set(REFUND_FAIL_REASONS);
  for (const [reason, row] of fail) {
    if (!('filterOnly' in row) || refunds.has(reason)) continue;
    const givers = product()
      .filter(([, text]) => text.replaceAll(`apiError('${reason}'`, '').includes(`'${reason}'`))
      .map(([path]) => path);
    expect(givers, reason).toEqual([]);
  }
});

it('a refundFailReason that is accepted as filter only is given by no one', () => {
  const fails: ReadonlySet<string> = new Set(FAIL_REASONS);
  for (const [reason, row] of refund) {
    if (!('filterOnly' in row) || fails.has(reason)) continue;
    const givers = product()
      .filter(([, text]) => text.includes(`'${reason}'`))
      .map(([path]) => path);
    expect(givers, reason).toEqual([]);
  }
});

function markdown(title: string, entries: readonly Entry[]): string {
  const rows = entries.map(([reason, row]) =>
    'filterOnly' in row
      ? `| \`${reason}\` | accepted as filter only: ${row.filterOnly} | |`
      : `| \`${reason}\` | \`${row.producer}\` | \`${row.test}\` |`,
  );
  return `## ${title}\n\n| value | producer | test |\n|---|---|---|\n${rows.join('\n')}\n`;
}

it('core/docs/fail-reasons.md is what the table says', async () => {
  const page = `# Why requests fail

Every value of the interface's two enums, who gives it and the test that sees it given. Generated from
\`test/contract/reason-table.ts\`; \`npx vitest run -u test/contract/reasons.test.ts\` writes it again.

${markdown('failReason', fail)}
${markdown('refundFailReason', refund)}`;
  await expect(page).toMatchFileSnapshot(fileURLToPath(new URL('../../core/docs/fail-reasons.md', import.meta.url)));
});
