import type { Devnet, TestAccounts } from '../../contract/devnet.js';
import { invalidRequest } from '../../errors/api-error.js';
import { accountsOf, type DevnetFile, readDevnetFile, stateFolder } from './devnet-file.js';
import { loadWallets } from './wallets.js';

/** Of the local build that this process is the service of, and of no other. */
export function testAccounts(folder = stateFolder()): TestAccounts {
  let wallets: Promise<ReadonlyMap<number, Devnet>> | undefined;
  const own = (): DevnetFile | undefined => {
    const file = readDevnetFile(folder);
    // guard: own-devnet
    if (file?.pid !== process.pid) return undefined;
    return file;
  };
  return {
    list: () =>
      (own()?.accounts ?? []).map(({ vmType, chainId, address }) => ({
        vmType,
        address,
        ...(chainId === undefined ? {} : { chainId }),
      })),
    send: async (from, chainId, data) => {
      const file = own();
      const chain = file?.chains.find(({ id }) => id === chainId);
      if (!file || !chain) throw invalidRequest('chainId', 'is not a chain of this local build');
      const account = accountsOf(file, chain).find(({ address }) => address === from);
      if (!account) throw invalidRequest('from', 'is not a test account of this chain');
      wallets ??= loadWallets(folder);
      const wallet = (await wallets).get(chainId);
      if (!wallet) throw invalidRequest('chainId', 'has no test wallet');
      try {
        return await wallet.sendStep(account, chain.rpcUrl, data);
      } catch (error) {
        throw invalidRequest(
          'data',
          `could not be sent: ${error instanceof Error ? error.message.slice(0, 500) : 'unknown'}`,
        );
      }
    },
  };
}
