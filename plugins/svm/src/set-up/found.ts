import type { SetUpItem } from '@causeway/core';
import type { HttpClient, Provider } from '@causeway/core/rpc';
import type { ChainConfig } from '../chain-config.js';
import type { Ed25519Signer } from '../signer.js';
import type { Solver } from '../transactions/build.js';
import type { Step } from './carry-out.js';

/** What a set-up looks for things with. */
export interface Finding {
  readonly config: ChainConfig;
  readonly solver: Solver;
  /** Pays for everything; none of the solver's keys where a service has worked. */
  readonly payer: Ed25519Signer;
  readonly vault: Ed25519Signer;
  /** Micro-lamports per compute unit. */
  readonly price: bigint;
  readonly provider: Provider;
}

/** One thing as it was found. */
export interface Found {
  readonly item: SetUpItem;
  /** Where it is missing: what makes it, in order. */
  readonly making?: {
    readonly steps: readonly Step[];
    /** Told once it is made. */
    done(): string;
  };
}

/** Lamports that an account of so many bytes has to hold. */
export async function rentOf(rpc: Pick<HttpClient, 'request'>, bytes: number): Promise<bigint> {
  return BigInt(await rpc.request<number>('getMinimumBalanceForRentExemption', [bytes]));
}
