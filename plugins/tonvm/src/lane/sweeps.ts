import type { SweepLeg } from '@causeway/core';
import { Address, internal, type MessageRelaxed } from '@ton/core';
import type { TonMessage } from '../chain/transaction.js';
import { addressFor, initOf, readSweep, type Sweeping, sweepBody } from '../deposit-addresses/contract.js';
import { type Jetton, walletOf } from '../jettons.js';

export interface SweepTerms {
  readonly sweeping: Sweeping;
  /** Undefined: coins. */
  readonly jetton: Jetton | undefined;
  /** Nanotons. */
  readonly attached: bigint;
}

/** Deploys the contract of the deposit address where it has none yet, and makes it pay the depository. */
export function sweepMessage(
  { from, useKey, amount }: SweepLeg,
  { sweeping, jetton, attached }: SweepTerms,
): MessageRelaxed {
  const address = addressFor(sweeping, from.salt);
  const wallet = jetton && walletOf(jetton, address);
  const body = sweepBody({ useKey, amount, wallet });
  const init = initOf(sweeping, from.salt);
  return internal({ to: Address.parse(address), value: attached, bounce: true, init, body });
}

/** Whether this message made a deposit address pay under this name. */
export function isSweepNamed({ body }: Pick<TonMessage, 'body'>, name: string): boolean {
  return readSweep(body)?.useKey === name;
}
