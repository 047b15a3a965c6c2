// Renames identifiers next to guards in a copy of the repository, and shows that nothing but their uses has to follow: types, the
// guards that can be removed, the unit tests, and the mutations of the guards next to them.

import { execFileSync, spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { SeededRandom } from '@causeway/core/testing';
import ts from 'typescript';
import { orUsage, wholeOption } from '../support/script-options.js';
import { markersOf } from './markers.js';
import { Workshop } from './workshop.js';

const USAGE = `npm run test:renames -- [options]
  --count N          identifiers (default 10)
  --seed S           of the draw (default 1)
  --help
Ends with 1 when something broke.`;

const { count, seed } = orUsage(USAGE, () => {
  const { values } = parseArgs({
    options: { count: { type: 'string', default: '10' }, seed: { type: 'string', default: '1' } },
  });
  return { count: wholeOption('count', values.count, 1), seed: wholeOption('seed', values.seed, 1) };
});

const VITEST = ['npx', '--no-install', 'vitest', 'run', '--project'] as const;

interface Candidate {
  readonly file: string;
  readonly name: string;
  readonly guard: string;
}

const workshop = new Workshop();
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => {
    workshop.remove();
    process.exit(130);
  });
let broken = 0;
try {
  const texts = new Map<string, { text: string; version: number }>();
  const service = languageService(texts);
  const published = new Set(workshop.read('core/api/core.api.md').match(/\w+/g));
  const random = new SeededRandom(seed);
  const guards = new Set<string>();
  for (const { file, name, guard } of drawn(random, published)) {
    if (guards.size === count) break;
    if (guards.has(guard)) continue;
    const places = rename(service, texts, file, name);
    if (places === undefined) continue;
    guards.add(guard);
    console.log(`${file}: ${name} -> ${renamed(name)} (${places} places, next to the guard ${guard})`);
  }
  // Some tests list the files of the repository.
  execFileSync('git', ['init', '-q'], { cwd: workshop.dir });
  execFileSync('git', ['add', '-A'], { cwd: workshop.dir, stdio: 'ignore' });
  check('types', ['npx', '--no-install', 'tsc', '-p', 'tsconfig.check.json']);
  check('guards can be removed', [...VITEST, 'contract', 'test/contract/mutations.test.ts']);
  check('unit tests', [...VITEST, 'unit']);
  const only = ['--only', [...guards].join(',')];
  check('guards are missed', [process.execPath, '--import', 'tsx', 'test/mutation/main.ts', ...only]);
  console.log(`${guards.size} identifiers renamed, ${broken} checks broken`);
} finally {
  workshop.remove();
}
process.exitCode = broken === 0 ? 0 : 1;

function renamed(name: string): string {
  return `${name}Renamed`;
}

/** Functions around guards, and what they declare, in a drawn order. Names of the plugin contract are left out. */
function drawn(random: SeededRandom, published: ReadonlySet<string>): readonly Candidate[] {
  const found: Candidate[] = [];
  for (const file of workshop.product().filter((name) => name.endsWith('.ts'))) {
    const text = workshop.read(file);
    const markers = markersOf(file, text);
    if (markers.length === 0) continue;
    const source = ts.createSourceFile(file, text, ts.ScriptTarget.ESNext, true);
    for (const { name: guard, at } of markers) {
      const around = source.statements.find((one) => one.pos <= at && at < one.end);
      if (around === undefined || !ts.isFunctionDeclaration(around)) continue;
      const names = declaredIn(around).filter((name) => name.length > 2 && !published.has(name));
      for (const name of names) found.push({ file, name, guard });
    }
  }
  return random.shuffled(found);
}

function declaredIn(node: ts.FunctionDeclaration): readonly string[] {
  const names = node.name === undefined ? [] : [node.name.text];
  const visit = (inner: ts.Node): void => {
    if (ts.isVariableDeclaration(inner) && ts.isIdentifier(inner.name)) names.push(inner.name.text);
    ts.forEachChild(inner, visit);
  };
  visit(node);
  return names;
}

/** At its declaration and all its uses. Undefined: it cannot be renamed. @returns how many places changed. */
function rename(
  service: ts.LanguageService,
  texts: Map<string, { text: string; version: number }>,
  file: string,
  name: string,
): number | undefined {
  const path = join(workshop.dir, file);
  const declaration = new RegExp(`\\b(?:function|const|let)\\s+${name}\\b`).exec(workshop.read(file));
  if (declaration === null) return undefined;
  const at = declaration.index + declaration[0].length - name.length;
  const places = service.findRenameLocations(path, at, false, false, { providePrefixAndSuffixTextForRename: true });
  if (places === undefined || places.length === 0) return undefined;
  for (const fileName of new Set(places.map((place) => place.fileName))) {
    const here = places.filter((place) => place.fileName === fileName);
    let text = texts.get(fileName)?.text ?? ts.sys.readFile(fileName) ?? '';
    for (const { textSpan, prefixText = '', suffixText = '' } of here.sort(
      (a, b) => b.textSpan.start - a.textSpan.start,
    )) {
      const { start, length } = textSpan;
      text = `${text.slice(0, start)}${prefixText}${renamed(name)}${suffixText}${text.slice(start + length)}`;
    }
    texts.set(fileName, { text, version: (texts.get(fileName)?.version ?? 0) + 1 });
    ts.sys.writeFile(fileName, text);
  }
  return places.length;
}

function languageService(texts: ReadonlyMap<string, { text: string; version: number }>): ts.LanguageService {
  const config = ts.readConfigFile(join(workshop.dir, 'tsconfig.check.json'), ts.sys.readFile);
  const { fileNames, options } = ts.parseJsonConfigFileContent(config.config, ts.sys, workshop.dir);
  const textOf = (name: string) => texts.get(name)?.text ?? ts.sys.readFile(name);
  return ts.createLanguageService({
    getScriptFileNames: () => fileNames,
    getScriptVersion: (name) => String(texts.get(name)?.version ?? 0),
    getScriptSnapshot: (name) => {
      const text = textOf(name);
      return text === undefined ? undefined : ts.ScriptSnapshot.fromString(text);
    },
    getCurrentDirectory: () => workshop.dir,
    getCompilationSettings: () => options,
    getDefaultLibFileName: ts.getDefaultLibFilePath,
    fileExists: ts.sys.fileExists,
    readFile: textOf,
    readDirectory: ts.sys.readDirectory,
    directoryExists: ts.sys.directoryExists,
    getDirectories: ts.sys.getDirectories,
  });
}

function check(what: string, [command = '', ...args]: readonly string[]): void {
  const began = performance.now();
  const { status, stdout, stderr } = spawnSync(command, args, {
    ...{ cwd: workshop.dir, encoding: 'utf8', maxBuffer: 256 * 1024 * 1024 },
    env: { ...process.env, CI: '' },
  });
  const seconds = ((performance.now() - began) / 1000).toFixed(1);
  const last = stdout.trim().split('\n').slice(-8).join('\n');
  console.log(
    `${what}: ${status === 0 ? 'ok' : 'BROKEN'} (${seconds} s)${status === 0 ? '' : `\n${last}\n${stderr.slice(-2_000)}`}`,
  );
  if (status !== 0) broken += 1;
}
