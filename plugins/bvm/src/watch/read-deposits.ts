import type { BlockRef, ChainId, DepositObservation, ObservationState, OrderId } from '@causeway/core';
import { NATIVE, scriptName } from '../addresses.js';
import { fundingKeyOf } from '../funding-key.js';
import type { Network } from '../network.js';
import { isCoinbase, type RawTransaction } from '../raw/transaction.js';
import type { Prevout } from '../rpc/prevouts.js';
import { carriedBy } from './carried.js';
import type { ServiceScript, ServiceScripts } from './scripts.js';

export interface DepositReading {
  readonly chainId: ChainId;
  readonly network: Network;
  readonly scripts: ServiceScripts;
}

export interface Sighted {
  readonly state: Exclude<ObservationState, 'vanished'>;
  readonly block: BlockRef | null;
}

/** Avoids looking up inputs of other transactions. */
export function mayDeposit({ scripts }: DepositReading, tx: RawTransaction): boolean {
  return !isCoinbase(tx) && tx.outputs.some(({ script, value }) => value > 0n && takesDeposits(scripts, script));
}

/**
 * Deposits of one transaction: its outputs to the depository or a deposit address. Up to `MAX_SUMMED_OUTPUTS` outputs
 * to the depository next to one order are one deposit of it; where there are more, each is one. Each output to a deposit
 * address is one.
 *
 * A transaction that spends an own output is no deposit at the depository, which takes its change; a deposit address is
 * paid only as a recipient. Orders are named as in `carriedBy`. The depositor is the address in the OP_RETURN (not for
 * deposit addresses), else that of the first input; a script without an address gets an unpayable name (`scriptName`).
 *
 * Invariant: whatever is on the chain, no resulting text exceeds 128 characters.
 *
 * @param spent what the inputs spend, in order.
 */
export function readDeposits(
  reading: DepositReading,
  tx: RawTransaction,
  spent: readonly Prevout[],
  { state, block }: Sighted,
): readonly DepositObservation[] {
  const { chainId, network, scripts } = reading;
  if (!mayDeposit(reading, tx)) return [];
  const isOurs = /* guard: bvm-own-outputs */ spent.some(({ script }) => scripts.of(script) !== undefined);
  const { named, paid, orderId } = paidBy(reading, tx);
  const payer = depositorOf(spent[0], network);
  const taken = isOurs ? paid.filter(({ own }) => own.role === 'depositAddress') : paid;
  return taken.map(({ vout, more, value, own }) => ({
    fundingKey: fundingKeyOf(chainId, { txid: tx.txid, vout }, more),
    chainId,
    transactionHash: tx.txid,
    currency: NATIVE,
    amount: value,
    depositor: own.role === 'depository' ? (named?.depositor ?? payer) : payer,
    orderId: own.role === 'depository' ? orderId : null,
    depositAddress: own.role === 'depositAddress' ? own.address : null,
    state,
    block,
  }));
}

/** Readable without its inputs. */
export interface Claim {
  /** Satoshis to deposit scripts. */
  readonly amount: bigint;
  /** Null also where very many outputs are deposits of it: they are worth no report before their block. */
  readonly orderId: OrderId | null;
  /** It pays a deposit address. */
  readonly addressed: boolean;
}

export function claimOf(reading: DepositReading, tx: RawTransaction): Claim {
  const { paid, orderId } = paidBy(reading, tx);
  const addressed = paid.some(({ own }) => own.role === 'depositAddress');
  const isMany = paid.filter(({ own }) => own.role === 'depository').length > 1;
  return { amount: paid.reduce((sum, { value }) => sum + value, 0n), orderId: isMany ? null : orderId, addressed };
}

interface Paid {
  readonly vout: number;
  readonly more: readonly number[];
  readonly value: bigint;
  readonly own: ServiceScript;
}

/**
 * Outputs per deposit. Each is an input of its refund, whose fee is calculated for one, and third parties choose the
 * number.
 */
const MAX_SUMMED_OUTPUTS = 4;

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
  if (first === undefined || named === undefined) return { named, paid, orderId: null };
  // guard: bvm-summed-outputs
  if (more.length >= MAX_SUMMED_OUTPUTS) return { named, paid, orderId: named.orderId };
  const value = more.reduce((sum, one) => sum + one.value, first.value);
  const sum = { ...first, value, more: more.map(({ vout }) => vout) };
  const rest = paid.filter(({ own }) => own.role !== 'depository');
  return { named, paid: [sum, ...rest], orderId: named.orderId };
}

function takesDeposits(scripts: ServiceScripts, script: Buffer): boolean {
  const role = scripts.of(script)?.role;
  return role === 'depository' || role === 'depositAddress';
}

function depositorOf(first: Prevout | undefined, network: Network): string {
  if (first === undefined) throw new Error('a transaction without inputs');
  return scriptName(first.script, network);
}
