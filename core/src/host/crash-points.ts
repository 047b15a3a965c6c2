import { openSync, writeSync } from 'node:fs';
import type { Logger } from '../contract/observability.js';
import type { PortKind, PortOf } from '../ports/external-calls.js';
import { type Around, stepThrough } from '../ports/step-through.js';

/** Environment: `CAUSEWAY_CRASH_AT=<name>[:n]` and `CAUSEWAY_CRASH_LOG=<file>`. */
export interface CrashSettings {
  readonly at: string | undefined;
  readonly log: string | undefined;
}

/** Adds crash points to the calls of a port, or returns it unchanged. */
export type Instrument = <K extends PortKind>(kind: K, port: PortOf<K>) => PortOf<K>;

const UNTOUCHED: Instrument = (_, port) => port;

/**
 * Crash points before and after every durable step and external call, `<port>.<call>.before` and `.after`. They are
 * added where ports enter the host, so no call lacks them. At the n-th reach of the chosen point the process sends
 * itself SIGKILL; the log gets a line `<ms since start> <name>` per point. Local networks only.
 */
export function crashPoints(
  settings: CrashSettings,
  network: 'mainnet' | 'testnet' | 'local',
  log: Logger,
): Instrument {
  if (!settings.at && !settings.log) return UNTOUCHED;
  if (network !== 'local') {
    log.warn({ network }, 'crash points are ignored: only local networks have them');
    return UNTOUCHED;
  }
  const end = ending(settings.at, log);
  const report = reporting(settings.log);
  const reach = (name: string) => {
    report(name);
    end(name);
  };
  const around: Around = async ({ name, kind }, call) => {
    if (kind === 'read') return call();
    reach(`${name}.before`);
    try {
      return await call();
    } finally {
      reach(`${name}.after`);
    }
  };
  return (kind, port) => stepThrough(kind, port, around);
}

function ending(setting: string | undefined, log: Logger): (name: string) => void {
  if (!setting) return () => {};
  const [, name, count] = /^(.*?)(?::(\d+))?$/.exec(setting) ?? [];
  let left = Number(count ?? 1);
  log.warn({ crashAt: name, count: left }, 'this process will end itself at a crash point');
  return (reached) => {
    if (reached !== name) return;
    left -= 1;
    if (left === 0) process.kill(process.pid, 'SIGKILL');
  };
}

/** Written before the process continues: the last line is what it was doing when it died. */
function reporting(file: string | undefined): (name: string) => void {
  if (!file) return () => {};
  const descriptor = openSync(file, 'a');
  return (name) => void writeSync(descriptor, `${Math.round(performance.now())} ${name}\n`);
}
