import type { SetUpItem } from '@causeway/core';
import type { HttpClient, Provider } from '@causeway/core/rpc';
import type { ChainConfig } from '../chain-config.js';
import type { Ed25519Signer } from '../signer.js';
import type { Solver } from '../transactions/build.js';
import type { Step } from './carry-out.js';

export interface Finding {
  readonly config: ChainConfig;
  readonly solver: Solver;
  /** Pays for everything; no solver key once a service has worked. */
  readonly payer: Ed25519Signer;
  readonly vault: Ed25519Signer;
  /** Micro-lamports per compute unit. */
  readonly price: bigint;
  readonly provider: Provider;
}

export interface Found {
  readonly item: SetUpItem;
  /** If missing: the steps that create it. */
  readonly making?: {
    readonly steps: readonly Step[];
    /** Message once it is created. */
    done(): string;
  };
}

/** Rent minimum for so many bytes, lamports. */
export async function rentOf(rpc: Pick<HttpClient, 'request'>, bytes: number): Promise<bigint> {
  return BigInt(await rpc.request<number>('getMinimumBalanceForRentExemption', [bytes]));
}
