import type { Devnet } from '../../contract/devnet.js';
import type { Schema } from '../config/schema-parts.js';
import { validateAgainst } from '../config/schema-validator.js';
import { formatPath } from '../config/yaml-source.js';
import { accountsOf, type DevnetFile } from '../dev/devnet-file.js';

/** The message names the field of `.causeway/devnet.json`. */
export class DevnetFileError extends Error {
  override readonly name = 'DevnetFileError';

  constructor(field: string, message: string) {
    super(`.causeway/devnet.json: ${field}: ${message}`);
  }
}

const text: Schema = { type: 'string', minLength: 1 };

const ACCOUNTS: Schema = {
  type: 'object',
  required: ['accounts'],
  properties: {
    accounts: {
      type: 'array',
      items: {
        type: 'object',
        required: ['vmType', 'address', 'privateKey'],
        properties: { vmType: text, chainId: { type: 'integer' }, address: text, privateKey: text },
      },
    },
  },
};

/**
 * Every account is complete, and each chain has a payer and a recipient.
 *
 * @throws DevnetFileError
 */
export function checkAccounts(devnet: DevnetFile): void {
  const [wrong] = validateAgainst(ACCOUNTS, structuredClone(devnet));
  if (wrong) throw new DevnetFileError(formatPath(wrong.path), wrong.message);
  const { chains, accounts } = devnet;
  for (const [index, { vmType, chainId }] of accounts.entries())
    if (!chains.some((chain) => chain.vmType === vmType && (chainId ?? chain.id) === chain.id))
      throw new DevnetFileError(
        `accounts[${index}]`,
        `no chain of the local build is of family ${vmType}${chainId === undefined ? '' : ` and has id ${chainId}`}`,
      );
  for (const chain of chains)
    if (accountsOf(devnet, chain).length < 2)
      throw new DevnetFileError('accounts', `chain ${chain.id} (${chain.name}) has fewer than two`);
}

/** Names the account whose key or address the wallet cannot use; SDK errors do not. */
export function namingAccounts(wallet: Devnet, { accounts }: Pick<DevnetFile, 'accounts'>): Devnet {
  const named = async <T>(wanted: string, run: () => Promise<T>): Promise<T> => {
    try {
      return await run();
    } catch (error) {
      const at = accounts.findIndex(({ address }) => address === wanted);
      const first = error instanceof Error ? (error.message.split('\n')[0] ?? '') : String(error);
      // Never show keys, even if worthless elsewhere.
      const reported = accounts.reduce((text, { privateKey }) => text.replaceAll(privateKey, '…'), first);
      throw new DevnetFileError(`accounts[${at}]`, `its wallet cannot use it: ${reported}`);
    }
  };
  return {
    ...wallet,
    sendStep: (account, ...rest) => named(account.address, () => wallet.sendStep(account, ...rest)),
    balance: (rpcUrl, address, currency) => named(address, () => wallet.balance(rpcUrl, address, currency)),
  };
}
