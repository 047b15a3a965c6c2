import { setTimeout as delay } from 'node:timers/promises';
import type { DevnetAccount } from '@causeway/core';
import { Psbt } from 'bitcoinjs-lib';
import { NETWORKS, type Network } from '../network.js';
import { satoshis } from '../rpc/amounts.js';
import { pairs } from './keys.js';
import { plainPayment } from './plain-payment.js';
import { rpc } from './rpc.js';
import { unspentOf } from './unspent.js';

const POLL_MS = 50;
const INCLUSION_TIMEOUT_MS = 60_000;

export async function sendStep(
  account: DevnetAccount,
  rpcUrl: string,
  data: Readonly<Record<string, unknown>>,
): Promise<string> {
  const txid = await rpc<string>(rpcUrl, 'sendrawtransaction', [await signStep(account, rpcUrl, data)]);
  await included(rpcUrl, txid);
  return txid;
}

/** A step has a PSBT, or is a payment without a memo. */
export async function signStep(
  account: Pick<DevnetAccount, 'address' | 'privateKey'>,
  rpcUrl: string,
  { psbt, to, value, memo }: Readonly<Record<string, unknown>>,
): Promise<string> {
  const isPlain = typeof to === 'string' && typeof value === 'string' && memo === undefined;
  if (typeof psbt !== 'string' && !isPlain) throw new Error('the step has no psbt');
  const network = await networkOf(rpcUrl);
  const unsigned =
    typeof psbt === 'string'
      ? Psbt.fromHex(psbt, { network })
      : await plainPayment(account.address, rpcUrl, network, { to: String(to), value: BigInt(String(value)) });
  unsigned.signAllInputs(pairs.fromWIF(account.privateKey, network));
  return unsigned.finalizeAllInputs().extractTransaction().toHex();
}

/** Confirmed satoshis. */
export async function balance(rpcUrl: string, address: string): Promise<bigint> {
  const unspents = await unspentOf(rpcUrl, address);
  return unspents.reduce((sum, { amount }) => sum + satoshis(amount), 0n);
}

async function networkOf(rpcUrl: string): Promise<Network> {
  const genesis = await rpc<string>(rpcUrl, 'getblockhash', [0]);
  const network = Object.values(NETWORKS).find((one) => one.genesis === genesis);
  if (network === undefined) throw new Error(`the chain that begins with ${genesis} is none of this family`);
  return network;
}

async function included(rpcUrl: string, txid: string): Promise<void> {
  const end = performance.now() + INCLUSION_TIMEOUT_MS;
  while (performance.now() < end) {
    const { confirmations = 0 } = await rpc<{ confirmations?: number }>(rpcUrl, 'getrawtransaction', [txid, true]);
    if (confirmations > 0) return;
    await delay(POLL_MS);
  }
  throw new Error(`${txid} was not included in good time`);
}
