import type { AddressStepInput, DepositStep, DepositStepsInput, OrderId } from '@causeway/core';
import { Psbt } from 'bitcoinjs-lib';
import { addressScript, isNative } from './addresses.js';
import type { Network } from './network.js';
import { type FundedInput, readFunds } from './payer/funds.js';

export interface DepositTarget {
  readonly chainId: number;
  readonly network: Network;
  readonly depository: string;
  readonly symbol: string;
}

/** Replaceable (BIP 125), so that the payer can raise the fee. */
const SEQUENCE = 0xfffffffd;
const RETURN = 0x6a;

/** OP_RETURN with the order id as text. */
export function orderScript(orderId: OrderId): Buffer {
  const text = Buffer.from(orderId, 'latin1');
  return Buffer.concat([Buffer.from([RETURN, text.length]), text]);
}

/**
 * One transaction that pays the depository first and names the order second, as a PSBT in hex if the payer's outputs
 * are known. Address and memo are given separately for other wallets.
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

/** A payment without a memo, which any wallet or exchange can make. */
export function addressSteps(
  { chainId, symbol }: DepositTarget,
  { address, currency, amount }: AddressStepInput,
): readonly DepositStep[] {
  if (!isNative(currency)) throw new Error(`no currency ${currency} on chain ${chainId}`);
  return [
    {
      id: 'deposit',
      action: 'Confirm transaction in your wallet',
      description: `Sending ${symbol} to the deposit address to execute the order`,
      items: [{ data: { chainId, to: address, value: amount.toString() } }],
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

function inputOf({ txid, vout, value, script, previous, redeemScript, internalKey }: FundedInput) {
  return {
    ...{ hash: txid, index: vout, sequence: SEQUENCE },
    ...(previous === undefined ? { witnessUtxo: { script: Buffer.from(script, 'hex'), value } } : {}),
    ...(previous === undefined ? {} : { nonWitnessUtxo: Buffer.from(previous, 'hex') }),
    ...(redeemScript === undefined ? {} : { redeemScript: Buffer.from(redeemScript, 'hex') }),
    ...(internalKey === undefined ? {} : { tapInternalKey: Buffer.from(internalKey, 'hex') }),
  };
}
