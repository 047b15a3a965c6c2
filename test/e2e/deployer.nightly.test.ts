import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePorts } from '@causeway/core/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type OwnPostgres, startOwnPostgres } from '../support/postgres.js';
import { ROOT } from '../support/repository.js';
import { until } from '../support/until.js';
import {
  addressOf,
  ask,
  BareNode,
  balanceOfUser,
  becomes,
  Guide,
  isUp,
  pay,
  shellEnv,
  standIn,
  Terminal,
  transfer,
  typed,
} from './support/deployer.js';
import { type Answer, pack } from './support/plugin-bench.js';

const INSTALL_MS = 900_000;
const STEP_MS = 300_000;
const PACKAGES = ['core', 'plugin-evm', 'plugin-storage-pg'] as const;

const top = mkdtempSync(join(tmpdir(), 'causeway-deployer-'));
const tools = join(top, 'tools');
const solver = join(tools, 'solver');
const production = join(tools, 'production');
const nodes: BareNode[] = [];
const terminals: Terminal[] = [];
let postgres: OwnPostgres | undefined;
let ports: readonly [number, number, number];
let guide: Guide;

const node = (n: number): BareNode => {
  const found = nodes[n];
  if (found === undefined) throw new Error(`there is no node ${n}`);
  return found;
};
const run = (lines: string, cwd = solver, env: Record<string, string> = {}): Promise<Answer> =>
  typed(lines, { cwd, ms: STEP_MS, env: { PORT: String(ports[0]), ...env } });
const install = (lines: string, env: Record<string, string> = {}): Promise<Answer> =>
  typed(lines, { cwd: tools, ms: INSTALL_MS, env: { npm_config_omit: 'optional', ...env } });

/** As `install`, with the native part that was compiled for another folder, which takes minutes. */
async function installCompiled(lines: string, from: string, to: string): Promise<Answer> {
  const installed = await install(lines, { npm_config_ignore_scripts: 'true' });
  const part = 'node_modules/sqlite3/build';
  cpSync(join(from, part), join(to, part), { recursive: true });
  return installed;
}
const start = (lines: string): Terminal => {
  const terminal = new Terminal(lines, solver, { PORT: String(ports[0]) });
  terminals.push(terminal);
  return terminal;
};

/** Resolves once a payment is owed, and not signed. */
async function isOwed(seen: () => unknown): Promise<void> {
  const key = readFileSync(join(solver, 'keys/admin.key'), 'utf8').trim();
  const owed = async () => {
    const answer = await fetch(`http://127.0.0.1:${ports[0]}/admin/overview`, { headers: { 'x-admin-key': key } });
    const { lanes } = (await answer.json()) as { readonly lanes: readonly { readonly waiting: number }[] };
    return lanes.some(({ waiting }) => waiting > 0);
  };
  await until('a payment is owed', owed, { ms: 60_000, every: 250, seen });
}

/** Changes a file for as long as a task takes. */
async function changed<T>(path: string, change: (text: string) => string, task: () => Promise<T>): Promise<T> {
  const before = readFileSync(path, 'utf8');
  writeFileSync(path, change(before));
  try {
    return await task();
  } finally {
    writeFileSync(path, before);
  }
}

async function isClean(folder: string, env: Record<string, string> = {}): Promise<void> {
  let last = '';
  const clean = async () => {
    const { code, text } = await run('npx causeway audit', folder, env);
    last = text;
    return code === 0;
  };
  await until('the audit is clean', clean, { ms: 90_000, every: 2_000, seen: () => last });
}

/** The audit reads no pot of a chain that was removed, and reports each. */
async function isCleanWithout(unread: string): Promise<void> {
  let last = '';
  const clean = async () => {
    last = (await run('npx causeway audit')).text;
    const pots = last.split('\n').filter((line) => /^ {2}(inventory|depository):/.test(line) && !line.includes(unread));
    const balance = pots.length > 0 && pots.every((line) => /\s0\s*$/.test(line));
    return balance && last.includes('0 requests not settled, 0 holds, 0 halted lanes');
  };
  await until('the audit is clean', clean, { ms: 90_000, every: 2_000, seen: () => last });
}

beforeAll(async () => {
  const [a = 0, b = 0, c = 0] = [await freePorts(), await freePorts(), await freePorts()];
  ports = [a, b, c];
  for (const id of [84_532, 421_614, 8453, 42_161]) nodes.push(await BareNode.start(id));
  mkdirSync(tools);
  const packed = pack(
    ROOT,
    tools,
    PACKAGES.flatMap((name) => ['--workspace', `@causeway/${name}`]),
  );
  const tarball = (name: string) =>
    `./${packed.find((path) => path.includes(`causeway-${name}-`))?.slice(tools.length + 1)}`;
  // sqlite3 has a native part.
  writeFileSync(join(tools, 'package.json'), JSON.stringify({ private: true, allowScripts: { sqlite3: true } }));
  // Durable, or the doctor refuses it.
  const server = await startOwnPostgres();
  postgres = server;
  const urls = ['base-sepolia', 'arbitrum-sepolia', 'base', 'arbitrum'].map(
    (name, n) => [`https://${name}.example.org`, node(n).url] as const,
  );
  guide = new Guide(
    new Map([
      ...PACKAGES.map((name) => [`@causeway/${name}`, tarball(name)] as const),
      ...urls,
      ['postgres://causeway@db.example.org/causeway', await server.database()],
      ['3000', String(a)],
      ['3001', String(b)],
      ['3002', String(c)],
    ]),
  );
}, INSTALL_MS);

afterAll(async () => {
  for (const terminal of terminals) await terminal.interrupt();
  for (const one of ['a', 'b']) {
    const file = join(production, `${one}.pid`);
    if (existsSync(file)) {
      try {
        process.kill(Number(readFileSync(file, 'utf8')), 'SIGKILL');
      } catch {
        // Ended already.
      }
    }
  }
  for (const each of nodes) await each.stop();
  await postgres?.stop();
  rmSync(top, { recursive: true, force: true });
}, INSTALL_MS);

describe('a deployer who follows the guide, on two test networks', () => {
  it(
    'begins a folder that installs, and never overwrites it',
    async () => {
      const installed = await install(guide.next('npm install'));
      expect(installed, installed.text).toMatchObject({ code: 0 });
      const lines = guide.next('causeway init solver');
      const begun = await installCompiled(lines, tools, solver);
      expect(begun, begun.text).toMatchObject({ code: 0 });
      const again = await install(lines);
      expect(again.code).toBe(1);
      expect(again.text).toContain('nothing was written');
      expect(statSync(join(solver, '.env')).mode & 0o777).toBe(0o600);
      standIn(solver);
    },
    INSTALL_MS,
  );

  it(
    'has a production install without a local chain and without a compiler',
    async () => {
      const listed = await run(
        'npm ls --all --omit=dev --omit=optional --parseable; find node_modules -maxdepth 3 -name "*anvil*"',
      );
      expect(listed.text).toContain('node_modules/viem');
      expect(listed.text).not.toMatch(/anvil|solc|typescript|esbuild|vitest/);
    },
    STEP_MS,
  );

  it(
    'has its keys made once, each for its owner alone',
    async () => {
      expect((await run('npx causeway doctor')).text).toContain('causeway keys new');
      const made = await run(guide.next('causeway keys new'));
      expect(made, made.text).toMatchObject({ code: 0 });
      const fill = addressOf(solver, 'evm-fill');
      expect(made.text).toContain(`base-sepolia: ${fill.toLowerCase()}: ETH for fees and as inventory`);
      for (const key of ['order', 'admin', 'evm-fill', 'evm-allocator', 'evm-sweeper']) {
        const file = join(solver, 'keys', `${key}.key`);
        expect(statSync(file).mode & 0o777).toBe(0o600);
        expect(made.text).not.toContain(readFileSync(file, 'utf8').trim().replace(/^0x/, ''));
      }
      expect((await run('npx causeway keys new')).text).not.toContain('made ');
      expect(addressOf(solver, 'evm-fill')).toBe(fill);
    },
    STEP_MS,
  );

  it(
    'gets one clear line for each thing that is wrong, and nothing is sent',
    async () => {
      const config = join(solver, 'causeway.yaml');
      const cut = await changed(
        config,
        (text) => text.slice(0, text.indexOf('finality:') + 4),
        () => run('npx causeway setup'),
      );
      expect(cut.code).toBe(78);
      expect(cut.text).toMatch(/causeway\.yaml:\d+:\d+/);
      const key = join(solver, 'keys/evm-fill.key');
      const foreign = await changed(
        key,
        () => '4wBqpZM9k69W87zdYXT2bRtLViWqTiJV3i2Kn9q7S6j5NtXzvZ1xZ2hXcB8wXJq5Kc2m1n3v4b5c6x7z8a9s1d2f',
        () => run('npx causeway setup'),
      );
      expect(foreign.code).toBe(78);
      expect(foreign.text).toMatch(/signers\.fill: does not hold a key\n.*expected 64 hex digits/);
      const swapped = await run('npx causeway setup', solver, { BASE_SEPOLIA_RPC_URL: node(1).url });
      expect(swapped.code).toBe(78);
      expect(swapped.text).toContain('serves chain 421614 instead of 84532');
      const { code, text } = await run('npx causeway doctor');
      expect(code).toBe(1);
      expect(text.slice(text.indexOf('left to do'))).toMatch(/send it native coin[\s\S]*run `causeway setup --write`/);
      const poor = await run('npx causeway setup --write');
      expect(poor.code).toBe(1);
      expect(poor.text).toContain('send it native coin');
      for (const each of [node(0), node(1)])
        expect(await each.rpc('eth_getTransactionCount', [addressOf(solver, 'evm-fill'), 'pending'])).toBe('0x0');
    },
    STEP_MS,
  );

  it(
    'sets the chains up, after a dry run and a kill at each step',
    async () => {
      for (const key of ['evm-fill', 'evm-sweeper'])
        for (const each of [node(0), node(1)]) await each.fund(addressOf(solver, key), '100');
      const blocks = guide.next('causeway setup --dry-run').split('\n');
      const dry = await run(blocks[0] ?? '');
      expect(dry.text).toMatch(/base-sepolia: depository: not deployed; .* \(costs about 0\.\d+ ETH\)/);
      expect(await node(0).rpc('eth_getTransactionCount', [addressOf(solver, 'evm-fill'), 'pending'])).toBe('0x0');
      let kills = 0;
      for (; kills < 30; kills += 1) {
        const setUp = spawn(process.execPath, ['node_modules/@causeway/core/bin/causeway.js', 'setup'], {
          ...{ cwd: solver, stdio: ['ignore', 'pipe', 'inherit'], env: shellEnv({}) },
        });
        const ended = once(setUp, 'exit');
        // Between the send and its result, then after it.
        const point = kills % 2 === 0 ? /^sent /m : /^made /m;
        setUp.stdout?.on('data', (text: Buffer) => {
          if (point.test(text.toString())) setUp.kill('SIGKILL');
        });
        const [, signal] = (await ended) as [number | null, NodeJS.Signals | null];
        if (signal === null) break;
      }
      expect(kills).toBeGreaterThan(4);
      const done = await run(blocks[1] ?? '');
      expect(done, done.text).toMatchObject({ code: 0 });
      const config = readFileSync(join(solver, 'causeway.yaml'), 'utf8');
      expect(config.match(/depository: "?0x[0-9a-f]{40}/g)).toHaveLength(2);
      expect(config).toContain('# Opens /admin and /metrics.');
      const again = await run('npx causeway setup');
      expect(again.text).toContain('0 made, 0 missing, 0 failed');
      expect(again.code).toBe(0);
      const doctor = await run(guide.next('causeway doctor'));
      expect(doctor.text.trimEnd().split('\n').at(-1), doctor.text).toBe('ready');
      expect(doctor.code).toBe(0);
    },
    STEP_MS * 2,
  );

  it(
    'serves a transfer each way, and its books are clean',
    async () => {
      const service = start(guide.next('causeway start'));
      await until('the service answers', isUp(ports[0]), { ms: 60_000, seen: () => service.said });
      const asked = await run(guide.next('curl'));
      expect(asked, asked.text).toMatchObject({ code: 0 });
      await transfer(ports[0], node(0), node(1), () => service.said);
      await transfer(ports[0], node(1), node(0), () => service.said);
      await isClean(solver);
      const kept = await run(guide.next('causeway rebalance'));
      expect(kept, kept.text).toMatchObject({ code: 0 });
      await service.interrupt();
    },
    STEP_MS,
  );
});

describe('a deployer who follows the guide, in production', () => {
  const serving = (n: 1 | 2) => isUp(ports[n]);
  const logs = () => ['a', 'b'].map((one) => readFileSync(join(production, `${one}.log`), 'utf8').slice(-1_500));

  it(
    'runs two processes on PostgreSQL',
    async () => {
      const installed = await installCompiled(guide.next('causeway init production'), solver, production);
      expect(installed, installed.text).toMatchObject({ code: 0 });
      standIn(production);
      for (const key of ['evm-fill', 'evm-sweeper'])
        for (const each of [node(2), node(3)]) await each.fund(addressOf(production, key), '100');
      const ready = await run('npx causeway setup --write\nnpx causeway doctor', production);
      expect(ready, ready.text).toMatchObject({ code: 0 });
      const begun = await run(guide.next('a.pid'), production);
      expect(begun, begun.text).toMatchObject({ code: 0 });
      for (const n of [1, 2] as const) await until('both serve', serving(n), { ms: 60_000, seen: logs });
      await transfer(ports[1], node(2), node(3), logs);
    },
    INSTALL_MS,
  );

  it(
    'restarts one after the other, while transfers go on',
    async () => {
      let isOver = false;
      const restarted = run(guide.next('for one in a b'), production).finally(() => {
        isOver = true;
      });
      let made = 0;
      while (!isOver) {
        const port = (await serving(1)()) ? ports[1] : ports[2];
        // A process that is asked to end answers no quotes: the other one does.
        await transfer(port, node(2), node(3), logs).then(
          () => (made += 1),
          (error: unknown) => expect(String(error)).toMatch(/no quote|fetch failed/),
        );
      }
      const { code, text } = await restarted;
      expect(code, text).toBe(0);
      expect(made).toBeGreaterThan(0);
      await transfer(ports[2], node(3), node(2), logs);
      await isClean(production, { PORT: String(ports[2]) });
    },
    STEP_MS,
  );
});

describe('a deployer who follows the guide, later', () => {
  it(
    'is restored from a backup, with another admin key, and pays nothing again',
    async () => {
      const service = start('npx causeway start');
      await until('the service answers', isUp(ports[0]), { ms: 60_000, seen: () => service.said });
      const saved = await run(guide.next('causeway backup'));
      expect(saved, saved.text).toMatchObject({ code: 0 });
      await service.interrupt();
      const restored = await run(guide.next('causeway restore'));
      expect(restored, restored.text).toMatchObject({ code: 0 });
      const former = readFileSync(join(solver, 'keys/admin.key'), 'utf8').trim();
      const rotated = await run(guide.next('mv keys/admin.key'));
      expect(rotated, rotated.text).toMatchObject({ code: 0 });
      const again = start('npx causeway start');
      await until('the service answers', isUp(ports[0]), { ms: 60_000, seen: () => again.said });
      const alerts = (key: string) =>
        fetch(`http://127.0.0.1:${ports[0]}/admin/alerts`, { headers: { 'x-admin-key': key } });
      expect((await alerts(former)).ok).toBe(false);
      expect((await alerts(readFileSync(join(solver, 'keys/admin.key'), 'utf8').trim())).ok).toBe(true);
      await isClean(solver);
      await transfer(ports[0], node(0), node(1), () => again.said);
      await again.interrupt();
    },
    STEP_MS,
  );

  it(
    'replaces its fill signer while a payment is open, which the former one completes',
    async () => {
      const service = start('npx causeway start');
      await until('the service answers', isUp(ports[0]), { ms: 60_000, seen: () => service.said });
      const asked = await ask(ports[0], node(0), node(1));
      const before = await balanceOfUser(node(1));
      const paused = await run(`npx causeway pause --chain ${node(1).id}`);
      expect(paused, paused.text).toMatchObject({ code: 0 });
      await pay(asked, node(0));
      await isOwed(() => service.said);
      await service.interrupt();

      const [former, config] = [addressOf(solver, 'evm-fill'), join(solver, 'causeway.yaml')];
      const changing = await run(guide.next('mv keys/evm-fill.key'));
      expect(changing, changing.text).toMatchObject({ code: 0 });
      const replaced = addressOf(solver, 'evm-fill');
      expect(replaced).not.toBe(former);
      expect(changing.text).toContain(`${replaced.toLowerCase()}: ETH for fees and as inventory`);
      expect(changing.text).not.toContain(former.toLowerCase());
      for (const each of [node(0), node(1)]) await each.fund(replaced, '100');
      const without = await changed(
        config,
        (text) => text.replace(/^ *former: .*\n/m, ''),
        () => run('npx causeway doctor'),
      );
      expect(without.code).toBe(1);
      expect(without.text).toMatch(/whose signer is not configured any more[\s\S]*signers\.former/);
      const ready = await run(guide.next('causeway setup --write --payer'));
      expect(ready.text.trimEnd().split('\n').at(-1), ready.text).toBe('ready');

      const [sent, position] = [
        'eth_getTransactionCount',
        await node(1).rpc('eth_getTransactionCount', [former, 'latest']),
      ];
      const again = start('npx causeway start');
      await until('the service answers', isUp(ports[0]), { ms: 60_000, seen: () => again.said });
      const resumed = await run(`npx causeway resume --chain ${node(1).id}`);
      expect(resumed, resumed.text).toMatchObject({ code: 0 });
      await becomes(ports[0], asked, 'success', { ms: 120_000, seen: () => again.said });
      expect((await balanceOfUser(node(1))) - before).toBeGreaterThan(9n * 10n ** 16n);
      expect(Number(await node(1).rpc(sent, [former, 'latest']))).toBe(Number(position) + 1);
      expect(Number(await node(1).rpc(sent, [replaced, 'latest']))).toBe(0);
      await transfer(ports[0], node(0), node(1), () => again.said);
      await transfer(ports[0], node(1), node(0), () => again.said);
      for (const each of [node(0), node(1)])
        expect(Number(await each.rpc(sent, [replaced, 'latest']))).toBeGreaterThan(0);
      await isClean(solver);
      await again.interrupt();
      writeFileSync(config, readFileSync(config, 'utf8').replace(/^ *former: .*\n/m, ''));
      const doctor = await run('npx causeway doctor');
      expect(doctor, doctor.text).toMatchObject({ code: 0 });
    },
    STEP_MS * 2,
  );

  it(
    'removes a chain on which something is owed only after a drain',
    async () => {
      const service = start('npx causeway start');
      await until('the service answers', isUp(ports[0]), { ms: 60_000, seen: () => service.said });
      const asked = await ask(ports[0], node(1), node(0));
      expect((await run(`npx causeway pause --chain ${node(0).id}`)).code).toBe(0);
      await pay(asked, node(1));
      await isOwed(() => service.said);
      await service.interrupt();

      const config = join(solver, 'causeway.yaml');
      const without = (text: string) => text.replace(/^ *- id: 421614\n[\s\S]*?(?=\n\n)/m, '');
      expect(without(readFileSync(config, 'utf8'))).not.toContain('arbitrum-sepolia');
      for (const [command, code] of [
        ['doctor', 1],
        ['start', 78],
      ] as const) {
        const refused = await changed(config, without, () => run(`npx causeway ${command}`));
        expect(refused.code, refused.text).toBe(code);
        expect(refused.text).toMatch(/\(owed\) on chain 421614, which is not configured/);
      }
      const before = await balanceOfUser(node(0));
      // No quote is unpaid, so that none has to expire first.
      await changed(
        config,
        (text) => text.replace(/ttl: \d+m/, 'ttl: 30s'),
        async () => {
          const drain = run('npx causeway start --drain');
          await until('the service answers', isUp(ports[0]), { ms: 60_000 });
          expect((await run(`npx causeway resume --chain ${node(0).id}`)).code).toBe(0);
          const { code, text } = await drain;
          expect(text).toMatch(/drained: nothing is left to do/);
          expect(code).toBe(0);
        },
      );
      expect((await balanceOfUser(node(0))) - before).toBeGreaterThan(9n * 10n ** 16n);
      writeFileSync(config, without(readFileSync(config, 'utf8')));
      const doctor = await run('npx causeway doctor');
      expect(doctor, doctor.text).toMatchObject({ code: 0 });
      const alone = start('npx causeway start');
      await until('the service answers', isUp(ports[0]), { ms: 60_000, seen: () => alone.said });
      await isCleanWithout('its chain is not configured');
      await alone.interrupt();
    },
    STEP_MS * 2,
  );

  it('has read the guide to its end', () => {
    expect(guide.left).toEqual([]);
  });
});
