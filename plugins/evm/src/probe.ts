import type { ProbeResult } from '@causeway/core';
import { HttpClient, type Provider } from '@causeway/core/rpc';
import { formatUnits } from 'viem/utils';
import { NATIVE } from './addresses.js';
import { readBalance } from './balances.js';
import type { ChainConfig } from './chain-config.js';
import { checkContracts, type Roles } from './contracts-check.js';
import type { RpcBlock } from './rpc/types.js';
import { quantity } from './rpc/types.js';

const PROBE_TIMEOUT_MS = 5000;

/** For `doctor`, before anything is started. Never throws. */
export async function probeChain(
  config: ChainConfig,
  roles: Roles,
  signal: AbortSignal,
): Promise<readonly ProbeResult[]> {
  const { facts, endpoints, rpc } = config;
  const where = config.path;
  const results: ProbeResult[] = [];
  let working: Provider | undefined;
  for (const [index, { http, ws }] of endpoints.entries()) {
    if (signal.aborted) break;
    const name = `provider ${index + 1} (${new URL(http).host})`;
    const timeoutMs = Math.min(rpc.timeoutMs, PROBE_TIMEOUT_MS);
    const provider: Provider = { index, name, ws, rpc: new HttpClient({ url: http, label: name, ...rpc, timeoutMs }) };
    const finding = await probeProvider(config, provider);
    results.push({
      name: `${facts.name}: ${name}`,
      optionPath: `${where}.rpc[${index}]`,
      remedy: 'provider',
      ...finding,
    });
    if (finding.ok) working ??= provider;
  }
  if (signal.aborted) return results;
  if (working === undefined) {
    const message = 'none of its providers can be used: the service would start without this chain';
    return [
      ...results,
      { name: facts.name, ok: false, level: 'error', message, optionPath: `${where}.rpc`, remedy: 'provider' },
    ];
  }
  return [...results, ...(await probeState(config, roles, working, where))];
}

type Finding = Pick<ProbeResult, 'ok' | 'level' | 'message'>;

async function probeProvider({ facts, anchor }: ChainConfig, { rpc }: Provider): Promise<Finding> {
  try {
    const answered = Number(await rpc.request<string>('eth_chainId'));
    if (answered !== facts.id)
      return { ok: false, level: 'error', message: `serves chain ${answered}, not ${facts.id}` };
    const head = await rpc.request<RpcBlock | null>('eth_getBlockByNumber', ['latest', false]);
    if (anchor !== undefined) {
      const block = await rpc.request<RpcBlock | null>('eth_getBlockByNumber', [quantity(anchor.height), false]);
      if (block !== null && block.hash.toLowerCase() !== anchor.hash.toLowerCase()) {
        return { ok: false, level: 'error', message: `its block ${anchor.height} differs from the configured anchor` };
      }
    }
    return { ok: true, level: 'error', message: `answers, head at block ${Number(head?.number ?? 0)}` };
  } catch (error) {
    return { ok: false, level: 'warning', message: `${text(error)}; check the URL and that the provider is up` };
  }
}

async function probeState(
  config: ChainConfig,
  roles: Roles,
  provider: Provider,
  where: string,
): Promise<readonly ProbeResult[]> {
  const { facts, gasReserve } = config;
  const results: ProbeResult[] = [];
  try {
    const { findings } = await checkContracts(provider, config, roles);
    for (const { fatal, failing = false, option, message } of findings) {
      results.push({
        name: `${facts.name}: contracts`,
        ok: false,
        level: fatal || failing ? 'error' : 'warning',
        message,
        optionPath: `${where}.${option}`,
        ...(/^(contracts\.|signers\.fill$)/.test(option) || failing ? { remedy: 'setUp' as const } : {}),
      });
    }
    if (findings.length === 0) {
      results.push({
        name: `${facts.name}: contracts`,
        ok: true,
        level: 'error',
        message: 'depository and router exist, the keys of the service may pay out, and the tokens match the options',
      });
    }
    for (const signer of [roles.fill, roles.sweeper, ...roles.executors].flatMap((one) => one ?? [])) {
      const held = await readBalance(provider, signer, NATIVE);
      const shown = `${formatUnits(held, facts.currency.decimals)} ${facts.currency.symbol}`;
      const enough = held >= gasReserve;
      const message = enough
        ? `${signer} holds ${shown}`
        : `${signer} holds only ${shown}; send it native coin for gas`;
      results.push({
        name: `${facts.name}: gas`,
        ok: enough,
        level: 'warning',
        message,
        optionPath: `${where}.gasReserve`,
        remedy: 'fund',
      });
    }
    for (const currency of config.currencies.values()) {
      if (currency.isNative) continue;
      const inventory = await readBalance(provider, roles.fill, currency.address);
      const amount = `${formatUnits(inventory, currency.decimals)} ${currency.symbol}`;
      const lacks = config.swaps
        ? ': it is paid out by swaps alone, where pools have it'
        : '; fills in it will fail until it is funded';
      const hint = inventory > 0n ? '' : lacks;
      results.push({
        name: `${facts.name}: ${currency.symbol}`,
        ok: inventory > 0n || config.swaps,
        level: 'warning',
        message: `inventory ${amount}${hint}`,
        optionPath: `${where}.currencies`,
        remedy: 'stock',
      });
    }
  } catch (error) {
    results.push({ name: `${facts.name}: state`, ok: false, level: 'warning', message: text(error) });
  }
  return results;
}

function text(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
