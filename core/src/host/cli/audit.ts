import type { AuditReport } from '../../engine/index.js';
import { ADMIN_FLAGS, ADMIN_OPTIONS, adminTarget, callAdmin } from './admin-client.js';
import { readArguments } from './arguments.js';
import { auditLines } from './audit-lines.js';
import { type Command, EXIT } from './command.js';
import { print } from './output.js';

export const audit: Command = {
  name: 'audit',
  help: `causeway audit [CONFIG] [--json]

Holds the books of a running service against its chains: each pot's ledger balance against its balance on chain, with
the name of what explains a difference; every request that is not settled and why; every hold; every halted lane.
Ends with 0 when nothing is missing and nothing needs an operator, else with 1. What arrived from outside is booked within
minutes; until then it is reported as such, and no reason to end with 1.

A CONFIG says where the service listens and what its admin key is; the local build is found without one.

  --json         the report as JSON
${ADMIN_OPTIONS}`,

  async run(args) {
    const parsed = readArguments(args, {
      flags: { ...ADMIN_FLAGS, json: { type: 'boolean' } },
      positionals: ['CONFIG'],
      optional: 1,
    });
    const report = await callAdmin<AuditReport>(await adminTarget(parsed, parsed.positionals[0]), 'audit');
    const { lines, sound } = auditLines(report);
    if (parsed.flags['json'] === true) print(JSON.stringify(report, null, 2));
    else for (const line of lines) print(line);
    return sound ? EXIT.ok : EXIT.failed;
  },
};
