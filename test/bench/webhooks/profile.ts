import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { Session } from 'node:inspector/promises';
import { join } from 'node:path';

export async function profiled(folder: string, name: string): Promise<() => Promise<void>> {
  mkdirSync(folder, { recursive: true });
  const session = new Session();
  session.connect();
  await session.post('Profiler.enable');
  await session.post('Profiler.setSamplingInterval', { interval: 200 });
  await session.post('Profiler.start');
  const before = threadMs();
  return async () => {
    const after = threadMs();
    const { profile } = await session.post('Profiler.stop');
    session.disconnect();
    const threads = [...after].map(([id, { comm, ms }]) => ({ comm, ms: ms - (before.get(id)?.ms ?? 0) }));
    writeFileSync(join(folder, `${name}.cpuprofile`), JSON.stringify(profile));
    writeFileSync(join(folder, `${name}.threads.json`), JSON.stringify(threads));
  };
}

function threadMs(): ReadonlyMap<string, { readonly comm: string; readonly ms: number }> {
  return new Map(
    readdirSync('/proc/self/task').map((id) => {
      const [head = '', tail = ''] = readFileSync(`/proc/self/task/${id}/stat`, 'utf8').split(') ');
      const fields = tail.split(' ');
      const ms = (Number(fields[11]) + Number(fields[12])) * 10;
      return [id, { comm: head.split('(')[1] ?? '', ms }];
    }),
  );
}
