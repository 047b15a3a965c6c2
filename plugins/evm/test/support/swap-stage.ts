import type { DestinationCall, Hex, SwapParties, SwapWish } from '@causeway/core';
import type { Made } from '@causeway/core/testing';
import { type Address, decodeFunctionData, erc20Abi, type TransactionReceipt } from 'viem';
import { fillRouter } from '../../src/generated/contracts.js';
import { type Dealer, ENOUGH } from './uniswap.js';
import { testClient, wallet } from './wallet.js';
import { FILL_KEY, fillSigner, type World } from './world.js';

const NATIVE = '0x0000000000000000000000000000000000000000';
const ORDER: Hex = `0x${'5a'.repeat(32)}`;
const FAR_DEADLINE = 10n ** 12n;
const ALL = 2n ** 256n - 1n;
/** Less than a case of a kit has, so that `make` restores the state: the order of a fill that is left makes all others revert. */
const FILL_TIMEOUT_MS = 20_000;
const TRACE_FIELDS = ['to', 'gasUsed', 'error', 'revertReason', 'output', 'calls'];

/** Unused, so that its balance is what it receives. */
export const RECIPIENT: Hex = `0x${'7e'.repeat(20)}`;

export interface SwapStage {
  readonly payer: Hex;
  readonly recipient: Hex;
  /** Why fills reverted, in order, wanted or not. */
  readonly reverts: readonly string[];
  grants(calls: readonly DestinationCall[]): readonly { readonly currency: string; readonly amount: bigint }[];
  /** `undefined`: it reverted. State is not restored. @param least what is measured. */
  fill(
    wish: SwapWish,
    calls: readonly DestinationCall[],
    parties: SwapParties,
    least: bigint,
  ): Promise<TransactionReceipt | undefined>;
  make(wish: SwapWish, calls: readonly DestinationCall[], parties: SwapParties, isMeasured: boolean): Promise<Made>;
  balance(currency: string, owner: string): Promise<bigint>;
}

/** @param tokens funded by the dealer and approved for the router. */
export async function swapStage(
  { anvil, deployed }: World,
  { write }: Dealer,
  tokens: readonly (readonly [Address, bigint])[],
): Promise<SwapStage> {
  const client = testClient(anvil);
  const filler = wallet(anvil, { address: fillSigner.address, privateKey: FILL_KEY });
  const { router } = deployed;
  await client.setBalance({ address: fillSigner.address, value: 10n ** 24n });
  for (const [token, amount] of tokens) {
    await write(token, erc20Abi, 'transfer', [fillSigner.address, amount]);
    const args = [router, ALL] as const;
    const hash = await filler.writeContract({ address: token, abi: erc20Abi, functionName: 'approve', args });
    await client.waitForTransactionReceipt({ hash, pollingInterval: 20 });
  }
  const account = await client.readContract({
    ...{ address: router, abi: fillRouter.abi, functionName: 'accountOf', args: [ORDER, RECIPIENT] },
  });
  const payer = account.toLowerCase() as Hex;
  const balance = (currency: string, owner: string): Promise<bigint> =>
    currency === NATIVE
      ? client.getBalance({ address: owner as Hex })
      : client.readContract({
          ...{ address: currency as Hex, abi: erc20Abi, functionName: 'balanceOf', args: [owner as Hex] },
        });
  const reverts: string[] = [];
  const stage: SwapStage = {
    payer,
    reverts,
    recipient: RECIPIENT,
    balance,
    grants: (calls) => approvals(calls).map(({ token, amount }) => ({ currency: token, amount })),
    fill: async (wish, calls, { limit }, least) => {
      const most = wish.kind === 'exactInput' ? wish.amount : limit;
      const made = calls.map(({ to, value, data }) => ({ to: to as Hex, value, data }));
      const wanted = { token: wish.output as Hex, least };
      const hash = await filler.writeContract({
        ...{ address: router, abi: fillRouter.abi, functionName: 'fillWithSwap', gas: ENOUGH },
        args: [wish.input as Hex, RECIPIENT, most, FAR_DEADLINE, ORDER, made, wanted],
        value: wish.input === NATIVE ? most : 0n,
      });
      const receipt = await client.waitForTransactionReceipt({ hash, timeout: FILL_TIMEOUT_MS });
      if (receipt.status === 'success') return receipt;
      const at = `nonce ${(await client.getTransaction({ hash })).nonce} in block ${receipt.blockNumber}`;
      const trace = await anvil.rpc('debug_traceTransaction', [hash, { tracer: 'callTracer' }]);
      reverts.push(`${wish.input} to ${wish.output}, ${at}: ${JSON.stringify(trace, TRACE_FIELDS)}`);
      return undefined;
    },
    make: async (wish, calls, parties, isMeasured) => {
      const id = await client.snapshot();
      try {
        const [most, least] = wish.kind === 'exactInput' ? [wish.amount, parties.limit] : [parties.limit, wish.amount];
        const before = await Promise.all([balance(wish.input, RECIPIENT), balance(wish.output, RECIPIENT)]);
        const receipt = await stage.fill(wish, calls, parties, isMeasured ? least : 0n);
        if (receipt === undefined) return { done: false };
        const after = await Promise.all([balance(wish.input, RECIPIENT), balance(wish.output, RECIPIENT)]);
        const left = await Promise.all(
          approvals(calls).map(({ token, spender }) =>
            client.readContract({ address: token, abi: erc20Abi, functionName: 'allowance', args: [payer, spender] }),
          ),
        );
        const taken = most - (after[0] - before[0]);
        return { done: true, taken, got: after[1] - before[1], left: left.reduce((sum, one) => sum + one, 0n) };
      } finally {
        await client.revert({ id });
      }
    },
  };
  return stage;
}

function approvals(calls: readonly DestinationCall[]) {
  return calls.flatMap(({ to, data }) => {
    try {
      const { functionName, args } = decodeFunctionData({ abi: erc20Abi, data });
      if (functionName !== 'approve') return [];
      return [{ token: to as Hex, spender: args[0], amount: args[1] }];
    } catch {
      return [];
    }
  });
}
