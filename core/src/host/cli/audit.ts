import type { AuditReport } from '../../engine/index.js';
import { ADMIN_OPTIONS, adminTarget, callAdmin, REPORT_ARGUMENTS } from './admin-client.js';
import { readArguments } from './arguments.js';
import { auditLines } from './audit-lines.js';
import { type Command, EXIT } from './command.js';
import { printReport } from './output.js';

export const audit: Command = {
  name: 'audit',
  help: `causeway audit [CONFIG] [--json]

Compares the books of a running service with its chains: the booked balance of each account with its balance on chain, and the
cause of each difference. Also lists every request that is not settled and why, every hold and every halted lane.
Exit code 0: nothing is missing and nothing needs an operator. Otherwise 1. Funds that arrived from outside are booked within
minutes; until then they are listed, and do not change the exit code.

CONFIG provides the address and the admin key of the service (default: ./causeway.yaml, or the local build).

  --json         print the report as JSON
${ADMIN_OPTIONS}`,

  async run(args) {
    const parsed = readArguments(args, REPORT_ARGUMENTS);
    const report = await callAdmin<AuditReport>(await adminTarget(parsed, parsed.positionals[0]), 'audit');
    const { lines, sound } = auditLines(report);
    printReport(parsed, report, () => lines);
    return sound ? EXIT.ok : EXIT.failed;
  },
};
