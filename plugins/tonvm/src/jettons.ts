import type { Hex } from '@causeway/core';
import { Address, beginCell, type Cell, contractAddress, type Slice } from '@ton/core';
import { keepNewest } from './chain/keep-newest.js';
import { nameComment, nameOf, orderNamed } from './comments.js';

const OP_TRANSFER = 0x0f8a7ea5;
const OP_INTERNAL_TRANSFER = 0x178d4519;
const OP_NOTIFICATION = 0x7362d09c;
const BOUNCED = 0xffffffff;

/**
 * Data layout of jetton wallets, which determines their addresses: `classic` as in TEP-74's examples; `governed`: the
 * issuer can lock a wallet.
 */
export type JettonLayout = 'classic' | 'governed';

export const LAYOUTS: readonly JettonLayout[] = ['classic', 'governed'];

export interface Jetton {
  /** Raw minter address. */
  readonly minter: string;
  readonly walletCode: Cell;
  readonly layout: JettonLayout;
}

const MAX_CACHED_WALLETS = 2_000;
const known = new WeakMap<Cell, Map<string, string>>();

/** Raw address of an owner's wallet. Local work only. */
export function walletOf(jetton: Jetton, owner: string): string {
  const { minter, walletCode, layout } = jetton;
  const ofCode = known.get(walletCode) ?? new Map<string, string>();
  known.set(walletCode, ofCode);
  const key = `${layout} ${minter} ${owner}`;
  const found = ofCode.get(key);
  if (found !== undefined) return found;
  const wallet = walletAddress(jetton, owner);
  ofCode.set(key, wallet);
  keepNewest(ofCode, MAX_CACHED_WALLETS);
  return wallet;
}

/** As `walletOf`, without a cache, for any number of owners. */
export function walletAddress({ minter, walletCode, layout }: Jetton, owner: string): string {
  const [who, whose] = [Address.parse(owner), Address.parse(minter)];
  const base = layout === 'classic' ? beginCell() : beginCell().storeUint(0, 4);
  base.storeCoins(0).storeAddress(who).storeAddress(whose);
  if (layout === 'classic') base.storeRef(walletCode);
  return contractAddress(0, { code: walletCode, data: base.endCell() }).toRawString();
}

/** Precede the balance in a governed wallet. */
const GOVERNED_STATUS_BITS = 4;

/** Balance in the wallet's data; 0 where it is missing or has another layout. */
export function heldBy(layout: JettonLayout, data: Cell | undefined): bigint {
  try {
    if (data === undefined) return 0n;
    const slice = data.beginParse();
    // The issuer's lock bits.
    if (layout === 'governed') slice.skip(GOVERNED_STATUS_BITS);
    return slice.loadCoins();
  } catch {
    return 0n;
  }
}

export interface JettonTransfer {
  readonly amount: bigint;
  /** Raw. */
  readonly recipient: string;
  /** Receives the excess coins. Raw. */
  readonly responseTo: string;
  /** Absent: none. */
  readonly name?: Hex;
}

/** Nanotons for the recipient's notification. */
const FORWARD = 1n;

export function transferBody({ amount, recipient, responseTo, name }: JettonTransfer): Cell {
  return beginCell()
    .storeUint(OP_TRANSFER, 32)
    .storeUint(0, 64)
    .storeCoins(amount)
    .storeAddress(Address.parse(recipient))
    .storeAddress(Address.parse(responseTo))
    .storeMaybeRef(null)
    .storeCoins(FORWARD)
    .storeMaybeRef(name === undefined ? null : nameComment(name))
    .endCell();
}

interface WithPayload {
  readonly amount: bigint;
  readonly payload: Cell | undefined;
  readonly name: Hex | undefined;
}

/** Undefined for any other message. */
export function readTransfer(body: Cell): (WithPayload & Pick<JettonTransfer, 'recipient'>) | undefined {
  return reading(body, OP_TRANSFER, (slice) => {
    const amount = slice.loadCoins();
    const recipient = slice.loadAddress().toRawString();
    slice.loadMaybeAddress();
    slice.loadMaybeRef();
    slice.loadCoins();
    const payload = payloadOf(slice);
    return { amount, recipient, payload, name: payload && nameOf(payload) };
  });
}

/** Message between jetton wallets. */
export function readInternalTransfer(
  body: Cell,
): (WithPayload & { readonly initiator: string | undefined }) | undefined {
  return reading(body, OP_INTERNAL_TRANSFER, (slice) => {
    const amount = slice.loadCoins();
    const initiator = slice.loadMaybeAddress()?.toRawString();
    slice.loadMaybeAddress();
    slice.loadCoins();
    const payload = payloadOf(slice);
    return { amount, initiator, payload, name: payload && orderNamed(payload) };
  });
}

/**
 * The `queryId` of a transfer between jetton wallets that bounced; a bounced message has only the beginning of the
 * body.
 */
export function returnedQueryId(body: Cell): bigint | undefined {
  try {
    const slice = body.beginParse();
    if (slice.loadUint(32) !== BOUNCED || slice.loadUint(32) !== OP_INTERNAL_TRANSFER) return undefined;
    return slice.loadUintBig(64);
  } catch {
    return undefined;
  }
}

/** The received amount in a jetton wallet's notice to its owner. */
export function readNotification(body: Cell): bigint | undefined {
  return reading(body, OP_NOTIFICATION, (slice) => slice.loadCoins());
}

export function notifiedSender(body: Cell): string | undefined {
  return reading(body, OP_NOTIFICATION, (slice) => {
    slice.loadCoins();
    return slice.loadMaybeAddress()?.toRawString();
  });
}

function reading<T>(body: Cell, op: number, read: (slice: Slice) => T): T | undefined {
  try {
    const slice = body.beginParse();
    if (slice.remainingBits < 96 || slice.loadUint(32) !== op) return undefined;
    slice.skip(64);
    return read(slice);
  } catch {
    return undefined;
  }
}

function payloadOf(slice: Slice): Cell | undefined {
  if (slice.remainingBits < 1) return undefined;
  if (slice.loadBit()) return slice.remainingRefs > 0 ? slice.loadRef() : undefined;
  return slice.asCell();
}
