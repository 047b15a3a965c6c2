import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { Agent, request } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { freePorts } from '@causeway/core/testing';
import { NETWORKS, type Network } from '../../src/network.js';
import { tempDir } from './folder.js';
import { type NodeKind, programPath } from './have-node.js';

const SCRIPT = fileURLToPath(new URL('../../devnet/node.mjs', import.meta.url));
/** Closes idle connections before the node does. */
const IDLE_MS = 10_000;
/** Coinbase maturity in blocks. */
const MATURITY = 100;

export interface NodeOptions {
  /** Initial blocks beyond coinbase maturity; 0: none at all. Default 10. */
  readonly blocks?: number;
  /** Persistent across restarts. */
  readonly dataDir?: string;
  readonly flags?: readonly string[];
  /** Takes another node's place. */
  readonly ports?: Pick<LocalNode, 'port' | 'peerPort' | 'zmqPort'>;
}

export interface SentTo {
  readonly txid: string;
  readonly vout: number;
}

/** A real node on free ports with a funded wallet; mines on demand. */
export interface LocalNode {
  readonly kind: NodeKind;
  readonly network: Network;
  readonly url: string;
  readonly port: number;
  readonly peerPort: number;
  readonly zmqPort: number;
  /** Undefined for builds without ZMQ. */
  readonly zmq: string | undefined;
  /** Of the wrapper. */
  readonly pid: number;
  readonly nodePid: number;
  /** @throws NodeError when the node refuses. */
  rpc<T>(method: string, params?: readonly unknown[]): Promise<T>;
  address(type?: 'legacy' | 'p2sh-segwit' | 'bech32' | 'bech32m'): Promise<string>;
  /** Unconfirmed payment of the wallet, satoshis. */
  fund(address: string, satoshis: bigint): Promise<SentTo>;
  mine(blocks?: number): Promise<readonly string[]>;
  /** Exactly these transactions (raw hex, or ids of waiting ones). */
  mineOnly(transactions: readonly string[]): Promise<string>;
  height(): Promise<number>;
  pool(): Promise<readonly string[]>;
  stop(): Promise<void>;
  /** SIGKILL: the node cannot write anything. */
  kill(): Promise<void>;
}

export class NodeError extends Error {
  override readonly name = 'NodeError';
  constructor(
    message: string,
    readonly code: number,
  ) {
    super(message);
  }
}

export async function startNode(kind: NodeKind = 'bitcoin', options: NodeOptions = {}): Promise<LocalNode> {
  const { child, nodePid, port, peerPort, zmqPort } = await startProgram(kind, options);
  const { blocks = 10 } = options;
  const url = `http://devnet:devnet@127.0.0.1:${port}`;
  const agent = new Agent({ keepAlive: true, timeout: IDLE_MS });
  const rpc = <T>(method: string, params: readonly unknown[] = []): Promise<T> =>
    call<T>({ port, agent }, method, params);
  await openWallet(rpc);
  const address = (type = 'bech32'): Promise<string> => rpc<string>('getnewaddress', ['', type]);
  // A new address each: replacement blocks must differ.
  const mine = async (count = 1): Promise<readonly string[]> =>
    rpc<string[]>('generatetoaddress', [count, await address()]);
  if (blocks > 0 && (await rpc<number>('getblockcount')) === 0) await mine(MATURITY + blocks);
  const zmqReported = await rpc<{ type: string; address: string }[]>('getzmqnotifications').catch(() => []);
  const ended = once(child, 'exit');
  return {
    kind,
    network: NETWORKS[`${kind}-regtest`],
    url,
    port,
    peerPort,
    zmqPort,
    zmq: zmqReported.find(({ type }) => type === 'pubsequence')?.address,
    pid: child.pid ?? 0,
    nodePid,
    rpc,
    address,
    mine,
    fund: async (to, satoshis) => {
      const txid = await rpc<string>('sendtoaddress', [to, coins(satoshis)]);
      const { details } = await rpc<{ details: { vout: number; address: string; category: string }[] }>(
        'gettransaction',
        [txid],
      );
      const sent = details.find((one) => one.category === 'send' && one.address === to);
      if (sent === undefined) throw new Error(`${txid} does not pay ${to}`);
      return { txid, vout: sent.vout };
    },
    mineOnly: async (transactions) =>
      (await rpc<{ hash: string }>('generateblock', [await address(), transactions])).hash,
    height: () => rpc<number>('getblockcount'),
    pool: () => rpc<string[]>('getrawmempool'),
    stop: async () => {
      // Older nodes wait for kept-alive connections on shutdown.
      agent.destroy();
      child.kill('SIGTERM');
      await ended;
    },
    kill: async () => {
      agent.destroy();
      process.kill(nodePid, 'SIGKILL');
      await ended;
    },
  };
}

interface Program extends Pick<LocalNode, 'port' | 'peerPort' | 'zmqPort' | 'nodePid'> {
  readonly child: ChildProcess;
}

/** Another program can take a free port first: where the ports are not given, the node is then started on others. */
async function startProgram(kind: NodeKind, options: NodeOptions, attempts = 3): Promise<Program> {
  const { port, peerPort, zmqPort } = options.ports ?? portsFrom(await freePorts(3));
  const { dataDir, flags = [] } = options;
  const settings = { program: programPath(kind), kind, port, peerPort, zmqPort, dataDir, flags, tempDir: tempDir() };
  const child = spawn(process.execPath, [SCRIPT, JSON.stringify(settings)], {
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  });
  try {
    const { pid: nodePid } = await ready(child);
    return { child, nodePid, port, peerPort, zmqPort };
  } catch (error) {
    if (options.ports !== undefined || attempts === 1) throw error;
    return startProgram(kind, options, attempts - 1);
  }
}

/** Nodes accept decimal text as well as numbers. */
export function coins(satoshis: bigint): string {
  const text = satoshis.toString().padStart(9, '0');
  return `${text.slice(0, -8)}.${text.slice(-8)}`;
}

export function withCredentials(url: string): string {
  return url.replace('://', '://devnet:devnet@');
}

/** Polls. For effects of another process; never for what can be awaited. */
export async function until(what: string, good: () => boolean | Promise<boolean>, patienceMs = 20_000): Promise<void> {
  const end = performance.now() + patienceMs;
  while (!(await good())) {
    if (performance.now() > end) throw new Error(`timed out waiting for ${what}`);
    await delay(5);
  }
}

function portsFrom(first: number): { port: number; peerPort: number; zmqPort: number } {
  return { port: first, peerPort: first + 1, zmqPort: first + 2 };
}

async function openWallet(rpc: LocalNode['rpc']): Promise<void> {
  const open = await rpc<string[]>('listwallets');
  if (open.includes('devnet')) return;
  await rpc('loadwallet', ['devnet']).catch(() => rpc('createwallet', ['devnet']));
}

async function ready(child: ChildProcess): Promise<{ readonly pid: number }> {
  const ended = once(child, 'exit').then(([code]) => {
    throw new Error(`the node ended with ${code}`);
  });
  if (child.stdout === null) throw new Error('a node without an output');
  const [line] = await Promise.race([once(child.stdout, 'data'), ended]);
  return JSON.parse(String(line)) as { pid: number };
}

interface Server {
  readonly port: number;
  readonly agent: Agent;
}

async function call<T>({ port, agent }: Server, method: string, params: readonly unknown[]): Promise<T> {
  const headers = { authorization: `Basic ${Buffer.from('devnet:devnet').toString('base64')}` };
  const text = await new Promise<string>((resolve, reject) => {
    const asked = request({ host: '127.0.0.1', port, method: 'POST', agent, headers }, (answer) => {
      answer.toArray().then((parts: Buffer[]) => resolve(Buffer.concat(parts).toString()), reject);
    });
    asked.once('error', reject);
    asked.end(JSON.stringify({ id: 1, method, params }));
  });
  const { result, error } = JSON.parse(text) as { result: T; error: { message: string; code: number } | null };
  if (error) throw new NodeError(`${method}: ${error.message}`, error.code);
  return result;
}
