import ts from 'typescript';
import { EXTERNAL_CALLS, PORT_NAMES, type PortKind } from '../../core/src/ports/external-calls.js';
import { repositoryFiles, type SourceFile } from './repository.js';

/** A change set whose name is built at run time: discovery cannot know it. */
export interface Nameless {
  readonly where: string;
  readonly name: string;
}

export interface DiscoveredSets {
  readonly names: readonly string[];
  readonly nameless: readonly Nameless[];
}

/** Position of the name: these commit under a name that they are given. */
const COMMITS = new Map([
  ['commit', 1],
  ['decideAndCommit', 1],
  ['decideOnLeg', 1],
  ['toChangeSet', 0],
  ['replaceMeta', 1],
]);

/** Pass on names that others give them. */
const FORWARDS = [
  'core/src/domain/meta-rows.ts',
  'core/src/engine/base/context.ts',
  'core/src/engine/base/unit-of-work.ts',
  'core/src/engine/payouts/decide-on-leg.ts',
  'core/src/leases/lease-keeper.ts',
];

const productFiles = () => repositoryFiles(/^(core|plugins\/[^/]+)\/src\/(?!testing\/).*\.ts$/);

/** Names of all change sets that product code commits, from its syntax. */
export function discoverSets(files: readonly SourceFile[] = productFiles()): DiscoveredSets {
  const names = new Set<string>();
  const nameless: Nameless[] = [];
  for (const file of files) {
    if (FORWARDS.includes(file.path)) continue;
    for (const name of namesIn(file)) {
      if (ts.isStringLiteral(name)) {
        // An empty one queries what a unit of work would write; it is never applied.
        if (name.text !== '') names.add(name.text);
      } else {
        nameless.push({ where: file.path, name: name.getText() });
      }
    }
  }
  return { names: [...names].sort(), nameless };
}

function namesIn(file: SourceFile): readonly ts.Expression[] {
  const source = ts.createSourceFile(file.path, file.text, ts.ScriptTarget.Latest, true);
  const found: ts.Expression[] = [];
  const followed = new Set<ts.Expression>();
  const add = (name: ts.Expression): void => {
    const handed = handedTo(name, source);
    if (handed === undefined) return void found.push(name);
    for (const one of handed) {
      if (followed.has(one)) continue;
      followed.add(one);
      add(one);
    }
  };
  const visit = (node: ts.Node): void => {
    if (ts.isCallExpression(node)) {
      const called = node.expression;
      const method = ts.isPropertyAccessExpression(called) ? called.name.text : called.getText();
      const name = node.arguments[COMMITS.get(method) ?? -1];
      if (name !== undefined) add(name);
    }
    if (ts.isObjectLiteralExpression(node)) {
      const field = (key: string) => node.properties.find((one) => one.name?.getText() === key);
      const name = field('name');
      // A literal set: `{ name, changes }`.
      if (name !== undefined && field('changes') !== undefined)
        add(ts.isPropertyAssignment(name) ? name.initializer : (name.name as ts.Identifier));
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

/**
 * The arguments of all calls of a file's function for the parameter that is the name. Undefined when the name is not
 * a parameter of a named function.
 */
function handedTo(name: ts.Expression, source: ts.SourceFile): readonly ts.Expression[] | undefined {
  if (!ts.isIdentifier(name)) return undefined;
  for (let node: ts.Node = name; node !== source; node = node.parent) {
    if (!ts.isArrowFunction(node) && !ts.isFunctionDeclaration(node)) continue;
    const index = node.parameters.findIndex((parameter) => parameter.name.getText() === name.text);
    const named = ts.isArrowFunction(node) && ts.isVariableDeclaration(node.parent) ? node.parent.name : node.name;
    if (index < 0 || named === undefined) continue;
    return callsOf(named.getText(), source).flatMap((call) => call.arguments[index] ?? []);
  }
  return undefined;
}

function callsOf(name: string, source: ts.SourceFile): readonly ts.CallExpression[] {
  const found: ts.CallExpression[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isCallExpression(node) && node.expression.getText() === name) found.push(node);
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

/** Every crash point: before and after each port call, and each change set by name. Sorted. */
export function discoverPoints(): readonly string[] {
  const calls = Object.entries(EXTERNAL_CALLS).flatMap(([kind, methods]) =>
    Object.entries(methods)
      .filter(([method, what]) => what !== 'read' && method !== 'apply')
      .map(([method]) => `${PORT_NAMES[kind as PortKind]}.${method}`),
  );
  const sets = discoverSets().names.map((name) => `${PORT_NAMES.stores}.${name}`);
  return [...calls, ...sets].flatMap((name) => [`${name}.before`, `${name}.after`]).sort();
}
