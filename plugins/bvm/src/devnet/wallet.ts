import { setTimeout as delay } from 'node:timers/promises';
import type { DevnetAccount } from '@causeway/core';
import { Psbt } from 'bitcoinjs-lib';
import { NETWORKS, type Network } from '../network.js';
import { satoshis } from '../rpc/amounts.js';
import { pairs } from './keys.js';
import { LocalNodeError, rpc } from './rpc.js';

const POLL_MS = 50;
const PATIENCE_MS = 60_000;
const BUSY = -8;

export async function sendStep(
  account: DevnetAccount,
  rpcUrl: string,
  data: Readonly<Record<string, unknown>>,
): Promise<string> {
  const txid = await rpc<string>(rpcUrl, 'sendrawtransaction', [await signStep(account, rpcUrl, data)]);
  await included(rpcUrl, txid);
  return txid;
}

export async function signStep(
  account: Pick<DevnetAccount, 'privateKey'>,
  rpcUrl: string,
  { psbt }: Readonly<Record<string, unknown>>,
): Promise<string> {
  if (typeof psbt !== 'string') throw new Error('the step has no psbt');
  const network = await networkOf(rpcUrl);
  const unsigned = Psbt.fromHex(psbt, { network });
  unsigned.signAllInputs(pairs.fromWIF(account.privateKey, network));
  return unsigned.finalizeAllInputs().extractTransaction().toHex();
}

/** Confirmed satoshis. */
export async function balance(rpcUrl: string, address: string): Promise<bigint> {
  for (const end = performance.now() + PATIENCE_MS; ; ) {
    try {
      const { unspents } = await rpc<{ unspents: readonly { amount: number }[] }>(rpcUrl, 'scantxoutset', [
        'start',
        [`addr(${address})`],
      ]);
      return unspents.reduce((sum, { amount }) => sum + satoshis(amount), 0n);
    } catch (error) {
      if (!(error instanceof LocalNodeError) || error.code !== BUSY || performance.now() > end) throw error;
      await delay(POLL_MS);
    }
  }
}

async function networkOf(rpcUrl: string): Promise<Network> {
  const genesis = await rpc<string>(rpcUrl, 'getblockhash', [0]);
  const network = Object.values(NETWORKS).find((one) => one.genesis === genesis);
  if (network === undefined) throw new Error(`the chain that begins with ${genesis} is none of this family`);
  return network;
}

async function included(rpcUrl: string, txid: string): Promise<void> {
  const end = performance.now() + PATIENCE_MS;
  while (performance.now() < end) {
    const { confirmations = 0 } = await rpc<{ confirmations?: number }>(rpcUrl, 'getrawtransaction', [txid, true]);
    if (confirmations > 0) return;
    await delay(POLL_MS);
  }
  throw new Error(`${txid} was not included in good time`);
}
