import type { ProbeResult } from '@causeway/core';
import { type Provider, RpcError } from '@causeway/core/rpc';
import { readAccount } from './chain/read.js';
import type { ChainConfig } from './chain-config.js';
import type { Toncenter } from './http/toncenter.js';
import { identify } from './identity.js';
import { ORDER_COST } from './lane/costs.js';
import type { TonSigner } from './wallet.js';

/** `doctor` warns about a wallet that can pay fewer orders. */
const MIN_ORDERS = 20n;

/** For `doctor`: checks every provider, and the wallets' existence and balances. Never throws. */
export async function probeChain(
  { endpoints, facts, zeroState }: ChainConfig,
  connect: (index: number, label: string) => Toncenter,
  signers: Readonly<Record<string, TonSigner>>,
  signal: AbortSignal,
): Promise<readonly ProbeResult[]> {
  const results: ProbeResult[] = [];
  let working: Provider<Toncenter> | undefined;
  for (const [index, { http }] of endpoints.entries()) {
    if (signal.aborted) return results;
    const name = `provider ${index + 1} (${new URL(http).host})`;
    const place = { name: `${facts.name}: ${name}`, optionPath: `rpc[${index}].http` };
    const rpc = connect(index, name);
    try {
      const identity = await identify(rpc, zeroState);
      if (identity.is === 'right') {
        working ??= { index, name, ws: undefined, rpc };
        results.push({ ...place, ok: true, level: 'error', message: 'answers, and serves this network' });
      } else results.push({ ...place, ok: false, level: 'error', message: `${name} ${identity.reason}` });
    } catch (error) {
      results.push({ ...place, ok: false, level: 'warning', message: `${(error as Error).message}; check the URL` });
    }
  }
  if (working === undefined) {
    const message = 'none of its providers can be used';
    return [...results, { name: facts.name, ok: false, level: 'error', message, optionPath: 'rpc' }];
  }
  for (const [role, signer] of Object.entries(signers)) {
    if (signal.aborted) return results;
    results.push(await probeWallet(working, facts.name, role, signer));
  }
  return results;
}

async function probeWallet(
  provider: Provider<Toncenter>,
  chain: string,
  role: string,
  { address, raw }: TonSigner,
): Promise<ProbeResult> {
  const place = { name: `${chain}: ${role} wallet`, optionPath: `signers.${role}`, level: 'warning' } as const;
  try {
    const { balance, active } = await readAccount(provider, raw);
    if (balance < MIN_ORDERS * ORDER_COST)
      return {
        ...place,
        ok: false,
        message: `${address} holds ${balance} nanotons: send it more, because it pays its fees`,
      };
    if (!active && role !== 'sweeper')
      return {
        ...place,
        ok: false,
        message: `${address} is not deployed yet: payments before its first transaction are not seen`,
      };
    return { ...place, ok: true, message: `${address} is deployed and can pay its fees` };
  } catch (error) {
    if (error instanceof RpcError) return { ...place, ok: false, message: `${address}: ${error.message}` };
    return { ...place, ok: false, message: (error as Error).message };
  }
}
