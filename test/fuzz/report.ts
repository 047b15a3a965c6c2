import type { Finding, Report } from './lane.js';
import { mb } from './memory.js';
import { replayCommand } from './options.js';
import { bytesOf } from './request.js';

export function reportText(report: Report): string {
  const { requests, seconds, answers, refused, dropped, memory, findings } = report;
  const rate = Math.round(requests / seconds);
  const lines = [
    `${requests} requests in ${seconds.toFixed(1)} s (${rate}/s), ${refused} refused for load, ${dropped} closed without an answer`,
  ];
  for (const [operation, statuses] of [...answers].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const counts = [...statuses].sort(([a], [b]) => a - b).map(([status, count]) => `${status}: ${count}`);
    lines.push(`  ${operation.padEnd(22)} ${counts.join(', ')}`);
  }
  if (memory) {
    const { before, after } = memory;
    const pairs = (['heap', 'external', 'rss'] as const).map(
      (kind) => `${kind} ${mb(before[kind])} -> ${mb(after[kind])}`,
    );
    lines.push(`memory after warm-up and at the end: ${pairs.join(', ')}`);
  }
  return [...lines, ...findings.map(findingText)].join('\n');
}

export function findingText(finding: Finding): string {
  const { rule, message, least, times } = finding;
  const bytes = Buffer.concat(bytesOf(least, {})).toString('latin1');
  const shown = JSON.stringify(bytes.length > 2_000 ? `${bytes.slice(0, 2_000)}…` : bytes);
  return `${rule} (${times} times): ${message}\n  least: ${shown}\n  again: ${replayCommand(finding)}`;
}
