import { Address, beginCell, Cell, comment, internal, loadMessage, SendMode } from '@ton/core';
import { keyPairFromSeed } from '@ton/crypto';
import { WalletContractV5R1 } from '@ton/ton';
import { describe, expect, it } from 'vitest';
import { externalHashOf } from '../src/chain/transaction.js';
import { readOrder, signedOrder, TESTNET, tonSigner, unsignedOrder } from '../src/wallet.js';

const { publicKey, secretKey } = keyPairFromSeed(Buffer.alloc(32, 5));
const secret = secretKey.toString('hex');
const contract = WalletContractV5R1.create({ publicKey });
const to = Address.parse(`0:${'ab'.repeat(32)}`);
const messages = [1n, 2n].map((value) => internal({ to, value, bounce: false, body: comment('hello') }));

describe('a signer', () => {
  it('is the wallet that apps make of the same key', () => {
    const signer = tonSigner(secret);
    expect(signer.raw).toBe(contract.address.toRawString());
    expect(signer.address).toBe(contract.address.toString({ bounceable: false }));
    expect(tonSigner(secret.slice(0, 64)).address).toBe(signer.address);
    expect(tonSigner(`0x${secret.toUpperCase().replace(/^0X/, '')}\n`).address).toBe(signer.address);
    expect(tonSigner(secret, TESTNET).address).not.toBe(signer.address);
  });

  it('is refused without its text', () => {
    const wrong = `${secret.slice(0, 64)}${'00'.repeat(32)}`;
    for (const text of ['', 'ab', secret.slice(1), `${secret}00`, wrong]) {
      const make = () => tonSigner(text);
      expect(make).toThrow(RangeError);
      expect(make).not.toThrow(secret.slice(0, 32));
    }
  });
});

describe('an order', () => {
  const signer = tonSigner(secret);
  const order = { seqno: 7, validUntil: 1_800_000_000, messages };

  it('is what the library of the chain makes of it, to the byte', () => {
    const { bytes } = signedOrder(signer, unsignedOrder(signer, order));
    const theirs = contract.createTransfer({
      ...{ seqno: 7, secretKey, messages: [...messages], sendMode: SendMode.PAY_GAS_SEPARATELY },
      timeout: order.validUntil,
    });
    expect(loadMessage(Cell.fromBase64(bytes).beginParse()).body.equals(theirs)).toBe(true);
  });

  it('brings the code of its wallet the first time, and is named alike with and without', () => {
    const first = signedOrder(signer, unsignedOrder(signer, { ...order, seqno: 0 }));
    const message = loadMessage(Cell.fromBase64(first.bytes).beginParse());
    expect(message.init?.code?.equals(contract.init.code)).toBe(true);
    expect(externalHashOf({ ...message, init: null })).toBe(first.hash);
    expect(externalHashOf(message)).toBe(first.hash);
  });

  it('has another name for another number, time or payment', () => {
    const hashes = [
      order,
      { ...order, seqno: 8 },
      { ...order, validUntil: 1_800_000_001 },
      { ...order, messages: [] },
    ].map((one) => signedOrder(signer, unsignedOrder(signer, one)).hash);
    expect(new Set(hashes).size).toBe(4);
  });

  it('is read back, and nothing else is', () => {
    const body = loadMessage(
      Cell.fromBase64(signedOrder(signer, unsignedOrder(signer, order)).bytes).beginParse(),
    ).body;
    expect(readOrder(body)).toEqual({ seqno: 7, validUntil: order.validUntil });
    for (const other of [beginCell().endCell(), comment('hello'), beginCell().storeUint(0x7369676e, 32).endCell()])
      expect(readOrder(other)).toBeUndefined();
  });
});
