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
 * The deposits of one transaction: its outputs that pay the depository or a deposit address. Outputs that pay the depository beside one
 * order are one deposit of it, up to `MOST_SUMMED`.
 *
 * A transaction that spends an output of ours is a movement of ours, never a deposit. What names an order is told by
 * `carriedBy`. Where more
 * outputs pay the depository, each is an orphan. The depositor is the address that the OP_RETURN names, else the address of the
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
  return paid.map(({ vout, more, value, own }) => ({
    fundingKey: fundingKeyOf(chainId, { txid: tx.txid, vout }, more),
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
  /** Further outputs that `value` is in. */
  readonly more: readonly number[];
  readonly value: bigint;
  readonly own: OwnScript;
}

/**
 * Most outputs that are one deposit. Each is an input of what is paid from it, and the fee of a refund is worked out for one: strangers
 * choose how many there are.
 */
const MOST_SUMMED = 4;

function paidBy({ network, scripts }: DepositReading, tx: RawTransaction) {
  const named = carriedBy(
    tx.outputs.map(({ script }) => script),
    network,
  );
  const paid = tx.outputs.flatMap(({ value, script }, vout): readonly Paid[] => {
    const own = value > 0n ? scripts.of(script) : undefined;
    return own === undefined || own.role === 'lane' ? [] : [{ vout, more: [], value, own }];
  });
  const [first, ...more] = paid.filter(({ own }) => own.role === 'depository');
  if (first === undefined || named === undefined || more.length >= MOST_SUMMED) return { named, paid, orderId: null };
  const value = more.reduce((sum, one) => sum + one.value, first.value);
  const sum = { ...first, value, more: more.map(({ vout }) => vout) };
  const rest = paid.filter(({ own }) => own.role !== 'depository');
  return { named, paid: [sum, ...rest], orderId: named.orderId };
}

function takesDeposits(scripts: OwnScripts, script: Buffer): boolean {
  const role = scripts.of(script)?.role;
  return role === 'depository' || role === 'depositAddress';
}

function depositorOf(first: Prevout | undefined, network: Network): string {
  if (first === undefined) throw new Error('a transaction without inputs');
  return scriptName(first.script, network);
}
