import type { Hex } from '@causeway/core';
import type { Provider } from '@causeway/core/rpc';
import type { ChainConfig } from '../chain-config.js';
import type { ContractFinding } from '../contracts-check.js';
import { permitEntryAbi } from './abi.js';
import { readAnswer } from './read.js';
import { spenderOf } from './spender.js';

const SAMPLE = {
  kind: 'eip2612',
  payer: `0x${'5a'.repeat(20)}`,
  token: `0x${'a5'.repeat(20)}`,
  amount: '1',
  orderId: `0x${'5a'.repeat(32)}`,
  deadline: 1,
} as const;
const NONE: Hex = `0x${'00'.repeat(20)}`;

/** The entry deposits at the depository, and asks the Permit2, that it was deployed with. */
export async function checkPermitEntry(
  provider: Provider,
  { permitEntry, permit2, depository }: ChainConfig,
): Promise<readonly ContractFinding[]> {
  if (permitEntry === undefined) return [];
  const [house, asks] = await Promise.all(
    ['depository', 'permit2'].map((name) => readAnswer<Hex>(provider, permitEntry, permitEntryAbi, name)),
  );
  const option = 'contracts.permitEntry';
  if (house?.toLowerCase() !== depository) {
    const message = `the permit entry at ${permitEntry} deposits at ${house ?? 'nothing'}, not at ${depository}`;
    return [{ fatal: true, option, message }];
  }
  const { amount, deadline, ...rest } = SAMPLE;
  const order = { ...rest, amount: BigInt(amount), deadline: BigInt(deadline) };
  const spender = await readAnswer<Hex>(provider, permitEntry, permitEntryAbi, 'spenderOf', [order]);
  if (spender?.toLowerCase() !== spenderOf(permitEntry, SAMPLE)) {
    const message = `${permitEntry} has other spenders than this version derives: deploy the contract of this version`;
    return [{ fatal: true, option, message }];
  }
  if (permit2 === undefined || asks?.toLowerCase() === permit2) return [];
  const named = asks === undefined || asks === NONE ? 'no Permit2' : asks;
  const message = `the permit entry at ${permitEntry} asks ${named}, not ${permit2}`;
  return [{ fatal: true, option: 'contracts.permit2', message }];
}
