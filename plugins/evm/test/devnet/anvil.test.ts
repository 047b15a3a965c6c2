import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { type Anvil, type AnvilOptions, deployer, startAnvil, users } from '../../src/devnet/index.js';

const [alice, bob] = users.map((user) => user.address);
const folder = mkdtempSync(join(tmpdir(), 'causeway-anvil-'));
const running: Anvil[] = [];

async function start(options: Partial<AnvilOptions> = {}): Promise<Anvil> {
  const anvil = await startAnvil({ chainId: 31337, ...options });
  running.push(anvil);
  return anvil;
}

const pay = (anvil: Anvil, value: number) =>
  anvil.rpc<string>('eth_sendTransaction', [{ from: alice, to: bob, value: `0x${value.toString(16)}` }]);

async function payMined(anvil: Anvil, value: number): Promise<string> {
  const hash = await pay(anvil, value);
  await expect.poll(() => receipt(anvil, hash), { timeout: 10_000 }).not.toBeNull();
  return hash;
}
const receipt = (anvil: Anvil, hash: string) =>
  anvil.rpc<{ blockNumber: string } | null>('eth_getTransactionReceipt', [hash]);

/** Linux only: false also for an unreaped zombie. */
function isRunning(pid: number): boolean {
  const stat = `/proc/${pid}/stat`;
  return existsSync(stat) && !/^\d+ \(.*\) Z /.test(readFileSync(stat, 'utf8'));
}

describe('a local chain for tests', () => {
  afterEach(async () => {
    await Promise.all(running.splice(0).map((anvil) => anvil.stop()));
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  it('answers on a port of its own with its chain id and funded accounts', async () => {
    const [a, b] = await Promise.all([start(), start({ chainId: 31338 })]);
    expect(a.rpcUrl).not.toBe(b.rpcUrl);
    expect(Number(await b.rpc('eth_chainId'))).toBe(31338);
    const accounts = await a.rpc<string[]>('eth_accounts');
    expect(accounts.slice(0, 8)).toEqual(users.map((user) => user.address.toLowerCase()));
    expect(accounts[9]).toBe(deployer.address.toLowerCase());
  });

  it('says why it cannot start', async () => {
    const { port } = await start();
    await expect(start({ port })).rejects.toThrow(/in use/);
  });

  it('mines by transaction, by hand or by time', async () => {
    const anvil = await start({ automine: false });
    const hash = await pay(anvil, 1);
    expect(await receipt(anvil, hash)).toBeNull();
    await anvil.mine();
    expect(await receipt(anvil, hash)).toMatchObject({ blockNumber: '0x1' });
    await anvil.mine(5);
    expect(await anvil.height()).toBe(6);
    await anvil.setIntervalMining(1);
    await delay(1_300);
    expect(await anvil.height()).toBeGreaterThan(6);
  });

  it('finalises two blocks behind the head', async () => {
    const anvil = await start();
    await anvil.mine(10);
    const block = await anvil.rpc<{ number: string }>('eth_getBlockByNumber', ['finalized', false]);
    expect(Number(block.number)).toBe(8);
  });

  it('replaces blocks, and what was in them is gone unless it is reincluded', async () => {
    const anvil = await start();
    const lost = await payMined(anvil, 1);
    const { hash: before } = await anvil.rpc<{ hash: string }>('eth_getBlockByNumber', ['latest', false]);
    await anvil.reorg(1);
    expect(await anvil.height()).toBe(1);
    expect((await anvil.rpc<{ hash: string }>('eth_getBlockByNumber', ['latest', false])).hash).not.toBe(before);
    expect(await receipt(anvil, lost)).toBeNull();

    await payMined(anvil, 2);
    await payMined(anvil, 3);
    await anvil.reorg(2, [{ transaction: { from: alice, to: bob, value: '0x9' }, block: 1 }]);
    const block = await anvil.rpc<{ transactions: { value: string }[] }>('eth_getBlockByNumber', ['latest', true]);
    expect(block.transactions.map((transaction) => transaction.value)).toEqual(['0x9']);
  });

  it('drops pending transactions, and goes back to snapshots', async () => {
    const anvil = await start({ automine: false });
    const snapshot = await anvil.snapshot();
    const hash = await pay(anvil, 1);
    await anvil.dropTransaction(hash);
    await anvil.mine();
    expect(await receipt(anvil, hash)).toBeNull();
    await anvil.setBalance(bob ?? '', 5n);
    await anvil.revert(snapshot);
    expect(await anvil.height()).toBe(0);
    expect(BigInt(await anvil.rpc<string>('eth_getBalance', [bob, 'latest']))).toBe(10_000n * 10n ** 18n);
  });

  it('keeps its state in a file', async () => {
    const stateFile = join(folder, 'state.json');
    const first = await start({ stateFile });
    const hash = await pay(first, 1);
    // The node writes every second and when stopped; the last write may be in progress.
    await expect
      .poll(() => existsSync(stateFile) && readFileSync(stateFile, 'utf8').includes(hash), { timeout: 5_000 })
      .toBe(true);
    await first.stop();
    const second = await start({ stateFile });
    expect(await receipt(second, hash)).toMatchObject({ blockNumber: '0x1' });
  });

  it.runIf(process.platform === 'linux')(
    'ends with the process that started it, even when that is killed',
    async () => {
      const source = fileURLToPath(new URL('../../src/devnet/index.ts', import.meta.url));
      const script = `import { startAnvil } from ${JSON.stringify(source)};
      const anvil = await startAnvil({ chainId: 31337 });
      console.log(anvil.pid);
      await new Promise(() => setInterval(() => {}, 1000));`;
      const flags = ['--conditions=@causeway/source', '--import', 'tsx', '--input-type=module', '--eval', script];
      const parent = spawn(process.execPath, flags, { stdio: ['ignore', 'pipe', 'inherit'] });
      const [line] = (await once(parent.stdout, 'data')) as [Buffer];
      const pid = Number(line.toString());
      expect(isRunning(pid)).toBe(true);
      parent.kill('SIGKILL');
      for (let i = 0; i < 100 && isRunning(pid); i++) await delay(20);
      expect(isRunning(pid)).toBe(false);
    },
  );
});
