import type { AuditPot, AuditReport } from '../../engine/index.js';

/** What an operator reads, and whether there is nothing for an operator to do. */
export interface AuditText {
  readonly lines: readonly string[];
  readonly sound: boolean;
}

export function auditLines(report: AuditReport): AuditText {
  const { requests, holds, lanes, orphans } = report;
  const halted = lanes.filter((lane) => lane.halted !== null);
  const sound = report.balanced && holds.length === 0 && halted.length === 0 && orphans.length === 0;
  const lines = [
    ...section('pots', ['account', 'ledger', 'chain', 'difference', 'drift'], report.pots.map(potCells)),
    ...section('currencies whose accounts do not sum to zero', ['currency', 'sum'], unbalanced(report)),
    ...section(
      'lanes',
      ['lane', 'position', 'open keys', 'state'],
      lanes.map(({ id, position, openKeys, halted: why }) => [
        id,
        position,
        String(openKeys),
        why === null ? 'runs' : `HALTED: ${why}`,
      ]),
    ),
    ...section(
      'not settled',
      ['request', 'status', 'since', 'route', 'why'],
      requests.map((request) => [
        request.id,
        request.status,
        new Date(request.since).toISOString(),
        `${request.originChainId} -> ${request.destinationChainId}`,
        request.why,
      ]),
    ),
    ...(report.unsettled > requests.length ? [`  … and ${report.unsettled - requests.length} more`, ''] : []),
    ...section(
      'held for an operator',
      ['hold', 'chain', 'currency', 'amount', 'reason'],
      holds.map((hold) => [hold.id, String(hold.chainId), hold.currency, hold.amount, hold.reason]),
    ),
    ...section(
      'not served by this config',
      ['what', 'count'],
      orphans.map(({ what, count }) => [what, String(count)]),
    ),
    summary(report, halted.length),
  ];
  return { lines, sound };
}

function potCells({ account, ledger, chain, difference, drift }: AuditPot): readonly string[] {
  return [account, ledger, chain ?? '-', difference ?? '-', drift ?? ''];
}

function unbalanced({ sums }: AuditReport): readonly (readonly string[])[] {
  return sums.filter(({ sum }) => sum !== '0').map(({ currency, sum }) => [currency, sum]);
}

function summary(report: AuditReport, halted: number): string {
  const books = report.balanced ? 'the books balance' : 'THE BOOKS DO NOT BALANCE';
  const drifting = report.pots.filter(({ drift }) => drift !== null).length;
  return `${books}: ${report.pots.length} pots, ${drifting} with drift; ${report.unsettled} requests not settled, ${report.holds.length} holds, ${halted} halted lanes`;
}

/** A headed table; nothing where there are no rows. */
function section(title: string, head: readonly string[], rows: readonly (readonly string[])[]): string[] {
  if (rows.length === 0) return [];
  const widths = head.map((name, at) => Math.max(name.length, ...rows.map((row) => (row[at] ?? '').length)));
  const line = (cells: readonly string[]) =>
    `  ${cells.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join('  ')}`.trimEnd();
  return [title, line(head), ...rows.map(line), ''];
}
