import * as ecc from '@bitcoinerlab/secp256k1';
import { HttpClient } from '@causeway/core/rpc';
import { address as codec, crypto, initEccLib, Psbt, payments, type Transaction } from 'bitcoinjs-lib';
import { ECPairFactory } from 'ecpair';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { NATIVE, parseAddress } from '../src/addresses.js';
import { type DepositTarget, depositSteps } from '../src/deposits.js';
import type { PayerSource } from '../src/payer/payer-coins.js';
import { payerUtxos } from '../src/payer/payer-utxos.js';
import { asNodeHas } from '../src/payer/unspent.js';
import { satoshis } from '../src/rpc/amounts.js';
import { lacks, type NodeKind } from './support/have-node.js';
import { acceptance, anyId } from './support/lane.js';
import { type LocalNode, startNode } from './support/node.js';
import { services } from './support/services.js';
import { CHAIN } from './support/view.js';

initEccLib(ecc);
const pairs = ECPairFactory(ecc);

/** Explorer data from the node's UTXO set. */
function sourceOf(node: LocalNode): PayerSource {
  return {
    coins: async (address) => {
      const { unspents } = await node.rpc<{ unspents: { txid: string; vout: number; amount: number }[] }>(
        'scantxoutset',
        ['start', [`addr(${address})`]],
      );
      return unspents.map(({ txid, vout, amount }) => ({ txid, vout, value: satoshis(amount), confirmed: true }));
    },
    transaction: (txid) => node.rpc<string>('getrawtransaction', [txid]),
  };
}

function clientOf({ url }: LocalNode) {
  return { rpc: new HttpClient({ url, label: 'node', timeoutMs: 5_000, maxInFlight: 8, maxBatch: 50 }) };
}

function walletOf(node: LocalNode, type: 'p2pkh' | 'p2sh' | 'p2wpkh' | 'p2tr') {
  const { network } = node;
  const pair = pairs.makeRandom({ network });
  const pubkey = Buffer.from(pair.publicKey);
  const internalPubkey = pubkey.subarray(1);
  const payment = {
    p2pkh: () => payments.p2pkh({ pubkey, network }),
    p2sh: () => payments.p2sh({ redeem: payments.p2wpkh({ pubkey, network }), network }),
    p2wpkh: () => payments.p2wpkh({ pubkey, network }),
    p2tr: () => payments.p2tr({ internalPubkey, network }),
  }[type]();
  const signer = type === 'p2tr' ? pair.tweak(crypto.taggedHash('TapTweak', internalPubkey)) : pair;
  return {
    address: payment.address ?? '',
    publicKey: pubkey.toString('hex'),
    /** Signs with the PSBT and key only, adding its own key data. */
    sign: (hex: string): Transaction => {
      const psbt = Psbt.fromHex(hex, { network });
      for (const [n, { tapInternalKey }] of psbt.data.inputs.entries())
        if (type === 'p2tr' && tapInternalKey === undefined) psbt.updateInput(n, { tapInternalKey: internalPubkey });
      return psbt.signAllInputs(signer).finalizeAllInputs().extractTransaction();
    },
  };
}

describe.each<readonly [NodeKind, 'p2pkh' | 'p2sh' | 'p2wpkh' | 'p2tr']>([
  ['bitcoin', 'p2pkh'],
  ['bitcoin', 'p2sh'],
  ['bitcoin', 'p2wpkh'],
  ['bitcoin', 'p2tr'],
  ['litecoin', 'p2pkh'],
  ['litecoin', 'p2wpkh'],
])('a deposit on %s of a payer with %s', (kind, type) => {
  describe.skipIf(lacks(kind))('a real node', () => {
    let node: LocalNode;
    let target: DepositTarget;
    const rate = 7_500n;

    beforeAll(async () => {
      node = await startNode(kind);
      target = { chainId: CHAIN, network: node.network, depository: await node.address(), symbol: 'COIN' };
    });
    afterAll(() => node?.stop());

    const lookUp = (payer: string, publicKey: string | null, amount: bigint, source = sourceOf(node)) =>
      payerUtxos(
        {
          ...{ network: node.network, depository: target.depository, source, log: services().log },
          verify: (script, coins) => asNodeHas(clientOf(node), script, coins),
          fees: { rate: () => ({ value: rate, at: 0 }) },
        },
        { payer, publicKey, amount },
      );

    async function psbtFor(
      payer: string,
      publicKey: string | null,
      amount: bigint,
      orderId = anyId(),
      source = sourceOf(node),
    ) {
      const found = await lookUp(payer, publicKey, amount, source);
      if (!found.ok) throw new Error(`${found.why}: ${found.message}`);
      const [step] = depositSteps(target, { payer, currency: NATIVE, amount, orderId, funds: found.funds });
      return { step, psbt: String(step?.items[0]?.data['psbt']) };
    }

    it('has all that a wallet has to see, by what it spends', async () => {
      const wallet = walletOf(node, type);
      await node.fund(wallet.address, 50_000n);
      await node.mine();
      const { psbt } = await psbtFor(wallet.address, wallet.publicKey, 30_000n);
      const [input] = Psbt.fromHex(psbt, { network: node.network }).data.inputs;
      const legacy = type === 'p2pkh';
      expect([input?.nonWitnessUtxo !== undefined, input?.witnessUtxo !== undefined]).toEqual([legacy, !legacy]);
      expect(input?.redeemScript !== undefined).toBe(type === 'p2sh');
      expect(input?.tapInternalKey !== undefined).toBe(type === 'p2tr');
    });

    it('is signed by a wallet that knows nothing else, and taken by the node', async () => {
      const wallet = walletOf(node, type);
      for (const amount of [40_000n, 30_000n, 20_000n]) await node.fund(wallet.address, amount);
      await node.mine();
      const orderId = anyId();
      const { psbt, step } = await psbtFor(wallet.address, wallet.publicKey, 60_000n, orderId);
      expect(step?.items[0]?.data).toMatchObject({ to: target.depository, value: '60000', memo: orderId });
      const transaction = wallet.sign(psbt);
      expect(transaction.outs).toHaveLength(3);
      const [first, second, last] = transaction.outs;
      expect(codec.fromOutputScript(first?.script ?? new Uint8Array(), node.network)).toBe(target.depository);
      expect(first?.value).toBe(60_000n);
      expect(Buffer.from(second?.script ?? []).toString('latin1')).toBe(`\x6a\x42${orderId}`);
      expect(
        parseAddress(codec.fromOutputScript(last?.script ?? new Uint8Array(), node.network), node.network),
      ).toEqual({
        ok: true,
        value: wallet.address,
      });
      const reported = await acceptance(node, { bytes: transaction.toHex(), hash: transaction.getId() });
      expect(reported).toMatchObject({ allowed: true });
      // Signatures may be a byte or two shorter than estimated.
      const perByte = Number(reported.fee) / (reported.vsize ?? 1);
      expect(perByte).toBeGreaterThanOrEqual(7.5);
      expect(perByte).toBeLessThan(7.65);
    });

    it.each([
      ['less than there is', (value: bigint) => value - 700_000n],
      ['more than there is', (value: bigint) => value + 700_000n],
    ])('pays the fee that it should though an explorer reports %s', async (_, lie) => {
      const wallet = walletOf(node, type);
      await node.fund(wallet.address, 1_000_000n);
      await node.mine();
      const honest = sourceOf(node);
      const source: PayerSource = {
        ...honest,
        coins: async (address) => (await honest.coins(address)).map((one) => ({ ...one, value: lie(one.value) })),
      };
      const { psbt } = await psbtFor(wallet.address, wallet.publicKey, 200_000n, anyId(), source);
      const transaction = wallet.sign(psbt);
      const reported = await acceptance(node, { bytes: transaction.toHex(), hash: transaction.getId() });
      expect(reported).toMatchObject({ allowed: true });
      expect(Number(reported.fee) / (reported.vsize ?? 1)).toBeLessThan(7.65);
    });

    it('spends nothing that is spent, unripe or of another account, whatever an explorer reports', async () => {
      const [wallet, other] = [walletOf(node, type), walletOf(node, type)];
      const theirs = await node.fund(other.address, 900_000n);
      await node.fund(wallet.address, 50_000n);
      await node.mine();
      await node.rpc('generatetoaddress', [1, wallet.address]);
      const honest = sourceOf(node);
      const strange = [
        { ...theirs, value: 900_000n, confirmed: true },
        { txid: 'ab'.repeat(32), vout: 0, value: 800_000n, confirmed: true },
      ];
      const source: PayerSource = {
        ...honest,
        coins: async (address) => [...strange, ...(await honest.coins(address))],
      };
      expect(await lookUp(wallet.address, wallet.publicKey, 100_000n, source)).toMatchObject({
        ok: false,
        why: 'short',
      });
      const { psbt } = await psbtFor(wallet.address, wallet.publicKey, 30_000n, anyId(), source);
      const transaction = wallet.sign(psbt);
      const reported = await acceptance(node, { bytes: transaction.toHex(), hash: transaction.getId() });
      expect(reported).toMatchObject({ allowed: true });
    });

    it('has no change that no one would relay', async () => {
      const wallet = walletOf(node, type);
      await node.fund(wallet.address, 100_000n);
      await node.mine();
      const { psbt } = await psbtFor(wallet.address, wallet.publicKey, 100_000n - 2_300n);
      const transaction = wallet.sign(psbt);
      const reported = await acceptance(node, { bytes: transaction.toHex(), hash: transaction.getId() });
      expect(reported).toMatchObject({ allowed: true });
      if (kind === 'litecoin') expect(transaction.outs).toHaveLength(2);
    });

    it('is refused where the payer has too little', async () => {
      const wallet = walletOf(node, type);
      expect(await lookUp(wallet.address, wallet.publicKey, 10_000n)).toMatchObject({ ok: false, why: 'short' });
      await node.fund(wallet.address, 50_000n);
      await node.mine();
      expect(await lookUp(wallet.address, wallet.publicKey, 50_000n)).toMatchObject({ ok: false, why: 'short' });
      expect(await lookUp(wallet.address, wallet.publicKey, 45_000n)).toMatchObject({ ok: true });
    });

    it('needs the public key where the address does not report what to sign, and no other', async () => {
      const [wallet, other] = [walletOf(node, type), walletOf(node, type)];
      await node.fund(wallet.address, 50_000n);
      await node.mine();
      const refusal = type === 'p2sh' ? { ok: false, why: 'publicKey' } : { ok: true };
      for (const key of [null, other.publicKey, 'nonsense', `02${'00'.repeat(32)}`])
        expect(await lookUp(wallet.address, key, 30_000n)).toMatchObject(refusal);
      const { psbt } = await psbtFor(wallet.address, type === 'p2sh' ? wallet.publicKey : null, 30_000n);
      expect(wallet.sign(psbt).outs).toHaveLength(3);
    });
  });
});

describe.skipIf(lacks('bitcoin'))('a deposit of which no one knows what its payer has', () => {
  it('says what to pay and to whom, and has nothing to sign', async () => {
    const node = await startNode('bitcoin', { blocks: 0 });
    try {
      const depository = await node.address();
      const target = { chainId: CHAIN, network: node.network, depository, symbol: 'BTC' };
      const input = { payer: await node.address(), currency: NATIVE, amount: 5_000n, orderId: anyId() };
      expect(depositSteps(target, input)[0]?.items).toEqual([
        { data: { chainId: CHAIN, to: depository, value: '5000', memo: input.orderId } },
      ]);
      const script = `bcrt1q${'q'.repeat(52)}`;
      expect(parseAddress(script, node.network).ok).toBe(false);
    } finally {
      await node.stop();
    }
  });
});
