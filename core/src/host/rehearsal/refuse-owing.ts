import type { Assembly } from '../assemble.js';
import type { Runtime } from '../compose-engine.js';
import { ConfigError } from '../config/problems.js';

export const REHEARSAL = 'this is a rehearsal: prices are given, quotes are refused, and nothing is signed or sent';

/** @throws ConfigError where a service has promised something in this database: a rehearsal would not pay it. */
export async function refuseOwing(
  { config }: Assembly,
  { engine }: { readonly engine: Pick<Runtime['engine'], 'openWork'> },
): Promise<void> {
  const open = await engine.openWork();
  // guard: rehearsal-owes-nothing
  if (open === 0) return;
  const message = `a rehearsal pays nothing, and ${open} payments, deposits or requests are open in this database`;
  const advice = 'use a database of its own for the rehearsal, or service.mode: serve';
  throw new ConfigError([config.problem(['service', 'mode'], message, advice)]);
}
