import { openSync, writeSync } from 'node:fs';
import type { Logger } from '../contract/observability.js';
import type { PortKind, PortOf } from '../ports/external-calls.js';
import { type Around, stepThrough } from '../ports/step-through.js';

/** `CAUSEWAY_CRASH_AT=<name>[:n]` and `CAUSEWAY_CRASH_LOG=<file>` of the environment. */
export interface CrashSettings {
  readonly at: string | undefined;
  readonly log: string | undefined;
}

/** Puts crash points around the calls of a port, or hands it back as it is. */
export type Instrument = <K extends PortKind>(kind: K, port: PortOf<K>) => PortOf<K>;

const UNTOUCHED: Instrument = (_, port) => port;

/**
 * Crash points before and after every durable step and external call, `<port>.<call>.before` and `.after`, made where
 * ports enter the host, so that no call can be without. At the n-th reach of the point that was asked for the process
 * ends itself with SIGKILL, so that nothing can tidy up; the log gets a line `<ms since start> <name>` for every point
 * reached. On local networks alone; without a setting the ports are what plugins gave.
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
  const tell = telling(settings.log);
  const reach = (name: string) => {
    tell(name);
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

/** Written before the process goes on: the newest line is what it was doing when it died. */
function telling(file: string | undefined): (name: string) => void {
  if (!file) return () => {};
  const descriptor = openSync(file, 'a');
  return (name) => void writeSync(descriptor, `${Math.round(performance.now())} ${name}\n`);
}
