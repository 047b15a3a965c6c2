import type { ProbeResult } from '../../contract/probes.js';
import type { LoadedConfig } from '../config/load-config.js';
import { type ConfigProblem, shortPath } from '../config/problems.js';

export interface Finding {
  readonly ok: boolean;
  readonly level: 'error' | 'warning';
  readonly name: string;
  readonly message: string;
  readonly place?: ConfigProblem;
  readonly remedy?: ProbeResult['remedy'];
}

export function good(name: string, message: string): Finding {
  return { ok: true, level: 'error', name, message };
}

export function bad(level: 'error' | 'warning', name: string, message: string, place?: ConfigProblem): Finding {
  return { ok: false, level, name, message, ...(place === undefined ? {} : { place }) };
}

/** Findings with their config lines, redacted. */
export function reportLines(findings: readonly Finding[], config: LoadedConfig): readonly string[] {
  return findings.map(({ ok, level, name, message, place }) => {
    const mark = ok ? 'ok     ' : level === 'error' ? 'ERROR  ' : 'warning';
    const where = ok || place === undefined ? '' : `  (${shortPath(place.file)}:${place.line} ${place.path})`;
    return config.redactor.clean(`${mark}  ${name}: ${message}${where}`);
  });
}
