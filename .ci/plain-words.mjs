// Fails on words that the glossary (core/docs/glossary.md, rows marked "checked") avoids: in identifiers and comments of TypeScript,
// in messages of product code, kits and the simulation, in titles of tests, and in the prose of Markdown pages.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import ts from 'typescript';

const GLOSSARY = 'core/docs/glossary.md';
/** All texts of these are checked; of other tests only the titles, as their texts are mostly data. */
const MESSAGES = /^((core|plugins\/[^/]+)\/src|core\/templates\/[^/]+|test\/sim)\//;
const TITLED = new Set(['describe', 'it', 'test']);
const IGNORED = /(^|\/)(generated|kept)\/|^core\/api\/|package-lock/;
/** Exported names, columns and fields that clients and databases know. */
const ALLOWED_NAMES = new Set(['besides']);

const rows = readFileSync(GLOSSARY, 'utf8').matchAll(/^\| ([^|]+) \| ([^|]+) \| checked \|$/gm);
const avoided = [...rows].flatMap(([, words, instead]) =>
  words.split(',').map((word) => ({ word: word.trim(), instead })),
);
if (avoided.length === 0) throw new Error(`${GLOSSARY} names no checked words`);
const pattern = new RegExp(`\\b(${avoided.map(({ word }) => word).join('|')})\\b`, 'gi');

const findings = [];
const files = execFileSync('git', ['ls-files', '*.ts', '*.mjs', '*.js', '*.md'], { encoding: 'utf8' }).split('\n');
for (const file of files.filter((name) => name !== '' && name !== GLOSSARY && !IGNORED.test(name))) {
  const text = readFileSync(file, 'utf8');
  if (file.endsWith('.md')) checkProse(file, text);
  else checkCode(file, text);
}
for (const { file, line, word, where } of findings)
  console.log(`${file}:${line} ${where}: "${word}", write: ${insteadOf(word)}`);
console.log(findings.length === 0 ? 'plain words: nothing found' : `plain words: ${findings.length} found`);
process.exitCode = findings.length === 0 ? 0 : 1;

function checkProse(file, text) {
  let isCode = false;
  for (const [index, line] of text.split('\n').entries()) {
    if (/^\s*```/.test(line)) isCode = !isCode;
    else if (!isCode) report(file, index + 1, line.replace(/`[^`]*`|\]\([^)]*\)/g, ''), 'text');
  }
}

function checkCode(file, text) {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
  const lineOf = (at) => source.getLineAndCharacterOfPosition(at).line + 1;
  const hasMessages = MESSAGES.test(file);
  const comments = new Set();
  const visit = (node) => {
    for (const { pos, end } of [
      ...(ts.getLeadingCommentRanges(text, node.getFullStart()) ?? []),
      ...(ts.getTrailingCommentRanges(text, node.getEnd()) ?? []),
    ]) {
      if (comments.has(pos)) continue;
      comments.add(pos);
      report(file, lineOf(pos), text.slice(pos, end).replace(/`[^`]*`/g, ''), 'comment');
    }
    if (ts.isIdentifier(node) || ts.isPrivateIdentifier(node))
      report(file, lineOf(node.getStart()), wordsOf(node.text), 'name');
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
    ts.isStringLiteralLike(node) || ts.isTemplateHead(node) || ts.isTemplateMiddle(node) || ts.isTemplateTail(node)
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

function report(file, line, text, where) {
  for (const [word] of text.matchAll(pattern)) findings.push({ file, line, word: word.toLowerCase(), where });
}

function insteadOf(word) {
  return avoided.find((row) => new RegExp(`^(${row.word})$`, 'i').test(word))?.instead ?? '';
}
