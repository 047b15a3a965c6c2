import ts from 'typescript';
import { repositoryFiles, type SourceFile } from './repository.js';

type Kind = 'counter' | 'gauge' | 'histogram';

export interface FoundMetric {
  readonly name: string;
  readonly kind: Kind;
  /** Sorted; undefined where they are not literal at the call. */
  readonly labels: readonly string[] | undefined;
  readonly where: string;
}

export interface FoundMetrics {
  readonly metrics: readonly FoundMetric[];
  /** Calls whose name or owner cannot be read from the source. */
  readonly unreadable: readonly string[];
}

const KINDS = new Map<string, { readonly kind: Kind; readonly ending: string }>([
  ['count', { kind: 'counter', ending: '_total' }],
  ['gauge', { kind: 'gauge', ending: '' }],
  ['observe', { kind: 'histogram', ending: '_seconds' }],
]);

/** Owner of metrics by folder; `<plugin>` is the plugin that uses it. */
const OWNERS: readonly (readonly [RegExp, string])[] = [
  [/^core\/src\/(?:engine|leases|capabilities)\//, 'engine'],
  [/^core\/src\/events\//, 'dispatcher'],
  [/^core\/src\/api\//, 'api'],
  [/^core\/src\/observability\//, 'core'],
  [/^core\/src\/screening\//, 'screening'],
  [/^core\/src\/store\//, 'store'],
  [/^core\/src\/(?:rpc|prices)\//, '<plugin>'],
  [/^plugins\/[^/]+\/src\//, ''],
];

const productFiles = () =>
  repositoryFiles(/^(core|plugins\/[^/]+)\/src\/(?!testing\/|generated\/)(?!.*\/generated\/).*\.ts$/);

export function discoverMetrics(files: readonly SourceFile[] = productFiles()): FoundMetrics {
  const metrics: FoundMetric[] = [];
  const unreadable: string[] = [];
  for (const file of files) {
    if (!/\.(?:count|gauge|observe)\(/.test(file.text)) continue;
    const source = ts.createSourceFile(file.path, file.text, ts.ScriptTarget.Latest, true);
    for (const call of callsIn(source)) {
      const line = source.getLineAndCharacterOfPosition(call.getStart()).line + 1;
      const where = `${file.path}:${line}`;
      const found = metricOf(file.path, call);
      if (found) metrics.push({ ...found, where });
      else unreadable.push(`${where}: ${call.getText().slice(0, 80)}`);
    }
  }
  return { metrics, unreadable };
}

type MetricCall = ts.CallExpression & { readonly expression: ts.PropertyAccessExpression };

/** Calls on anything named metrics, and all with a name and a help text. */
function callsIn(source: ts.SourceFile): readonly MetricCall[] {
  const found: MetricCall[] = [];
  const visit = (node: ts.Node): void => {
    if (isMetricCall(node)) found.push(node);
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

function isMetricCall(node: ts.Node): node is MetricCall {
  if (!ts.isCallExpression(node) || !ts.isPropertyAccessExpression(node.expression)) return false;
  const { name, expression } = node.expression;
  if (!KINDS.has(name.text)) return false;
  const [first, second] = node.arguments;
  const named = first !== undefined && ts.isStringLiteralLike(first) && second !== undefined;
  return named || /(?:^|[.#])metrics$/i.test(expression.getText());
}

function metricOf(path: string, call: MetricCall): Omit<FoundMetric, 'where'> | undefined {
  const reported = KINDS.get(call.expression.name.text);
  const [name] = call.arguments;
  const owner = ownerOf(path);
  if (!reported || !name || !ts.isStringLiteralLike(name) || owner === undefined) return undefined;
  const base = reported.ending === '' ? name.text : name.text.replace(/_(?:ms|milliseconds|seconds|total)$/, '');
  const labels = call.arguments[reported.kind === 'counter' ? 2 : 3];
  return { name: `causeway_${owner}_${base}${reported.ending}`, kind: reported.kind, labels: labelsIn(labels) };
}

function ownerOf(path: string): string | undefined {
  const owner = OWNERS.find(([folder]) => folder.test(path))?.[1];
  return owner === '' ? path.split('/')[1]?.replace(/[^a-zA-Z0-9_]/g, '_') : owner;
}

function labelsIn(node: ts.Expression | undefined): readonly string[] | undefined {
  if (node === undefined) return [];
  if (!ts.isObjectLiteralExpression(node)) return undefined;
  const names = node.properties.map((property) => property.name?.getText());
  return names.every((name) => name !== undefined) ? names.sort() : undefined;
}
