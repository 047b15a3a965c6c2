import { callAdmin } from '../cli/admin-client.js';
import { accountsOf, type DevnetFile } from './devnet-file.js';

/** Enough for many thousands of calls. */
const MICRO_USD = '100000000';
const INTEGRATOR = 'config:local';

/**
 * Links a funded account to the local build's integrator and credits its balance, once. Safe to repeat at each start.
 *
 * @returns what went wrong; undefined: nothing.
 */
export async function fundLocalBalance(devnet: Omit<DevnetFile, 'dashboardUrl'>): Promise<string | undefined> {
  const { chains, baseUrl: url, adminKey: key } = devnet;
  const fundingAddress = chains[0] && accountsOf(devnet, chains[0])[0]?.address;
  const change = { integratorId: INTEGRATOR, amount: MICRO_USD, reason: 'Local build', changeId: 'local-build' };
  try {
    if (fundingAddress !== undefined)
      await callAdmin({ url, key }, 'integrators/link', { integratorId: INTEGRATOR, fundingAddress });
    await callAdmin({ url, key }, 'balances/credit', change);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
