// Fails on words that the glossary (core/docs/glossary.md, rows marked "checked") avoids: in identifiers and comments of TypeScript,
// contracts and shell scripts, in messages of product code, kits and the simulation, in titles of tests, and in the prose of Markdown
// pages. A word in backticks is a whole identifier, in which `*` is any rest of it.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import ts from 'typescript';

const GLOSSARY = 'core/docs/glossary.md';
const FILES = ['*.ts', '*.tsx', '*.mjs', '*.js', '*.sol', '*.tolk', '*.sh', '.ci/*', '*.md'];
/** All texts of these are checked; of other tests only the titles, as their texts are mostly data. */
const MESSAGES = /^((core|plugins\/[^/]+(\/ui)?)\/src|core\/templates\/[^/]+|test\/sim)\//;
const TITLED = new Set(['describe', 'it', 'test']);
const IGNORED = /(^|\/)(generated|kept)\/|^core\/api\/|package-lock/;
/** Exported names, columns and fields that clients, plugins and databases know. */
const ALLOWED_NAMES = new Set(['besides', 'trouble', 'unfilledForGood']);
/** Between the words of a phrase: also the end of a line, with the marks that begin the next line of a comment. */
const GAP = String.raw`\s+(?:(?:\/\/+|\*|#|>)\s+)?`;

const rows = readFileSync(GLOSSARY, 'utf8').matchAll(/^\| ([^|]+) \| ([^|]+) \| checked \|$/gm);
const avoided = [...rows].flatMap(([, words, instead]) =>
  words.split(',').map((word) => ({ word: word.replace(/\([^)]*\)/g, '').trim(), instead })),
);
if (avoided.length === 0) throw new Error(`${GLOSSARY} names no checked words`);
const isIdentifier = ({ word }) => word.startsWith('`');
const pattern = new RegExp(
  `\\b(${avoided.flatMap((row) => (isIdentifier(row) ? [] : row.word.replaceAll(' ', GAP))).join('|')})\\b`,
  'gi',
);
const patternOfName = ({ word }) => new RegExp(`^${word.slice(1, -1).replace('*', String.raw`\w+`)}$`);
const names = avoided.filter(isIdentifier).map(patternOfName);

const findings = [];
const files = execFileSync('git', ['ls-files', ...FILES], { encoding: 'utf8' }).split('\n');
for (const file of files.filter((name) => name !== '' && name !== GLOSSARY && !IGNORED.test(name))) {
  const text = readFileSync(file, 'utf8');
  if (file.endsWith('.md')) checkProse(file, text);
  else if (/\.(sol|tolk)$/.test(file)) checkContract(file, text);
  else if (/\.(m?js|tsx?)$/.test(file)) checkCode(file, text);
  else checkShell(file, text);
}
for (const { file, line, word, where } of findings)
  console.log(`${file}:${line} ${where}: "${word}", write: ${insteadOf(word)}`);
console.log(findings.length === 0 ? 'plain words: nothing found' : `plain words: ${findings.length} found`);
process.exitCode = findings.length === 0 ? 0 : 1;

function checkProse(file, text) {
  const withoutCode = text.replace(/^\s*```[\s\S]*?^\s*```/gm, (code) => code.replace(/[^\n]/g, ''));
  report(file, 1, withoutCode.replace(/`[^`\n]*`|\]\([^)\n]*\)/g, ''), 'text');
}

/** Solidity and Tolk: texts are skipped, as they are messages that clients know. */
function checkContract(file, text) {
  const comment = String.raw`(?:\/\/.*\s*)+|\/\*[\s\S]*?\*\/`;
  for (const { 0: token, index } of text.matchAll(new RegExp(`${comment}|"[^"\\n]*"|[A-Za-z_]\\w*`, 'g'))) {
    const line = text.slice(0, index).split('\n').length;
    if (token.startsWith('/')) report(file, line, token.replace(/`[^`]*`/g, ''), 'comment');
    else if (!token.startsWith('"')) reportName(file, line, token);
  }
}

function checkShell(file, text) {
  for (const { 0: comment, index } of text.matchAll(/^[ \t]*#(?!!)(.*\n[ \t]*#)*.*/gm))
    report(file, text.slice(0, index).split('\n').length, comment.replace(/`[^`]*`/g, ''), 'comment');
}

function checkCode(file, text) {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
  const lineOf = (at) => source.getLineAndCharacterOfPosition(at).line + 1;
  const hasMessages = MESSAGES.test(file);
  const comments = new Set();
  const visit = (node) => {
    for (const ranges of [
      ts.getLeadingCommentRanges(text, node.getFullStart()) ?? [],
      ts.getTrailingCommentRanges(text, node.getEnd()) ?? [],
    ]) {
      const pos = ranges[0]?.pos;
      if (pos === undefined || comments.has(pos)) continue;
      comments.add(pos);
      report(file, lineOf(pos), text.slice(pos, ranges.at(-1).end).replace(/`[^`]*`/g, ''), 'comment');
    }
    if (ts.isIdentifier(node) || ts.isPrivateIdentifier(node)) reportName(file, lineOf(node.getStart()), node.text);
    else if (hasMessages && isText(node) && /\s/.test(node.text))
      report(file, lineOf(node.getStart()), node.text, 'message');
    else if (!hasMessages && isTitled(node)) {
      const [title] = node.arguments;
      for (const part of ts.isTemplateExpression(title)
        ? [title.head, ...title.templateSpans.map(({ literal }) => literal)]
        : [title])
        if (isText(part)) report(file, lineOf(part.getStart()), part.text, 'title');
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
}

function isText(node) {
  return (
    ts.isStringLiteralLike(node) ||
    ts.isTemplateHead(node) ||
    ts.isTemplateMiddle(node) ||
    ts.isTemplateTail(node) ||
    ts.isJsxText(node)
  );
}

/** A call such as `it('…')`, `it.each(rows)('…')` or `describe.skipIf(condition)('…')`. */
function isTitled(node) {
  if (!ts.isCallExpression(node) || node.arguments.length === 0) return false;
  let { expression } = node;
  while (ts.isCallExpression(expression) || ts.isPropertyAccessExpression(expression))
    expression = expression.expression;
  return ts.isIdentifier(expression) && TITLED.has(expression.text);
}

/** `toldAnew` and `TOLD_ANEW` as `told anew`. */
function wordsOf(name) {
  return ALLOWED_NAMES.has(name) ? '' : name.replace(/([a-z0-9])([A-Z])/g, '$1 $2').replaceAll('_', ' ');
}

function reportName(file, line, name) {
  if (names.some((one) => one.test(name))) findings.push({ file, line, word: name, where: 'name' });
  report(file, line, wordsOf(name), 'name');
}

/** @param first number of the first line of `text` */
function report(file, first, text, where) {
  for (const { 0: found, index } of text.matchAll(pattern)) {
    const line = first + text.slice(0, index).split('\n').length - 1;
    findings.push({ file, line, word: found.replace(new RegExp(GAP, 'g'), ' ').toLowerCase(), where });
  }
}

function insteadOf(word) {
  const row = avoided.find((one) =>
    (isIdentifier(one) ? patternOfName(one) : new RegExp(`^(${one.word})$`, 'i')).test(word),
  );
  return row?.instead ?? '';
}
