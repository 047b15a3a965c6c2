import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { DevnetAccount, DevnetSeedResult } from '../../contract/devnet.js';
import { writePrivate } from './private-files.js';

/** `.causeway/devnet.json`: everything a client of the local build needs, written only while it can be used. */
export interface DevnetFile {
  readonly baseUrl: string;
  /** Of the websocket of status changes. Null where the service answers no clients, and so has none. */
  readonly wsUrl: string | null;
  readonly dashboardUrl: string | null;
  /** Of the service, not of its supervisor. */
  readonly pid: number;
  readonly apiKey: string;
  readonly adminKey: string;
  readonly chains: DevnetSeedResult['chains'];
  readonly accounts: readonly DevnetAccount[];
}

/** Accounts of a chain, in the order in which its family names them. */
export function accountsOf(
  { accounts }: Pick<DevnetFile, 'accounts'>,
  chain: Pick<DevnetFile['chains'][number], 'id' | 'vmType'>,
): readonly DevnetAccount[] {
  return accounts.filter(({ vmType, chainId = chain.id }) => vmType === chain.vmType && chainId === chain.id);
}

/** The socket is served by what serves REST, at the same host and port. */
export function socketUrl(baseUrl: string): string | null {
  return baseUrl === '' ? null : `${baseUrl.replace(/^http/, 'ws')}/ws`;
}

export function devnetPath(folder: string): string {
  return join(folder, 'devnet.json');
}

/** Folder of the local build in the current folder. */
export function stateFolder(): string {
  return join(process.cwd(), '.causeway');
}

export function readDevnetFile(folder = stateFolder()): DevnetFile | undefined {
  try {
    return JSON.parse(readFileSync(devnetPath(folder), 'utf8')) as DevnetFile;
  } catch {
    return undefined;
  }
}

export function writeDevnetFile(folder: string, content: DevnetFile): void {
  writePrivate(devnetPath(folder), `${JSON.stringify(content, null, 2)}\n`);
}

export function removeDevnetFile(folder: string): void {
  rmSync(devnetPath(folder), { force: true });
}
