import type { ProbeResult } from '@causeway/core';
import { type Provider, RpcError } from '@causeway/core/rpc';
import { probing, scannedBalance } from './balances.js';
import type { ChainConfig } from './chain-config.js';
import type { OwnAddresses } from './chain-view.js';
import { identify } from './identity.js';
import { ask } from './rpc/node.js';
import { publishedAddress } from './rpc/published.js';

const PROBE_TIMEOUT_MS = 5_000;
const SCAN_MS = 10 * 60_000;

type Finding = Pick<ProbeResult, 'ok' | 'level' | 'message'>;

interface ChainInfo {
  readonly blocks: number;
  readonly pruned: boolean;
  readonly pruneheight?: number;
}

/** For `doctor`, before anything is started. Never throws. */
export async function probeChain(
  config: ChainConfig,
  own: OwnAddresses,
  signal: AbortSignal,
): Promise<readonly ProbeResult[]> {
  const { facts, endpoints, path } = config;
  const results: ProbeResult[] = [];
  const add = (what: string, finding: Finding, option: string): void => {
    results.push({ name: `${facts.name}: ${what}`, optionPath: `${path}.${option}`, ...finding });
  };
  let working: number | undefined;
  for (const index of endpoints.keys()) {
    if (signal.aborted) return results;
    const provider = probing(config, index, PROBE_TIMEOUT_MS);
    const findings = await probeProvider(config, provider);
    for (const finding of findings) add(provider.name, finding, `rpc[${index}]`);
    if (findings.every(({ ok, level }) => ok || level === 'warning') && findings[0]?.ok) working ??= index;
  }
  if (signal.aborted) return results;
  if (working === undefined) {
    const message = 'none of its nodes can be used: the service would start without this chain';
    return [...results, { name: facts.name, ok: false, level: 'error', message, optionPath: `${path}.rpc` }];
  }
  if (config.payers === undefined)
    add('payers', fine('no explorers: quotes from this chain contain no transaction to sign'), 'payers');
  add('funds', await probeFunds(config, own, probing(config, working, SCAN_MS)), 'gasReserve');
  return results;
}

async function probeProvider(config: ChainConfig, provider: Provider): Promise<readonly Finding[]> {
  const findings: Finding[] = [];
  const warn = (message: string): void => void findings.push({ ok: false, level: 'warning', message });
  try {
    const identity = await identify(provider.rpc, config.network, config.anchor);
    if (identity.is !== 'right') {
      const level = identity.is === 'foreign' ? 'error' : 'warning';
      return [{ ok: false, level, message: identity.reason }];
    }
    const { blocks, pruned, pruneheight } = await ask<ChainInfo>(provider, 'getblockchaininfo');
    findings.push(fine(`answers, head at block ${blocks}`));
    if (pruned)
      warn(`has pruned blocks below ${pruneheight ?? '?'}: deposits in them are not seen after a longer downtime`);
    if (!(await hasIndex(provider))) warn('has no transaction index: start it with txindex=1');
    const { http, zmq } = config.endpoints[provider.index] ?? { http: '' };
    const published = zmq ?? (await publishedAddress(provider, http));
    const polled = 'does not publish its pool (zmqpubsequence): it is polled';
    findings.push(fine(published === undefined || published === 'off' ? polled : `publishes its pool at ${published}`));
  } catch (error) {
    warn(`${text(error)}; check the URL and that the node is up`);
  }
  return findings;
}

/** Whether transactions can be found by id; true if the node cannot answer. */
async function hasIndex(provider: Provider): Promise<boolean> {
  try {
    const reported = await ask<Readonly<Record<string, { readonly synced: boolean }>>>(provider, 'getindexinfo', [
      'txindex',
    ]);
    return reported['txindex'] !== undefined;
  } catch (error) {
    if (error instanceof RpcError) return true;
    throw error;
  }
}

async function probeFunds(config: ChainConfig, { lane }: OwnAddresses, provider: Provider): Promise<Finding> {
  try {
    const held = await scannedBalance(provider, config, lane);
    const funds = `${coins(held)} ${config.facts.currency.symbol}`;
    if (held >= config.gasReserve) return fine(`${lane} holds ${funds}`);
    const message = `${lane} holds only ${funds}; send coins to it, because it pays all fills and fees`;
    return { ok: false, level: 'warning', message };
  } catch (error) {
    const message = `the outputs of the solver cannot be read (${text(error)}); a node must support scantxoutset`;
    return { ok: false, level: 'warning', message };
  }
}

function coins(satoshis: bigint): string {
  const digits = satoshis.toString().padStart(9, '0');
  return `${digits.slice(0, -8)}.${digits.slice(-8)}`;
}

function fine(message: string): Finding {
  return { ok: true, level: 'error', message };
}

function text(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
