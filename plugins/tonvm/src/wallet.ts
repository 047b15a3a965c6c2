import { createPrivateKey, createPublicKey, type KeyObject, sign } from 'node:crypto';
import {
  Address,
  beginCell,
  type Cell,
  external,
  loadOutList,
  type MessageRelaxed,
  SendMode,
  type StateInit,
  storeMessage,
  storeOutList,
} from '@ton/core';
import { WalletContractV5R1 } from '@ton/ton';
import { textOf } from './addresses.js';
import { externalHashOf } from './chain/transaction.js';

export interface TonSigner {
  /** Canonical. */
  readonly address: string;
  readonly raw: string;
  readonly init: StateInit;
  /** Distinguishes networks and wallets of one key. */
  readonly walletId: number;
  /** 64 bytes. */
  sign(hash: Uint8Array): Buffer;
}

/** Wallet messages are valid on one network only: public clients expect mainnet's id, on local chains too. */
export const MAINNET = -239;
export const TESTNET = -3;

/** PKCS #8 prefix of an ed25519 seed (RFC 8410). */
const PKCS8 = Buffer.from('302e020100300506032b657004220420', 'hex');
const SEED = 32;
const SIGNED_EXTERNAL = 0x7369676e;
const SIGNATURE_BITS = 512;

/** @param secret hex of a 64-byte secret key or its 32-byte seed. @throws RangeError, which never contains the text. */
export function tonSigner(secret: string, networkGlobalId: number = MAINNET): TonSigner {
  const digits = secret.trim().replace(/^0x/, '');
  if (!/^(?:[0-9a-fA-F]{64}){1,2}$/.test(digits))
    throw new RangeError('the secret is no ed25519 key: hex of 64 bytes, or of a seed of 32');
  const bytes = Buffer.from(digits, 'hex');
  const key = createPrivateKey({ key: Buffer.concat([PKCS8, bytes.subarray(0, SEED)]), format: 'der', type: 'pkcs8' });
  const publicKey = publicBytes(key);
  if (bytes.length > SEED && !bytes.subarray(SEED).equals(publicKey))
    throw new RangeError('the secret is no ed25519 key: its second half is not the public key of its first');
  const wallet = WalletContractV5R1.create({ publicKey, walletId: { networkGlobalId } });
  const data = wallet.init.data.beginParse();
  data.skip(33);
  return Object.freeze({
    ...{ address: textOf(wallet.address), raw: wallet.address.toRawString(), init: wallet.init },
    walletId: data.loadInt(32),
    sign: (hash: Uint8Array) => sign(null, hash, key),
  });
}

function publicBytes(key: KeyObject): Buffer {
  const { x } = createPublicKey(key).export({ format: 'jwk' });
  return Buffer.from(x ?? '', 'base64url');
}

export interface WalletOrder {
  readonly seqno: number;
  /** Unix seconds. */
  readonly validUntil: number;
  /** None: uses the seqno without a payment. */
  readonly messages: readonly MessageRelaxed[];
}

export const MAX_MESSAGES = 255;
/** Of an order: its kind, wallet id, end of validity and seqno. */
const HEADER_BITS = 4 * 32;

/**
 * Fees are paid separately from the value, so recipients get all of it. An unaffordable message is skipped and the
 * others go: the wallet accepts no other mode from outside.
 */
export function unsignedOrder(
  { walletId }: Pick<TonSigner, 'walletId'>,
  { seqno, validUntil, messages }: WalletOrder,
): Cell {
  const mode = SendMode.PAY_GAS_SEPARATELY | SendMode.IGNORE_ERRORS;
  const actions = messages.map((outMsg) => ({ type: 'sendMsg' as const, mode, outMsg }));
  const list = actions.length === 0 ? null : beginCell().store(storeOutList(actions)).endCell();
  return beginCell()
    .storeUint(SIGNED_EXTERNAL, 32)
    .storeInt(walletId, 32)
    .storeUint(validUntil, 32)
    .storeUint(seqno, 32)
    .storeMaybeRef(list)
    .storeBit(false)
    .endCell();
}

/** @returns the wire bytes, base64, and the normalized hash, hex. */
export function signedOrder(signer: TonSigner, unsigned: Cell): { readonly bytes: string; readonly hash: string } {
  const body = beginCell().storeSlice(unsigned.beginParse()).storeBuffer(signer.sign(unsigned.hash())).endCell();
  const isFirst = readOrder(body)?.seqno === 0;
  const message = external({ to: Address.parse(signer.raw), body, ...(isFirst ? { init: signer.init } : {}) });
  const bytes = beginCell().store(storeMessage(message)).endCell().toBoc().toString('base64');
  return { bytes, hash: externalHashOf(message) };
}

/** Undefined for anything but an external order. */
export function readOrder(body: Cell): { readonly seqno: number; readonly validUntil: number } | undefined {
  const slice = body.beginParse();
  if (slice.remainingBits < HEADER_BITS + SIGNATURE_BITS || slice.loadUint(32) !== SIGNED_EXTERNAL) return undefined;
  slice.skip(32);
  const validUntil = slice.loadUint(32);
  return { validUntil, seqno: slice.loadUint(32) };
}

/** Bodies of the messages that an external order sends if it succeeds. @throws on what is no order of `unsignedOrder`. */
export function orderBodies(body: Cell): readonly Cell[] {
  const slice = body.beginParse();
  slice.skip(HEADER_BITS);
  const list = slice.loadMaybeRef();
  if (slice.loadBit()) throw new Error('an order that also does other things');
  if (list === null) return [];
  return loadOutList(list.beginParse()).map((action) => {
    if (action.type !== 'sendMsg') throw new Error('an order that does not only send messages');
    return action.outMsg.body;
  });
}

/** The wallet's next seqno; 0 where it is not deployed. */
export function seqnoOf(data: Cell | undefined): number {
  if (data === undefined) return 0;
  const slice = data.beginParse();
  slice.skip(1);
  return slice.loadUint(32);
}
