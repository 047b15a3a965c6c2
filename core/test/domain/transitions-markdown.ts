import { TRANSITIONS } from '../../src/domain/transition-table.js';

const code = (items: readonly string[]) => items.map((item) => `\`${item}\``).join(', ');

/** The published page; see transitions.test.ts. */
export function transitionsMarkdown(): string {
  const rows = TRANSITIONS.map((row) =>
    [
      code(row.from),
      `\`${row.trigger}\`${row.guard === null ? '' : ` (\`${row.guard}\`)`}`,
      `\`${row.to}\``,
      row.when,
      code(row.evidence),
      code(row.reasons),
      row.source,
    ].join(' | '),
  );
  return `# Status changes of a request

Generated from \`core/src/domain/transition-table.ts\`; \`npx vitest run -u core/test/domain/transitions.test.ts\` writes it again.

A change that is not in the table is refused: it is logged and counted, and the status stays. A row to \`failure\` needs
proof of one of the kinds named. Rows marked \`interface\` are the interface's own, the others are decided here.

| from | trigger | to | when | proof | failReason | source |
|---|---|---|---|---|---|---|
${rows.map((row) => `| ${row} |`).join('\n')}

What changes no status:

- A fill that a reorg dropped: the same bytes are sent again.
- A request that cannot be filled, until its refund leg is final: it stays \`pending\`.
- More than the quoted amount: the quoted amount is filled, the excess is refunded by a separate leg.
- Another deposit for the same request: it becomes a separate request and is refunded.
`;
}
