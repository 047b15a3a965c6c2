import type { Finding } from './findings.js';

const IN_ORDER = ['provider', 'fund', 'setUp', 'stock'] as const;

/** Remedies of the findings, in an order in which each is possible. */
export function stepsOf(findings: readonly Finding[]): readonly string[] {
  const wrong = findings.filter(({ ok }) => !ok);
  const of = (remedy: Finding['remedy']) => wrong.filter((finding) => finding.remedy === remedy);
  const each = (remedy: Finding['remedy']) => of(remedy).map(({ name, message }) => `${name}: ${message}`);
  const [provider, fund, setUp, stock] = IN_ORDER;
  const lacks = [...new Set(of(setUp).map(({ name }) => name))];
  return [
    ...each(provider),
    ...each(undefined),
    ...each(fund),
    ...(lacks.length === 0 ? [] : [`${lacks.join(', ')}: run \`causeway setup --write\` to create them`]),
    ...each(stock),
  ];
}
