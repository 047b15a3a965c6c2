import type { BlockRef, ChainId, DepositObservation, ObservationState, OrderId } from '@causeway/core';
import { NATIVE, scriptName } from '../addresses.js';
import { fundingKeyOf } from '../funding-key.js';
import type { Network } from '../network.js';
import { isCoinbase, type RawTransaction } from '../raw/transaction.js';
import type { Prevout } from '../rpc/prevouts.js';
import { carriedBy } from './carried.js';
import type { OwnScript, OwnScripts } from './scripts.js';

/** Whose deposits are read. */
export interface DepositReading {
  readonly chainId: ChainId;
  readonly network: Network;
  readonly scripts: OwnScripts;
}

/** Where a transaction was seen. */
export interface Sighted {
  readonly state: Exclude<ObservationState, 'vanished'>;
  readonly block: BlockRef | null;
}

/** Whether a transaction pays anything that takes deposits: only then its inputs are worth looking up. */
export function mayDeposit({ scripts }: DepositReading, tx: RawTransaction): boolean {
  return !isCoinbase(tx) && tx.outputs.some(({ script, value }) => value > 0n && takesDeposits(scripts, script));
}

/**
 * The deposits of one transaction: its outputs that pay the depository or a deposit address.
 *
 * A transaction that spends an output of ours is a movement of ours, never a deposit. What names an order is told by
 * `carriedBy`. It names the order of the single output that pays the depository; where several outputs pay it, nobody can say which
 * of them is meant, and each is an orphan. The depositor is the address that the OP_RETURN names, else the address of the
 * first input; a script without an address gets a name (`scriptName`) to which nothing can be paid.
 *
 * Invariant: whatever is on the chain, no text of an answer is longer than 128 characters.
 *
 * @param spent what the inputs spend, in their order.
 */
export function readDeposits(
  reading: DepositReading,
  tx: RawTransaction,
  spent: readonly Prevout[],
  { state, block }: Sighted,
): readonly DepositObservation[] {
  const { chainId, network, scripts } = reading;
  if (!mayDeposit(reading, tx) || spent.some(({ script }) => scripts.of(script) !== undefined)) return [];
  const { named, paid, orderId } = paidBy(reading, tx);
  const depositor = named?.depositor ?? depositorOf(spent[0], network);
  return paid.map(({ vout, value, own }) => ({
    fundingKey: fundingKeyOf(chainId, { txid: tx.txid, vout }),
    chainId,
    transactionHash: tx.txid,
    currency: NATIVE,
    amount: value,
    depositor,
    orderId: own.role === 'depository' ? orderId : null,
    depositAddress: own.role === 'depositAddress' ? own.address : null,
    state,
    block,
  }));
}

/** What a transaction says by itself, before anybody is asked what it spends. */
export interface Claim {
  /** Satoshis that it pays to scripts that take deposits. */
  readonly amount: bigint;
  /** The order that it would fund. */
  readonly orderId: OrderId | null;
}

export function claimOf(reading: DepositReading, tx: RawTransaction): Claim {
  const { paid, orderId } = paidBy(reading, tx);
  return { amount: paid.reduce((sum, { value }) => sum + value, 0n), orderId };
}

interface Paid {
  readonly vout: number;
  readonly value: bigint;
  readonly own: OwnScript;
}

function paidBy({ network, scripts }: DepositReading, tx: RawTransaction) {
  const named = carriedBy(
    tx.outputs.map(({ script }) => script),
    network,
  );
  const paid = tx.outputs.flatMap(({ value, script }, vout): readonly Paid[] => {
    const own = value > 0n ? scripts.of(script) : undefined;
    return own === undefined || own.role === 'lane' ? [] : [{ vout, value, own }];
  });
  const alone = paid.filter(({ own }) => own.role === 'depository').length === 1;
  return { named, paid, orderId: alone ? (named?.orderId ?? null) : null };
}

function takesDeposits(scripts: OwnScripts, script: Buffer): boolean {
  const role = scripts.of(script)?.role;
  return role === 'depository' || role === 'depositAddress';
}

function depositorOf(first: Prevout | undefined, network: Network): string {
  if (first === undefined) throw new Error('a transaction without inputs');
  return scriptName(first.script, network);
}
