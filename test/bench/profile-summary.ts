import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * `node --import tsx test/bench/profile-summary.ts FOLDER`: self and inclusive time by file and by function, of the newest
 * CPU profile in the folder. Run the bench with `CAUSEWAY_BUNDLE=off`, or all files are one.
 */
interface Profile {
  readonly nodes: readonly Frame[];
  readonly samples: readonly number[];
  readonly timeDeltas: readonly number[];
}

interface Frame {
  readonly id: number;
  readonly callFrame: { readonly functionName: string; readonly url: string; readonly lineNumber: number };
  readonly children?: readonly number[];
}

const MAX_ROWS = 40;
const [folder = '.'] = process.argv.slice(2);
const newest = readdirSync(folder).findLast((name) => name.endsWith('.cpuprofile'));
if (newest === undefined) throw new Error(`no CPU profile in ${folder}`);
const { nodes, samples, timeDeltas } = JSON.parse(readFileSync(join(folder, newest), 'utf8')) as Profile;

const frames = new Map(nodes.map((node) => [node.id, node]));
const parents = new Map(nodes.flatMap(({ id, children = [] }) => children.map((child) => [child, id] as const)));
const own = new Map<number, number>();
for (const [n, id] of samples.entries())
  if (frames.get(id)?.callFrame.functionName !== '(idle)') own.set(id, (own.get(id) ?? 0) + (timeDeltas[n] ?? 0));
const total = [...own.values()].reduce((sum, us) => sum + us, 0);

const fileOf = ({ callFrame: { url, functionName } }: Frame): string =>
  url === '' ? functionName : url.replace(/^file:\/\//, '').replace(/^.*\/node_modules\//, '');

const functionOf = (frame: Frame): string =>
  `${frame.callFrame.functionName || '(anonymous)'}  ${fileOf(frame)}:${frame.callFrame.lineNumber + 1}`;

function* upFrom(id: number): Generator<Frame> {
  for (let at: number | undefined = id; at !== undefined; at = parents.get(at)) {
    const frame = frames.get(at);
    if (frame !== undefined) yield frame;
  }
}

function print(title: string, nameOf: (frame: Frame) => string): void {
  const [self, inclusive] = [new Map<string, number>(), new Map<string, number>()];
  const add = (times: Map<string, number>, name: string, us: number) => times.set(name, (times.get(name) ?? 0) + us);
  for (const [id, us] of own) {
    const names = [...upFrom(id)].map(nameOf);
    if (names[0] !== undefined) add(self, names[0], us);
    for (const name of new Set(names)) add(inclusive, name, us);
  }
  for (const [kind, times] of [
    ['self', self],
    ['inclusive', inclusive],
  ] as const) {
    process.stdout.write(`\n${title}, ${kind}\n`);
    for (const [name, us] of [...times].sort(([, a], [, b]) => b - a).slice(0, MAX_ROWS))
      process.stdout.write(
        `${((us * 100) / total).toFixed(1).padStart(6)} %  ${(us / 1_000).toFixed(0).padStart(6)} ms  ${name}\n`,
      );
  }
}

print('files', fileOf);
print('functions', functionOf);
