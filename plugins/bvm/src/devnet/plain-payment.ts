import { Psbt } from 'bitcoinjs-lib';
import { addressScript } from '../addresses.js';
import type { Network } from '../network.js';
import { satoshis } from '../rpc/amounts.js';
import { rpc } from './rpc.js';
import { unspentOf } from './unspent.js';

/** Generous for a few inputs, satoshis. */
const FEE = 5_000n;

/**
 * Makes the payment of a step from confirmed outputs of the account that no waiting transaction spends, the largest
 * first.
 *
 * @throws if they do not suffice.
 */
export async function plainPayment(
  payer: string,
  rpcUrl: string,
  network: Network,
  { to, value }: { readonly to: string; readonly value: bigint },
): Promise<Psbt> {
  const script = addressScript(payer, network);
  const coins = [...(await unspentOf(rpcUrl, payer))].sort((a, b) => b.amount - a.amount);
  const psbt = new Psbt({ network });
  let missing = value + FEE;
  for (const { txid, vout, amount } of coins) {
    if (missing <= 0n) break;
    if ((await rpc<object | null>(rpcUrl, 'gettxout', [txid, vout, true])) === null) continue;
    psbt.addInput({ hash: txid, index: vout, witnessUtxo: { script, value: satoshis(amount) } });
    missing -= satoshis(amount);
  }
  if (missing > 0n) throw new Error(`${payer} lacks ${missing} satoshis`);
  psbt.addOutput({ script: addressScript(to, network), value });
  if (missing < 0n) psbt.addOutput({ script, value: -missing });
  return psbt;
}
