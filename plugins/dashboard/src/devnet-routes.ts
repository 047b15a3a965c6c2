import { apiError, invalidRequest, type PluginCall, type PluginRoute, type TestAccounts } from '@causeway/core';
import { standingOf } from './access.js';
import type { Sessions } from './sessions.js';

/** Test accounts of a local build, for those who are signed in. */
export function devnetRoutes(accounts: TestAccounts, sessions: Sessions): readonly PluginRoute[] {
  const signedIn = async (call: PluginCall): Promise<void> => {
    // guard: dashboard-devnet-session
    if ((await standingOf(call, sessions)).kind !== 'open') throw apiError('UNAUTHORIZED', 'Sign in');
  };
  return [
    {
      method: 'GET',
      path: '/devnet',
      access: 'open',
      handle: async (call) => {
        await signedIn(call);
        return { json: { accounts: accounts.list() } };
      },
    },
    {
      method: 'POST',
      path: '/devnet/send',
      access: 'open',
      handle: async (call) => {
        await signedIn(call);
        const { from, chainId, data } = ((await call.json()) ?? {}) as Readonly<Record<string, unknown>>;
        if (typeof from !== 'string') throw invalidRequest('from', 'must be an address');
        if (typeof chainId !== 'number') throw invalidRequest('chainId', 'must be a number');
        if (typeof data !== 'object' || data === null || Array.isArray(data))
          throw invalidRequest('data', 'must be an object');
        return {
          json: { transactionHash: await accounts.send(from, chainId, data as Readonly<Record<string, unknown>>) },
        };
      },
    },
  ];
}
