import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { ROOT } from './repository.js';

export interface AlertRule {
  readonly alert: string;
  readonly expr: string;
  readonly labels: { readonly severity: string };
  readonly annotations: { readonly summary: string; readonly runbook: string };
}

export interface Panel {
  readonly title: string;
  readonly queries: readonly string[];
}

export const ALERTS_FILE = `${ROOT}config/deploy/alerts.yaml`;

export function alertRules(): readonly AlertRule[] {
  const file = parse(readFileSync(ALERTS_FILE, 'utf8')) as { readonly groups: readonly { rules: AlertRule[] }[] };
  return file.groups.flatMap(({ rules }) => rules);
}

/** Rows have no queries and are left out. */
export function panels(): readonly Panel[] {
  const file = JSON.parse(readFileSync(`${ROOT}config/deploy/grafana.json`, 'utf8')) as {
    readonly panels: readonly { title: string; targets?: readonly { expr: string }[] }[];
  };
  return file.panels.flatMap(({ title, targets }) =>
    targets === undefined ? [] : [{ title, queries: targets.map(({ expr }) => expr) }],
  );
}

/** Names of metrics in an expression, without the endings that histograms add. */
export function metricsIn(expression: string): readonly string[] {
  const names = expression.match(/causeway_[a-z0-9_]+/g) ?? [];
  return [...new Set(names.map((name) => name.replace(/_seconds_(bucket|count|sum)$/, '_seconds')))];
}
