import ts from 'typescript';
import { type Operator, type Replacement, replacementOf } from './operators.js';

/** A place where a guard stands. */
export interface Marker {
  readonly name: string;
  /** Relative to the root. */
  readonly file: string;
  /** Where what it marks begins. */
  readonly at: number;
  readonly line: number;
}

/** Files of the product that may have markers. */
export const MARKED = /^(?:core|plugins\/[^/]+)\/(?:src|contracts)\/.*\.(?:ts|sol)$/;

const MARKER = /^[ \t]*\/\/ guard: ([a-z0-9-]+)$|\/\* guard: ([a-z0-9-]+) \*\//gm;

export function markersOf(file: string, text: string): readonly Marker[] {
  return [...text.matchAll(MARKER)].map((match) => {
    const behind = match.index + match[0].length;
    const [space = ''] = /^(?:\s|\/\/[^\n]*\n|\/\*[\s\S]*?\*\/)*/.exec(text.slice(behind)) ?? [];
    const line = text.slice(0, match.index).split('\n').length;
    return { name: match[1] ?? match[2] ?? '', file, at: behind + space.length, line };
  });
}

export type Applied = { readonly ok: true; readonly text: string } | { readonly ok: false; readonly why: string };

/** The text of a file without the guards that stand at these places of it. */
export function without(how: Operator, markers: readonly Marker[], text: string): Applied {
  const [first] = markers;
  if (first === undefined) return { ok: false, why: 'nothing is marked' };
  const source = first.file.endsWith('.sol') ? undefined : parse(first.file, text);
  const replacements: Replacement[] = [];
  for (const { file, line, at } of markers) {
    const refused = (why: string): Applied => ({ ok: false, why: `${file}:${line}: ${why}` });
    const node = source && nodeAt(source, at);
    if (source && node === undefined) return refused('the marker is above no statement and before no expression');
    const found = source && node ? replacementOf(how, node, source) : inContract(how, text, at);
    if (typeof found === 'string') return refused(found);
    replacements.push(found);
  }
  let changed = text;
  for (const { start, end, text: by } of [...replacements].sort((a, b) => b.start - a.start))
    changed = changed.slice(0, start) + by + changed.slice(end);
  if (changed === text) return { ok: false, why: `${first.file}:${first.line}: ${how} changes nothing` };
  const broken = first.file.endsWith('.sol') ? undefined : syntaxErrorOf(first.file, changed);
  if (broken !== undefined)
    return { ok: false, why: `${first.file}:${first.line}: ${how} leaves no program: ${broken}` };
  return { ok: true, text: changed };
}

function parse(file: string, text: string): ts.SourceFile {
  return ts.createSourceFile(file, text, ts.ScriptTarget.ESNext, true);
}

/** The statement that begins there; else the element of a list or the expression, the widest of them. */
function nodeAt(source: ts.SourceFile, at: number): ts.Node | undefined {
  let found: ts.Node | undefined;
  const visit = (node: ts.Node): void => {
    if (found !== undefined || node.getStart(source) > at || node.getEnd() <= at) return;
    const isMarked = ts.isStatement(node) || ts.isExpression(node) || ts.isPropertyAssignment(node) || isProperty(node);
    if (node.getStart(source) === at && isMarked) found = node;
    else node.forEachChild(visit);
  };
  source.forEachChild(visit);
  return found;
}

function isProperty(node: ts.Node): boolean {
  return ts.isSpreadAssignment(node) || ts.isShorthandPropertyAssignment(node);
}

function syntaxErrorOf(file: string, text: string): string | undefined {
  const { diagnostics = [] } = ts.transpileModule(text, { fileName: file, reportDiagnostics: true });
  const [first] = diagnostics;
  return first && ts.flattenDiagnosticMessageText(first.messageText, ' ');
}

/** In Solidity only the condition of an `if` can be made false; it stays in the text, so that the compiler warns of nothing. */
function inContract(how: Operator, text: string, at: number): Replacement | string {
  if (how !== 'never' || !text.startsWith('if (', at)) return 'in contracts only `never` of an `if` is known';
  const start = at + 'if ('.length;
  let end = start;
  for (let depth = 1; depth > 0 && end < text.length; end += 1) {
    if (text[end] === '(') depth += 1;
    if (text[end] === ')') depth -= 1;
  }
  return { start, end: end - 1, text: `false && (${text.slice(start, end - 1)})` };
}
