import { createHash } from 'node:crypto';
import { orUsage } from '../support/script-options.js';
import { keep, keptRequests } from './kept.js';
import type { Report } from './lane.js';
import { type FuzzOptions, fuzzOptions, USAGE } from './options.js';

const WITHIN_MS = 10_000;

async function run(options: FuzzOptions): Promise<Report> {
  // After the options, so that a wrong one is refused at once: chains take seconds to load.
  const [{ fuzz }, { serviceTarget }] = await Promise.all([import('./lane.js'), import('./service-target.js')]);
  const { seed, requests, from, at, connections } = options;
  const service = await serviceTarget();
  try {
    const all = keptRequests();
    const one = options.kept === null ? undefined : all.get(options.kept);
    if (options.kept !== null && !one) throw new Error(`nothing is kept as ${options.kept}`);
    const kept = one ? [one.request] : at === null ? [...all.values()].map(({ request }) => request) : [];
    const share = one ? { from: 0, requests: 0 } : at === null ? { from, requests } : { from: at, requests: 1 };
    const report = await fuzz(service.target, { seed, ...share, connections, withinMs: WITHIN_MS, kept });
    for (const complaint of service.complaints()) process.stdout.write(`logged: ${complaint}\n`);
    return report;
  } finally {
    await service.close();
  }
}

const options = orUsage(USAGE, () => fuzzOptions(process.argv.slice(2)));
const report = await run(options);
const { reportText } = await import('./report.js');
process.stdout.write(`${reportText(report)}\n`);
if (options.keep !== null) {
  for (const { rule, least } of report.findings) {
    const name = createHash('sha256').update(JSON.stringify(least)).digest('hex').slice(0, 8);
    keep(`${rule.replaceAll(' ', '-')}-${least.operation}-${name}`, { why: options.keep, request: least });
  }
}
process.exitCode = report.findings.length > 0 || report.memory?.grown !== undefined ? 1 : 0;
