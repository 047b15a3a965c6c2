import { type ChildProcess, fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, it } from 'vitest';
import type { ToKeeper } from '../../src/host/dev/keeper-protocol.js';
import { newHome } from './home.js';

const KEEPER = fileURLToPath(new URL('../../src/host/dev/keeper.ts', import.meta.url));

/** A supervisor stand-in: starts a keeper with one child, prints both pids and lives until killed. */
const PARENT = `
import { fork } from 'node:child_process';
const [keeperFile, spec, logFile] = process.argv.slice(2);
const keeper = fork(keeperFile, [], { detached: true, execArgv: ['--import', 'tsx'] });
keeper.on('message', ({ type, pid }) => type === 'spawned' && console.log(JSON.stringify({ keeper: keeper.pid, chain: pid })));
keeper.send({ type: 'spawn', spec: JSON.parse(spec), logFile });
`;

/** Writes a file at its end, as a chain writes state. */
const CHAIN = `
const { writeFileSync } = require('node:fs');
process.on('SIGTERM', () => setTimeout(() => { writeFileSync(process.argv[1], 'state'); process.exit(0); }, 100));
process.on('SIGINT', () => writeFileSync(process.argv[1], 'interrupted'));
setInterval(() => {}, 1000);
writeFileSync(process.argv[1] + '.ready', '');
`;

const started: number[] = [];

afterEach(() => {
  for (const pid of started.splice(0)) if (alive(pid)) process.kill(pid, 'SIGKILL');
});

function alive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    // Zombies count as dead.
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
}

async function gone(pid: number): Promise<boolean> {
  for (let waited = 0; waited < 8_000; waited += 25) {
    if (!alive(pid)) return true;
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
  return false;
}

async function family(
  stateFile: string,
  logFile: string,
  parentFile: string,
): Promise<{ parent: ChildProcess; keeper: number; chain: number }> {
  const spec = JSON.stringify({ name: 'chain', command: process.execPath, args: ['-e', CHAIN, stateFile] });
  const parent = spawn(process.execPath, [parentFile, KEEPER, spec, logFile], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [line] = (await once(parent.stdout as NodeJS.ReadableStream, 'data')) as [Buffer];
  const pids = JSON.parse(line.toString()) as { keeper: number; chain: number };
  started.push(parent.pid ?? 0, pids.keeper, pids.chain);
  // Handlers must be installed first.
  await expect.poll(() => existsSync(`${stateFile}.ready`), { timeout: 15_000 }).toBe(true);
  return { parent, ...pids };
}

describe('the keeper', () => {
  it('ends its chains, letting them write their state, when its parent is killed', async () => {
    const home = newHome();
    const { parent, keeper, chain } = await family(
      home.path('state'),
      home.path('log'),
      home.write('parent.mjs', PARENT),
    );
    expect([alive(keeper), alive(chain)]).toEqual([true, true]);
    parent.kill('SIGKILL');
    expect(await gone(chain)).toBe(true);
    expect(await gone(keeper)).toBe(true);
    expect(readFileSync(home.path('state'), 'utf8')).toBe('state');
  });

  it('does not end, nor let its chains end, when Ctrl-C reaches the terminal', async () => {
    const home = newHome();
    const { parent, keeper, chain } = await family(
      home.path('state'),
      home.path('log'),
      home.write('parent.mjs', PARENT),
    );
    process.kill(keeper, 'SIGINT');
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect([alive(keeper), alive(chain), existsSync(home.path('state'))]).toEqual([true, true, false]);
    parent.kill('SIGKILL');
    expect(await gone(keeper)).toBe(true);
  });

  it('waits for the service to drain before it ends the chains', async () => {
    const home = newHome();
    const service = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'ignore' });
    started.push(service.pid ?? 0);
    const keeper = fork(KEEPER, [], { execArgv: ['--import', 'tsx'] });
    started.push(keeper.pid ?? 0);
    const say = (message: ToKeeper) => keeper.send(message);
    say({ type: 'service', pid: service.pid ?? 0 });
    say({
      type: 'spawn',
      spec: { name: 'chain', command: process.execPath, args: ['-e', CHAIN, home.path('state')] },
      logFile: home.path('log'),
    });
    const [{ pid }] = (await once(keeper, 'message')) as [{ pid: number }];
    started.push(pid);
    keeper.disconnect();
    await new Promise((resolve) => setTimeout(resolve, 500));
    expect([alive(pid), existsSync(home.path('state'))]).toEqual([true, false]);
    service.kill('SIGKILL');
    expect(await gone(pid)).toBe(true);
    expect(existsSync(home.path('state'))).toBe(true);
  });

  it('says that a chain could not be started', async () => {
    const home = newHome();
    const keeper = fork(KEEPER, [], { execArgv: ['--import', 'tsx'] });
    started.push(keeper.pid ?? 0);
    const message: ToKeeper = {
      type: 'spawn',
      spec: { name: 'chain', command: home.path('nothing'), args: [] },
      logFile: home.path('log'),
    };
    keeper.send(message);
    const [answer] = (await once(keeper, 'message')) as [{ type: string; message: string }];
    expect(answer).toMatchObject({ type: 'failed', name: 'chain' });
    keeper.disconnect();
    expect(await gone(keeper.pid ?? 0)).toBe(true);
  });
});
