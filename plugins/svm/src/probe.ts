import type { ProbeResult } from '@causeway/core';
import { HttpClient, type Provider } from '@causeway/core/rpc';
import { NATIVE } from './addresses.js';
import { checkOwnAccounts, readBalance, shown } from './balances.js';
import type { ChainConfig } from './chain-config.js';
import { identify } from './identity.js';
import { readTables } from './lookup-tables.js';
import { mostKept, readMints } from './mints.js';
import { tableContents } from './set-up/table.js';
import type { Solver } from './transactions/build.js';

const PROBE_TIMEOUT_MS = 5_000;

/** For `doctor`: queries every provider, without starting anything. Never throws. */
export async function probeChain(
  config: ChainConfig,
  solver: Solver,
  signal: AbortSignal,
): Promise<readonly ProbeResult[]> {
  const { facts, endpoints, rpc, path } = config;
  const results: ProbeResult[] = [];
  let working: Provider | undefined;
  for (const [index, { http, ws }] of endpoints.entries()) {
    if (signal.aborted) return results;
    const name = `provider ${index + 1} (${new URL(http).host})`;
    const timeoutMs = Math.min(rpc.timeoutMs, PROBE_TIMEOUT_MS);
    const provider: Provider = { index, name, ws, rpc: new HttpClient({ url: http, label: name, ...rpc, timeoutMs }) };
    const finding = await probeProvider(config, provider);
    results.push({ name: `${facts.name}: ${name}`, optionPath: `${path}.rpc[${index}]`, ...finding });
    if (finding.ok) working ??= provider;
  }
  if (signal.aborted) return results;
  if (working === undefined) {
    const message = 'none of its providers can be used: the service would start without this chain';
    return [...results, { name: facts.name, ok: false, level: 'error', message, optionPath: `${path}.rpc` }];
  }
  return [...results, ...(await probeState(config, solver, working))];
}

type Finding = Pick<ProbeResult, 'ok' | 'level' | 'message'>;

async function probeProvider({ genesisHash }: ChainConfig, { rpc }: Provider): Promise<Finding> {
  try {
    const identity = await identify(rpc, genesisHash);
    if (identity.is !== 'right') return { ok: false, level: 'error', message: identity.reason };
    const slot = await rpc.request<number>('getSlot', [{ commitment: 'confirmed' }]);
    const oldest = await rpc.request<number>('getFirstAvailableBlock');
    return { ok: true, level: 'error', message: `answers, head at slot ${slot}, has blocks from slot ${oldest} on` };
  } catch (error) {
    return { ok: false, level: 'warning', message: `${text(error)}; check the URL and that the provider is up` };
  }
}

async function probeState(config: ChainConfig, solver: Solver, provider: Provider): Promise<readonly ProbeResult[]> {
  const { facts, path } = config;
  const results: ProbeResult[] = [];
  const add: Add = (what, finding, option) => {
    results.push({ name: `${facts.name}: ${what}`, optionPath: `${path}.${option}`, ...finding });
  };
  try {
    const mints = await readMints(provider, config, (mint, facts) => {
      const kept = mostKept(facts);
      if (kept === 0) return;
      const message = `${mint} charges up to ${kept} bps on each transfer: quotes include it for fills and collects, and the books list it for collects`;
      add('mints', fine(message), 'currencies');
    });
    for (const message of mints) add('mints', { ok: false, level: 'error', message }, 'currencies');
    if (mints.length === 0) add('mints', fine('every mint is as configured'), 'currencies');
    const accounts = await checkOwnAccounts(provider, config, solver);
    for (const { message } of accounts) add('accounts', { ok: false, level: 'error', message }, 'signers');
    if (accounts.length === 0) add('accounts', fine('the vault and the fill signer have all accounts'), 'signers');
    await probeTables(config, solver, provider, add);
    await probeFunds(config, solver, provider, add);
  } catch (error) {
    results.push({ name: `${facts.name}: state`, ok: false, level: 'warning', message: text(error) });
  }
  return results;
}

type Add = (what: string, finding: Finding, option: string) => void;

async function probeTables(config: ChainConfig, { vault }: Solver, provider: Provider, add: Add): Promise<void> {
  const { lookupTables } = config;
  if (lookupTables.length === 0) return;
  const tables = await readTables(provider, lookupTables);
  const warn = (message: string, option: string): void =>
    add('lookup tables', { ok: false, level: 'warning', message }, option);
  for (const [n, address] of lookupTables.entries()) {
    const option = `lookupTables[${n}]`;
    if (tables[n] === undefined) warn(`the lookup table ${address} does not exist; remove it from the config`, option);
    else if (!tables[n].isActive())
      warn(`${address} is deactivated and not used in quotes; remove it from the config`, option);
  }
  const usable = tables.flatMap((table) => (table?.isActive() ? table : []));
  const held = new Set(usable.flatMap(({ state }) => state.addresses.map((key) => key.toBase58())));
  const lacking = tableContents(config, vault).filter((address) => !held.has(address));
  if (lacking.length === 0)
    return add('lookup tables', fine('contain all addresses that every deposit uses'), 'lookupTables');
  const named = `${lacking.slice(0, 3).join(', ')}${lacking.length > 3 ? ', …' : ''}`;
  warn(`none contains ${named} (${lacking.length} addresses that deposits use); run causeway setup`, 'lookupTables');
}

async function probeFunds(config: ChainConfig, solver: Solver, provider: Provider, add: Add): Promise<void> {
  const { fill, sweeper } = solver;
  const held = await readBalance(provider, config, fill, NATIVE);
  const funds = shown(held, config.facts.currency);
  const enough = held >= config.gasReserve;
  const message = enough ? `${fill} holds ${funds}` : `${fill} holds only ${funds}; send it native coin for fees`;
  add('gas', { ok: enough, level: 'warning', message }, 'gasReserve');
  if (sweeper !== undefined) {
    const coins = await readBalance(provider, config, sweeper, NATIVE);
    const isEnough = coins >= config.gasReserve;
    const hint = isEnough ? '' : '; send it native coin, or transfers stay at deposit addresses';
    const said = `the sweeper ${sweeper} holds ${shown(coins, config.facts.currency)}${hint}`;
    add('deposit addresses', { ok: isEnough, level: 'warning', message: said }, 'signers');
  }
  for (const currency of config.currencies.values()) {
    if (currency.isNative) continue;
    const inventory = await readBalance(provider, config, fill, currency.address);
    const hint = inventory > 0n ? '' : '; fills in it will fail until it is funded';
    const reported = `inventory ${shown(inventory, currency)}${hint}`;
    add(currency.symbol, { ok: inventory > 0n, level: 'warning', message: reported }, 'currencies');
  }
}

function fine(message: string): Finding {
  return { ok: true, level: 'error', message };
}

function text(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
