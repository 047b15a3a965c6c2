import type { DevnetAccount } from '@causeway/core';
import type { LocalSide } from '../local-build.js';

export interface Payment {
  readonly to: string;
  readonly symbol: string;
  /** Smallest unit. */
  readonly amount: bigint;
}

/** Plain transfers of one family, written without the quote's steps and without the plugin's code. */
export interface Sender {
  /** A never used account, which holds exactly what it is paid. */
  newAddress(): string;
  /**
   * All payments in one transaction, as exchanges pay withdrawals; one alone as any wallet sends it. Resolves with the hash
   * that the payer knows, once included.
   */
  send(side: LocalSide, payer: DevnetAccount, payments: readonly Payment[]): Promise<string>;
}
