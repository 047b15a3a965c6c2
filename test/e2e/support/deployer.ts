import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { freePorts } from '@causeway/core/testing';
import { createPublicClient, createWalletClient, type Hex, http, parseEther } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { codeBlocks } from '../../support/documents.js';
import { ROOT } from '../../support/repository.js';
import { until } from '../../support/until.js';
import type { Answer } from './plugin-bench.js';

const NATIVE = '0x0000000000000000000000000000000000000000';
/** Account 0 of the public test mnemonic, which every bare node funds. */
export const USER = privateKeyToAccount('0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80');

/** As a deployer's shell is, with what was fetched before preferred. */
export function shellEnv(more: Readonly<Record<string, string>>): NodeJS.ProcessEnv {
  const env = Object.entries(process.env).filter(([name]) => !/^(VITEST|NODE_|npm_|CAUSEWAY_)/.test(name));
  const npm = { npm_config_prefer_offline: 'true', npm_config_audit: 'false', npm_config_fund: 'false' };
  return { ...Object.fromEntries(env), ...npm, NO_COLOR: '1', ...more };
}

/** Lines that the deployer types; the first one that fails ends them. */
export function typed(
  lines: string,
  {
    cwd,
    env = {},
    ms = 120_000,
  }: { readonly cwd: string; readonly env?: Record<string, string>; readonly ms?: number },
): Promise<Answer> {
  const options = { cwd, timeout: ms, maxBuffer: 1 << 26, env: shellEnv(env) };
  return new Promise((resolve) => {
    execFile('bash', ['-ec', lines], options, (error, stdout, stderr) => {
      const code = error === null ? 0 : typeof error.code === 'number' ? error.code : -1;
      resolve({ code, text: stdout + stderr });
    });
  });
}

/** The guide's blocks of shell commands, each to be taken once. */
export class Guide {
  readonly #left: string[];
  readonly #replaced: ReadonlyMap<string, string>;

  /** @param replaced what stands here for public addresses and packages, by their text in the guide. */
  constructor(replaced: ReadonlyMap<string, string>) {
    this.#left = [...codeBlocks(readFileSync(`${ROOT}core/docs/deploy.md`, 'utf8'), 'sh')];
    this.#replaced = replaced;
  }

  /** @throws if the next block is another one. */
  next(beginning: string): string {
    const block = this.#left.shift();
    if (block === undefined || !block.includes(beginning))
      throw new Error(`the guide goes on with ${JSON.stringify(block)}, not with ${JSON.stringify(beginning)}`);
    return [...this.#replaced].reduce((text, [from, to]) => text.replaceAll(from, to), block);
  }

  get left(): readonly string[] {
    return this.#left;
  }
}

/** A bare node, as it is usually started, without the deployer's tools. */
export class BareNode {
  readonly id: number;
  readonly url: string;
  readonly #child: ChildProcess;

  private constructor(id: number, url: string, child: ChildProcess) {
    this.id = id;
    this.url = url;
    this.#child = child;
  }

  static async start(id: number): Promise<BareNode> {
    const port = await freePorts();
    const wrapper = createRequire(`${ROOT}plugins/evm/package.json`).resolve('@foundry-rs/anvil/package.json');
    const cpu = process.arch === 'x64' ? 'amd64' : process.arch;
    const found = createRequire(wrapper).resolve(`@foundry-rs/anvil-${process.platform}-${cpu}/package.json`);
    const flags = ['--chain-id', String(id), '--port', String(port), '--block-time', '1', '--slots-in-an-epoch', '1'];
    const child = spawn(join(dirname(found), 'bin/anvil'), [...flags, '--silent'], { stdio: 'ignore' });
    const node = new BareNode(id, `http://127.0.0.1:${port}`, child);
    await until('the node answers', () => node.rpc('eth_chainId').then(Boolean, () => false));
    return node;
  }

  async rpc(method: string, params: readonly unknown[] = []): Promise<unknown> {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
    const headers = { 'content-type': 'application/json' };
    const answer = await fetch(this.url, { method: 'POST', headers, body });
    return ((await answer.json()) as { readonly result: unknown }).result;
  }

  async fund(address: string, ether: string): Promise<void> {
    await this.rpc('anvil_setBalance', [address, `0x${parseEther(ether).toString(16)}`]);
  }

  async stop(): Promise<void> {
    this.#child.kill('SIGKILL');
    if (this.#child.exitCode === null && this.#child.signalCode === null) await once(this.#child, 'exit');
  }
}

/** Local nodes that simulate rollups have no oracle of data fees, and are final within seconds. */
export function standIn(folder: string): void {
  const file = join(folder, 'causeway.yaml');
  const text = readFileSync(file, 'utf8')
    .replace(/^ *gas: \{ dataFee: .*\n/gm, '')
    .replaceAll(/finalityMs: \d+/g, 'finalityMs: 5000')
    .replace(/^( *)orders:$/m, '$1reconcileEvery: 2s\n$1orders:');
  writeFileSync(file, text);
}

export function addressOf(folder: string, key: string): string {
  return privateKeyToAccount(readFileSync(join(folder, 'keys', `${key}.key`), 'utf8').trim() as Hex).address;
}

/** A service that lines started, as from a terminal of its own. */
export class Terminal {
  readonly #child: ChildProcess;
  #said = '';

  constructor(lines: string, cwd: string, env: Readonly<Record<string, string>>) {
    // In a process group of its own, which Ctrl-C reaches as a whole.
    const child = spawn('bash', ['-ec', lines], {
      ...{ cwd, env: shellEnv(env), detached: true },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (text: Buffer) => (this.#said += text));
    this.#child = child;
  }

  get said(): string {
    return this.#said;
  }

  async interrupt(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const ended = once(this.#child, 'close');
    process.kill(-(this.#child.pid ?? 0), 'SIGINT');
    await ended;
  }
}

export const isUp = (port: number) => (): Promise<boolean> =>
  fetch(`http://127.0.0.1:${port}/lives`)
    .then(({ ok }) => ok)
    .catch(() => false);

export interface Asked {
  readonly requestId: string;
  readonly steps: readonly { items: readonly { data: Record<string, string> }[]; depositAddress?: string }[];
}

/** A quote for a tenth of a coin, or for `more`. */
export async function ask(
  port: number,
  from: Pick<BareNode, 'id'>,
  to: Pick<BareNode, 'id'>,
  more: Readonly<Record<string, unknown>> = {},
): Promise<Asked> {
  const chains = { originChainId: from.id, destinationChainId: to.id };
  const money = { originCurrency: NATIVE, destinationCurrency: NATIVE, amount: parseEther('0.1').toString() };
  const body = JSON.stringify({ user: USER.address, ...chains, ...money, tradeType: 'EXACT_INPUT', ...more });
  const headers = { 'content-type': 'application/json' };
  const answer = await fetch(`http://127.0.0.1:${port}/quote/v2`, { method: 'POST', headers, body });
  const quote = (await answer.json()) as { readonly steps?: readonly (Asked['steps'][number] & Asked)[] };
  const step = quote.steps?.at(-1);
  if (quote.steps === undefined || step === undefined) throw new Error(`no quote: ${JSON.stringify(quote)}`);
  return { requestId: step.requestId, steps: quote.steps };
}

/** As the user's wallet pays it. */
export async function pay({ steps }: Asked, from: BareNode): Promise<void> {
  const data = steps[0]?.items[0]?.data ?? {};
  const wallet = createWalletClient({ account: USER, transport: http(from.url) });
  await wallet.sendTransaction({
    ...{ chain: null, to: data['to'] as Hex, data: data['data'] as Hex, value: BigInt(data['value'] ?? 0) },
  });
}

export async function becomes(
  port: number,
  { requestId }: Asked,
  status: string,
  { ms = 60_000, seen }: { readonly ms?: number; readonly seen: () => unknown },
): Promise<void> {
  const url = `http://127.0.0.1:${port}/intents/status/v3?requestId=${requestId}`;
  let last = '';
  const is = async () => {
    last = await (await fetch(url)).text();
    return (JSON.parse(last) as { status: string }).status === status;
  };
  await until(`the transfer becomes ${status}`, is, { ms, every: 250, seen: () => [last, seen()] });
}

export function balanceOfUser(node: BareNode): Promise<bigint> {
  return createPublicClient({ transport: http(node.url) }).getBalance({ address: USER.address });
}

/** One transfer of native coin by the interface and a wallet; resolves when it has succeeded. */
export async function transfer(port: number, from: BareNode, to: BareNode, seen: () => unknown): Promise<void> {
  const asked = await ask(port, from, to);
  const before = await balanceOfUser(to);
  await pay(asked, from);
  await becomes(port, asked, 'success', { seen });
  const got = (await balanceOfUser(to)) - before;
  if (got < parseEther('0.09')) throw new Error(`${got} wei arrived`);
}
