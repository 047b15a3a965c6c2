import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { runCli } from '../../src/host/cli/index.js';
import { newHome } from './home.js';

let said = '';

beforeEach(() => {
  said = '';
  for (const stream of [process.stdout, process.stderr]) {
    vi.spyOn(stream, 'write').mockImplementation((text) => {
      said += String(text);
      return true;
    });
  }
});

afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
});

const COMMANDS = [
  ...['start', 'dev', 'doctor', 'setup', 'demo', 'pause', 'resume'],
  ...['audit', 'inventory', 'refund', 'hold', 'lane', 'keys', 'backup', 'restore', 'plugin', 'schema'],
];

describe('causeway', () => {
  it('suggests what a misspelt command means, and ends with 2', async () => {
    expect(await runCli(['doctr', 'x'])).toBe(2);
    expect(said).toContain('unknown command doctr; did you mean doctor?');
  });

  it('shows what there is when it is asked nothing', async () => {
    expect(await runCli([])).toBe(2);
    expect(await runCli(['--help'])).toBe(0);
    for (const name of COMMANDS) expect(said).toContain(`  ${name} `);
  });

  it.each(COMMANDS)('%s explains itself', async (name) => {
    expect(await runCli([name, '--help'])).toBe(0);
    expect(said).toContain(`causeway ${name}`);
    said = '';
    expect(await runCli([name, '--no-such-flag'])).toBe(2);
    expect(said).toContain('--no-such-flag');
  });

  it('pause says that clients read the reason', async () => {
    await runCli(['pause', '--help']);
    expect(said).toMatch(/--reason TEXT +shown to clients/);
  });

  it('report says which day may be left out', async () => {
    await runCli(['report', '--help']);
    expect(said).toContain('causeway report --from DAY [--to DAY] ');
  });

  it('balances says what form the id of a change has', async () => {
    vi.stubEnv('CAUSEWAY_ADMIN_KEY', 'an admin key');
    const change = ['balances', 'credit', 'acme', '5', '--reason', 'x', '--url', 'http://127.0.0.1:9'];
    expect(await runCli([...change, '--id', 'c1'])).toBe(2);
    expect(said).toContain('--id has 8 to 64 letters, digits, - or _');
  });

  it('prints its version', async () => {
    expect(await runCli(['--version'])).toBe(0);
    expect(said).toMatch(/^\d+\.\d+\.\d+\n$/);
  });

  it.each([
    [[], 'use exactly one of'],
    [['--all', '--chain', '1'], 'use exactly one of'],
    [['--chain', 'base'], '--chain takes a chain id'],
    [['--route', '1'], '--route takes two chain ids'],
  ])('pause %j is not understood', async (args, why) => {
    expect(await runCli(['pause', ...args])).toBe(2);
    expect(said).toContain(why);
  });

  it('says that a service cannot be reached', async () => {
    vi.stubEnv('CAUSEWAY_ADMIN_KEY', 'abcdefgh');
    expect(await runCli(['pause', '--all', '--url', 'http://127.0.0.1:9'])).toBe(1);
    expect(said).toContain('http://127.0.0.1:9 cannot be reached');
    expect(said).not.toContain('abcdefgh');
  });

  it('ends with 78 on a config that is wrong, with all of it', async () => {
    const file = newHome().write('solver.yaml', 'service: { network: moon }\nplugins: 5\n');
    const commands = ['start', 'dev', 'doctor', 'setup', 'inventory', 'restored', 'schema'].map((name) => [name, file]);
    for (const command of [...commands, ['backup', file, 'backup.db'], ['restore', file, 'backup.db']]) {
      said = '';
      expect(await runCli(command), command[0]).toBe(78);
      expect(said).toContain('solver.yaml:1:21 service.network: must be one of mainnet, testnet, local');
      expect(said).toContain('problems in the configuration');
    }
  });
});
