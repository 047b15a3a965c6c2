import type { DepositStep, DepositStepsInput, OrderId } from '@causeway/core';
import { Psbt } from 'bitcoinjs-lib';
import { addressScript, isNative } from './addresses.js';
import type { Network } from './network.js';
import { type FundedInput, readFunds } from './payer/funds.js';

/** What deposits into a chain pay. */
export interface DepositTarget {
  readonly chainId: number;
  readonly network: Network;
  /** Canonical address of the depository. */
  readonly depository: string;
  /** Symbol of the coin. */
  readonly symbol: string;
}

/** Replaceable: a payer may have to offer more. */
const SEQUENCE = 0xfffffffd;
const RETURN = 0x6a;

/** What an order is called in a deposit: its id as text. Output script. */
export function orderScript(orderId: OrderId): Buffer {
  const text = Buffer.from(orderId, 'latin1');
  return Buffer.concat([Buffer.from([RETURN, text.length]), text]);
}

/**
 * The one step of a deposit: a transaction that pays the depository first and names the order second, as a PSBT in hex where
 * it is known what the payer can spend. Whoever makes the transaction by other means finds both beside it.
 */
export function depositSteps(target: DepositTarget, input: DepositStepsInput): readonly DepositStep[] {
  const { chainId, depository, symbol } = target;
  if (!isNative(input.currency)) throw new Error(`no currency ${input.currency} on chain ${chainId}`);
  const psbt = input.funds === undefined ? {} : { psbt: depositPsbt(target, input, input.funds) };
  return [
    {
      id: 'deposit',
      action: 'Confirm transaction in your wallet',
      description: `Depositing ${symbol} to the depository to execute the order`,
      items: [{ data: { chainId, to: depository, value: input.amount.toString(), memo: input.orderId, ...psbt } }],
    },
  ];
}

function depositPsbt(
  { network, depository }: DepositTarget,
  { payer, amount, orderId }: DepositStepsInput,
  text: string,
): string {
  const { inputs, change } = readFunds(text);
  const psbt = new Psbt({ network });
  psbt.setVersion(2);
  psbt.addInputs(inputs.map(inputOf));
  psbt.addOutput({ script: addressScript(depository, network), value: amount });
  psbt.addOutput({ script: orderScript(orderId), value: 0n });
  if (change > 0n) psbt.addOutput({ script: addressScript(payer, network), value: change });
  return psbt.toHex();
}

/** All that a wallet has to see to sign it, by the type of what it spends. */
function inputOf({ txid, vout, value, script, previous, redeemScript, internalKey }: FundedInput) {
  return {
    ...{ hash: txid, index: vout, sequence: SEQUENCE },
    ...(previous === undefined ? { witnessUtxo: { script: Buffer.from(script, 'hex'), value } } : {}),
    ...(previous === undefined ? {} : { nonWitnessUtxo: Buffer.from(previous, 'hex') }),
    ...(redeemScript === undefined ? {} : { redeemScript: Buffer.from(redeemScript, 'hex') }),
    ...(internalKey === undefined ? {} : { tapInternalKey: Buffer.from(internalKey, 'hex') }),
  };
}
