import { newAccount } from '@causeway/plugin-bvm/devnet';
import { address as addresses, networks, Transaction } from 'bitcoinjs-lib';
import { rpc } from '../../../plugins/bvm/src/devnet/rpc.js';
import { unspentOf } from '../../../plugins/bvm/src/devnet/unspent.js';
import { NETWORKS } from '../../../plugins/bvm/src/network.js';
import { until } from '../until.js';
import type { Payment, Sender } from './sender.js';

/** Satoshis: hardly above the minimum that is relayed, because the service's fees follow what others pay. */
const FEE = { base: 150n, output: 50n } as const;

/** One output for each payment, and change. */
export const bitcoinSender: Sender = {
  newAddress: () => newAccount(NETWORKS['bitcoin-regtest']).address,
  async send({ chain: { rpcUrl } }, { address, privateKey }, payments) {
    const raw = await unsigned(rpcUrl, address, payments);
    const signed = await rpc<{ readonly hex: string }>(rpcUrl, 'signrawtransactionwithkey', [raw, [privateKey]]);
    const txid = await rpc<string>(rpcUrl, 'sendrawtransaction', [signed.hex]);
    await until(`${txid} is in a block`, async () => {
      const { confirmations = 0 } = await rpc<{ confirmations?: number }>(rpcUrl, 'getrawtransaction', [txid, true]);
      return confirmations > 0;
    });
    return txid;
  },
};

/** Spends confirmed outputs that no waiting transaction spends. */
async function unsigned(rpcUrl: string, payer: string, payments: readonly Payment[]): Promise<string> {
  const transaction = new Transaction();
  transaction.version = 2;
  const fee = FEE.base + FEE.output * BigInt(payments.length);
  let missing = payments.reduce((sum, { amount }) => sum + amount, fee);
  for (const { txid, vout, amount } of await unspentOf(rpcUrl, payer)) {
    if (missing <= 0n) break;
    if ((await rpc<object | null>(rpcUrl, 'gettxout', [txid, vout, true])) === null) continue;
    transaction.addInput(Buffer.from(txid, 'hex').reverse(), vout);
    missing -= BigInt(Math.round(amount * 1e8));
  }
  if (missing > 0n) throw new Error(`${payer} lacks ${missing} satoshis`);
  for (const { to, amount } of [...payments, { to: payer, amount: -missing }])
    transaction.addOutput(addresses.toOutputScript(to, networks.regtest), amount);
  return transaction.toHex();
}
