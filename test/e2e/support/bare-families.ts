import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePorts } from '@causeway/core/testing';
import { programPath } from '../../../plugins/bvm/test/support/have-node.js';
import { ROOT } from '../../support/repository.js';
import { until } from '../../support/until.js';

async function call<T>(url: string, method: string, params: readonly unknown[]): Promise<T> {
  const { username, password, origin } = new URL(url);
  const headers: Record<string, string> = { 'content-type': 'application/json' };
  if (username !== '') headers['authorization'] = `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
  const answer = await fetch(origin, { method: 'POST', headers, body });
  const { result, error } = (await answer.json()) as { result: T; error?: unknown };
  if (error) throw new Error(`${method}: ${JSON.stringify(error)}`);
  return result;
}

async function ended(child: ChildProcess): Promise<void> {
  child.kill('SIGKILL');
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
}

/** The node software of an operator, with a wallet, and a block each second. */
export class BareBitcoin {
  readonly id = 9_092_725;
  readonly name = 'bitcoin-testnet4';
  #mining: NodeJS.Timeout | undefined;

  private constructor(
    readonly url: string,
    readonly folder: string,
    readonly child: ChildProcess,
  ) {}

  static async start(): Promise<BareBitcoin> {
    const [port, folder] = [await freePorts(), mkdtempSync(join(tmpdir(), 'causeway-bitcoin-'))];
    const flags = ['-regtest', '-server', '-txindex=1', '-listen=0', '-fallbackfee=0.0001', '-datacarriersize=83'];
    const rpc = [`-rpcport=${port}`, '-rpcbind=127.0.0.1', '-rpcallowip=127.0.0.1', '-rpcuser=u', '-rpcpassword=p'];
    const child = spawn(programPath('bitcoin'), [...flags, ...rpc, `-datadir=${folder}`, '-printtoconsole=0'], {
      stdio: 'ignore',
    });
    const node = new BareBitcoin(`http://u:p@127.0.0.1:${port}`, folder, child);
    const answers = () =>
      node.rpc('getblockcount').then(
        () => true,
        () => false,
      );
    await until('the Bitcoin node answers', answers, { ms: 60_000 });
    await node.rpc('createwallet', ['user']);
    const to = await node.address();
    await node.rpc('generatetoaddress', [110, to]);
    node.#mining = setInterval(() => void node.rpc('generatetoaddress', [1, to]).catch(() => undefined), 1_000);
    return node;
  }

  rpc<T>(method: string, params: readonly unknown[] = []): Promise<T> {
    return call<T>(this.url, method, params);
  }

  address(): Promise<string> {
    return this.rpc<string>('getnewaddress', ['', 'bech32']);
  }

  /** Whole coins. */
  async fund(address: string, coins: string): Promise<void> {
    await this.rpc('sendtoaddress', [address, coins]);
  }

  /** Satoshis, of an address of the wallet. */
  async received(address: string): Promise<number> {
    return Math.round((await this.rpc<number>('getreceivedbyaddress', [address, 0])) * 1e8);
  }

  async stop(): Promise<void> {
    clearInterval(this.#mining);
    await ended(this.child);
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** Prints where it listens. The events of the node must be read, or it stops accepting transactions. */
const SVM_NODE = `
const { Surfnet } = require(process.argv[1]);
const node = Surfnet.startWithConfig({ offline: true, blockProductionMode: 'clock', slotTimeMs: 200 });
setInterval(() => { try { node.drainEvents(); } catch {} }, 10);
console.log(node.rpcUrl);
`;

/** A node with an open faucet. */
export class BareSolana {
  readonly id = 1_936_682_084;
  readonly name = 'solana-devnet';

  private constructor(
    readonly url: string,
    readonly child: ChildProcess,
  ) {}

  static async start(): Promise<BareSolana> {
    const require = createRequire(`${ROOT}plugins/svm/package.json`);
    const program = require.resolve(`@solana/surfpool-${process.platform}-${process.arch}-gnu`);
    const child = spawn(process.execPath, ['-e', SVM_NODE, program], { stdio: ['ignore', 'pipe', 'inherit'] });
    const [line] = (await once(child.stdout as NodeJS.EventEmitter, 'data')) as [Buffer];
    const node = new BareSolana(line.toString().trim(), child);
    // Its first slots have no time.
    const timed = async () => {
      const slot = await node.rpc<number>('getSlot', [{ commitment: 'finalized' }]).catch(() => 0);
      return slot > 0 && (await node.rpc<number | null>('getBlockTime', [slot]).catch(() => null)) !== null;
    };
    await until('the Solana node has times', timed, { ms: 60_000, every: 500 });
    return node;
  }

  rpc<T>(method: string, params: readonly unknown[] = []): Promise<T> {
    return call<T>(this.url, method, params);
  }

  async fund(address: string, lamports: number): Promise<void> {
    await this.rpc('requestAirdrop', [address, lamports]);
    await until('the account is funded', async () => (await this.balance(address)) >= lamports);
  }

  /** Lamports. */
  async balance(address: string): Promise<number> {
    const { value } = await this.rpc<{ value: number }>('getBalance', [address, { commitment: 'confirmed' }]);
    return value;
  }

  stop(): Promise<void> {
    return ended(this.child);
  }
}
