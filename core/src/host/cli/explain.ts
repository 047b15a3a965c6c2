import { ADMIN_FLAGS, ADMIN_OPTIONS, adminTarget, callService } from './admin-client.js';
import { readArguments } from './arguments.js';
import { type Command, EXIT, UsageError } from './command.js';
import { printReport } from './output.js';

interface Timeline {
  readonly requestId: string;
  readonly status: string;
  readonly waitsFor?: string;
  readonly truncated: boolean;
  readonly entries: readonly TimelineLine[];
}

interface TimelineLine {
  readonly at: number;
  readonly text: string;
}

export const explain: Command = {
  name: 'explain',
  help: `causeway explain REQUEST_ID [--json]

The history of a request, in order: the quote with its prices, each deposit and what its value needs, what was decided,
each transaction with its key, holds, status changes and what was posted to endpoints; then what it waits for.

  --json         as GET /requests/{id}/timeline answers
${ADMIN_OPTIONS}`,

  async run(args) {
    const parsed = readArguments(args, {
      flags: { ...ADMIN_FLAGS, json: { type: 'boolean' } },
      positionals: ['REQUEST_ID'],
    });
    const [id = ''] = parsed.positionals;
    if (!/^0x[0-9a-fA-F]{64}$/.test(id)) throw new UsageError('REQUEST_ID is 0x and 64 hex digits');
    const timeline = await callService<Timeline>(await adminTarget(parsed), `requests/${id}/timeline`);
    printReport(parsed, timeline, () => explained(timeline));
    return EXIT.ok;
  },
};

export function explained({ requestId, status, waitsFor, truncated, entries }: Timeline): readonly string[] {
  return [
    `request ${requestId} is ${status}`,
    ...entries.map(({ at, text }) => `  ${new Date(at).toISOString()}  ${harmless(text)}`),
    ...(truncated ? ['  … and more'] : []),
    ...(waitsFor === undefined ? [] : [`it waits: ${harmless(waitsFor)}`]),
  ];
}

/** Without what a terminal obeys: symbols and reasons may come from others. */
function harmless(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, ' ');
}
