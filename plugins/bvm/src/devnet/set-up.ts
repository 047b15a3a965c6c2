import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Network } from '../network.js';
import { users } from './keys.js';
import { LocalNodeError, rpc } from './rpc.js';

export interface Roles {
  readonly lane: string;
  readonly depository: string;
}

/** Whole coins. Users get several outputs, to pay again before the first payment confirms. */
const COINS = { lane: 100, user: 2 } as const;
const OUTPUTS = 5;
/** Coinbase maturity plus ten blocks of rewards. */
const BLOCKS = 111;
const WALLET = 'devnet';

interface Mark extends Roles {
  readonly block: string;
}

/**
 * Funds lane and users once per chain and key set.
 *
 * @returns true when this chain was not set up for these roles before.
 */
export async function setUpChain(url: string, stateDir: string, network: Network, roles: Roles): Promise<boolean> {
  const path = join(stateDir, 'seeded.json');
  if (await isSetUp(url, path, roles)) return false;
  await openWallet(url);
  const own = await rpc<string>(url, 'getnewaddress', ['', 'bech32']);
  await rpc(url, 'generatetoaddress', [BLOCKS, own]);
  const everybody = Object.fromEntries(users(network).map(({ address }) => [address, COINS.user]));
  await rpc(url, 'sendmany', ['', { ...everybody, [roles.lane]: COINS.lane }]);
  for (let n = 1; n < OUTPUTS; n += 1) await rpc(url, 'sendmany', ['', everybody]);
  const [block] = await rpc<readonly string[]>(url, 'generatetoaddress', [1, own]);
  const mark: Mark = { ...roles, block: block ?? '' };
  writeFileSync(path, JSON.stringify(mark), { mode: 0o600 });
  return true;
}

async function isSetUp(url: string, path: string, { lane, depository }: Roles): Promise<boolean> {
  if (!existsSync(path)) return false;
  const mark = JSON.parse(readFileSync(path, 'utf8')) as Mark;
  if (mark.lane !== lane || mark.depository !== depository) return false;
  try {
    const { confirmations } = await rpc<{ confirmations: number }>(url, 'getblockheader', [mark.block]);
    return confirmations > 0;
  } catch (error) {
    if (error instanceof LocalNodeError) return false;
    throw error;
  }
}

async function openWallet(url: string): Promise<void> {
  if ((await rpc<readonly string[]>(url, 'listwallets')).includes(WALLET)) return;
  try {
    await rpc(url, 'loadwallet', [WALLET]);
  } catch (error) {
    if (!(error instanceof LocalNodeError)) throw error;
    await rpc(url, 'createwallet', [WALLET]);
  }
}
