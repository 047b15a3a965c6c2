import { type Address, encodeFunctionData, type Hex } from 'viem';
import { batcher } from '../../plugins/evm/src/generated/contracts.js';
import type { TestChain } from './chain.js';
import { deploy } from './contracts.js';
import { fund, newUser, type User } from './wallet.js';
import type { Order, World } from './world.js';

/** A user without coin, whose account delegates to a contract that makes batches of calls (EIP-7702). */
export interface BatchWallet {
  readonly user: User;
  readonly authorization: object;
}

export async function batchWallet(chain: TestChain, amounts: Readonly<Record<string, bigint>>): Promise<BatchWallet> {
  const code = await deploy(chain, batcher);
  const user = newUser();
  await fund(chain, user.address, { ...amounts, ETH: 0n });
  const { yParity, r, s } = await user.account.signAuthorization({ address: code, chainId: chain.id, nonce: 0 });
  return { user, authorization: { chainId: chain.id, address: code, nonce: 0, yParity, r, s } };
}

/**
 * `POST /execute` for a quote: its steps as one batch of its payer's account, sent by the service.
 *
 * @throws for another answer than 200.
 */
export async function executeQuote(
  { rest }: Pick<World, 'rest'>,
  { user, authorization }: BatchWallet,
  { quote, requestId, from }: Pick<Order, 'quote' | 'requestId' | 'from'>,
): Promise<void> {
  const calls = quote.steps.flatMap(({ items }) =>
    items.map(({ data }) => ({ to: data.to as Address, value: 0n, data: data.data as Hex })),
  );
  const data = encodeFunctionData({ abi: batcher.abi, functionName: 'execute', args: [calls] });
  const call = { chainId: from.id, to: user.address, value: '0', data, authorizationList: [authorization] };
  const reply = await fetch(`${rest.baseUrl}/execute`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'x-api-key': rest.apiKey,
      'Idempotency-Key': `quoted-${requestId.slice(2, 34)}`,
    },
    body: JSON.stringify({ executionKind: 'rawCalls', requestId, data: call }),
  });
  const text = await reply.text();
  if (reply.status !== 200 || JSON.parse(text).requestId !== requestId)
    throw new Error(`/execute answered ${reply.status}: ${text}`);
}
