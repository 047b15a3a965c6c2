import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { DevnetAccount, DevnetSeedResult } from '../../contract/devnet.js';
import { writePrivate } from './private-files.js';

/** `.causeway/devnet.json`: everything a client of the local build needs. Exists only while the build is usable. */
export interface DevnetFile {
  readonly baseUrl: string;
  /** Websocket of status changes. Null if the service has no API. */
  readonly wsUrl: string | null;
  readonly dashboardUrl: string | null;
  /** Of the service, not of its supervisor. */
  readonly pid: number;
  readonly apiKey: string;
  readonly adminKey: string;
  readonly chains: DevnetSeedResult['chains'];
  readonly accounts: readonly DevnetAccount[];
}

export function accountsOf(
  { accounts }: Pick<DevnetFile, 'accounts'>,
  chain: Pick<DevnetFile['chains'][number], 'id' | 'vmType'>,
): readonly DevnetAccount[] {
  return accounts.filter(({ vmType, chainId = chain.id }) => vmType === chain.vmType && chainId === chain.id);
}

export function socketUrl(baseUrl: string): string | null {
  return baseUrl === '' ? null : `${baseUrl.replace(/^http/, 'ws')}/ws`;
}

export function devnetPath(folder: string): string {
  return join(folder, 'devnet.json');
}

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
