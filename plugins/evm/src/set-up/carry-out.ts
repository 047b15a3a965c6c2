import { type Clock, type Hex, NotSignedError } from '@causeway/core';
import type { Provider, Providers } from '@causeway/core/rpc';
import { keccak256 } from 'viem/utils';
import type { ChainConfig } from '../chain-config.js';
import type { RpcBlock, RpcReceipt } from '../rpc/types.js';
import { signTransaction, type TransactionSigner, type UnsignedTransaction } from '../signed-transaction.js';
import { send } from '../submitter.js';

export interface CarryDeps {
  readonly config: Pick<ChainConfig, 'gas' | 'facts' | 'watch'>;
  readonly providers: Providers;
  readonly clock: Clock;
  /** How long a transaction may take to be included. */
  readonly patienceMs: number;
}

export interface SetUpCall {
  /** Absent: it creates a contract. */
  readonly to?: Hex;
  readonly data: Hex;
  /** The only nonce that it may have. */
  readonly nonce?: number;
}

export interface SentCall {
  readonly signer: string;
  readonly nonce: number;
  readonly bytes: Hex;
  readonly hash: Hex;
}

/** `spent`: another transaction took its nonce, so that it never lands. `unknown`: no conclusive answer in time. */
export type CallEnd =
  | { readonly is: 'landed'; readonly cost: bigint }
  | { readonly is: 'reverted' | 'unknown'; readonly why: string }
  | { readonly is: 'spent' };

/** Of the estimate, per thousand: state may change before it is included. */
const GAS_MARGIN = 1_250n;

/** wei per gas that a transaction offers now at most. */
export async function feeTerms({ gas }: CarryDeps['config'], { rpc }: Provider) {
  const [head, suggested] = await Promise.all([
    rpc.request<RpcBlock>('eth_getBlockByNumber', ['latest', false]),
    rpc
      .request<Hex>('eth_maxPriorityFeePerGas')
      .then(BigInt)
      .catch(() => gas.minPriorityFeePerGas),
  ]);
  const tip = suggested > gas.minPriorityFeePerGas ? suggested : gas.minPriorityFeePerGas;
  const maxPriorityFeePerGas = tip < gas.maxPriorityFeePerGas ? tip : gas.maxPriorityFeePerGas;
  const wanted = BigInt(head.baseFeePerGas ?? '0x0') * 2n + maxPriorityFeePerGas;
  const maxFeePerGas = wanted < gas.maxFeePerGas ? wanted : gas.maxFeePerGas;
  return {
    maxFeePerGas,
    maxPriorityFeePerGas: maxPriorityFeePerGas < maxFeePerGas ? maxPriorityFeePerGas : maxFeePerGas,
  };
}

export async function estimate({ rpc }: Provider, from: string, { to, data }: SetUpCall): Promise<bigint> {
  const gas = BigInt(await rpc.request<Hex>('eth_estimateGas', [{ from, to, data }]));
  return (gas * GAS_MARGIN) / 1_000n;
}

export interface Counts {
  readonly latest: number;
  readonly pending: number;
}

export async function countsOf({ rpc }: Provider, signer: string): Promise<Counts> {
  const [latest = 0, pending = 0] = await Promise.all(
    ['latest', 'pending'].map((tag) => rpc.request<Hex>('eth_getTransactionCount', [signer, tag]).then(Number)),
  );
  return { latest, pending };
}

/** Waits until nothing of the signer is in flight, as after an interrupted run. @returns text where that does not end. */
export async function idleNonce(deps: CarryDeps, signer: string): Promise<number | string> {
  const began = deps.clock.monotonic();
  for (;;) {
    const { latest, pending } = await deps.providers.run((provider) => countsOf(provider, signer));
    if (pending <= latest) return latest;
    if (deps.clock.monotonic() - began > deps.patienceMs)
      return `${pending - latest} transactions of ${signer} are pending, from nonce ${latest} on: wait until they land, or replace them, then run setup again`;
    await deps.clock.sleep(deps.config.watch.pollMs);
  }
}

/** Signs for the next nonce. Nothing of the signer may be in flight. @returns text: why it cannot be signed. */
export async function signCall(
  deps: CarryDeps,
  signer: TransactionSigner,
  call: SetUpCall,
): Promise<SentCall | string> {
  const nonce = await idleNonce(deps, signer.address);
  if (typeof nonce === 'string') return nonce;
  // guard: evm-set-up-own-nonce
  if (call.nonce !== undefined && call.nonce !== nonce)
    return `another program used ${signer.address} meanwhile, so that the contract would go elsewhere: stop that program, then run it again`;
  const transaction = await deps.providers.run(async (provider): Promise<UnsignedTransaction | string> => {
    const [gas, terms] = await Promise.all([
      estimate(provider, signer.address, call).catch(
        (error: unknown) => `it would fail: ${error instanceof Error ? error.message : String(error)}`,
      ),
      feeTerms(deps.config, provider),
    ]);
    if (typeof gas === 'string') return gas;
    return {
      ...{ chainId: deps.config.facts.id, nonce, data: call.data, gas, ...terms },
      ...(call.to === undefined ? {} : { to: call.to }),
      type: 'eip1559',
    };
  });
  if (typeof transaction === 'string') return transaction;
  try {
    const bytes = await signTransaction(signer, transaction);
    return { signer: signer.address, nonce, bytes, hash: keccak256(bytes) };
  } catch (error) {
    if (error instanceof NotSignedError) return error.message;
    throw error;
  }
}

const RESEND_INTERVAL_MS = 2_000;

/** Resends until the outcome is known, whatever the send returns: a reply may be lost. */
export async function settled(deps: CarryDeps, { signer, nonce, bytes, hash }: SentCall): Promise<CallEnd> {
  const { clock, providers, config, patienceMs } = deps;
  const began = clock.monotonic();
  let offered = Number.NEGATIVE_INFINITY;
  let refused = 'it was not included in time';
  for (;;) {
    if (clock.monotonic() - offered > RESEND_INTERVAL_MS) {
      offered = clock.monotonic();
      const outcome = await send(providers, { bytes, hash });
      if (outcome.outcome !== 'accepted') refused = 'message' in outcome ? outcome.message : outcome.outcome;
    }
    const end = await providers.run(async (provider): Promise<CallEnd | undefined> => {
      // Counted first: a receipt that is missing afterwards belongs to no transaction with this nonce.
      const { latest } = await countsOf(provider, signer);
      const receipt = await provider.rpc.request<RpcReceipt | null>('eth_getTransactionReceipt', [hash]);
      if (receipt === null) return latest > nonce ? { is: 'spent' } : undefined;
      const cost =
        BigInt(receipt.gasUsed) * BigInt(receipt.effectiveGasPrice ?? '0x0') + BigInt(receipt.l1Fee ?? '0x0');
      return receipt.status === '0x1' ? { is: 'landed', cost } : { is: 'reverted', why: `${hash} reverted` };
    });
    if (end !== undefined) return end;
    if (clock.monotonic() - began > patienceMs) return { is: 'unknown', why: refused };
    await clock.sleep(config.watch.pollMs);
  }
}
