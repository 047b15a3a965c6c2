import { send } from '../../api/client.js';
import { Failure } from '../../api/failure.js';

export interface TestAccount {
  readonly vmType: string;
  readonly address: string;
  /** Of the chain that it is for, where a family has other accounts on each. */
  readonly chainId?: number;
}

/** Funded accounts of a local build; empty on any other, which has none. */
export async function testAccounts(signal: AbortSignal): Promise<readonly TestAccount[]> {
  try {
    const answer = await send('GET', '/dashboard/devnet', undefined, signal);
    return ((await answer.json()) as { readonly accounts: readonly TestAccount[] }).accounts;
  } catch (error) {
    if (error instanceof Failure && error.status !== 0) return [];
    throw error;
  }
}

/** Signs and sends with a test account; resolves with the transaction's hash once it is included. */
export async function sendStep(from: string, chainId: number, data: unknown): Promise<string> {
  const answer = await send('POST', '/dashboard/devnet/send', { from, chainId, data });
  return ((await answer.json()) as { readonly transactionHash: string }).transactionHash;
}
