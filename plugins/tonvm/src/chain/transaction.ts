import { beginCell, Cell, loadTransaction, type Message, storeMessage, type Transaction } from '@ton/core';

/** A message between accounts, or into the first of them. Addresses are raw. */
export interface TonMessage {
  /** Undefined for what came from outside. */
  readonly source: string | undefined;
  readonly destination: string;
  /** Nanotons. */
  readonly value: bigint;
  /** What forwarding it takes from its sender, beyond what the sender's transaction says. */
  readonly forwardFee: bigint;
  readonly bounce: boolean;
  readonly bounced: boolean;
  readonly createdLt: bigint;
  readonly body: Cell;
}

/** Logical time and hash, which name a transaction of an account. */
export interface TransactionId {
  readonly lt: bigint;
  /** Hex. */
  readonly hash: string;
}

/** One transaction of one account, read from its own cells: its hash is computed, never told. */
export interface TonTransaction extends TransactionId {
  /** Raw address. */
  readonly account: string;
  /** Unix seconds of its block of the workchain. */
  readonly utime: number;
  /** The one before it of this account; lt 0: it is the first. */
  readonly previous: TransactionId;
  /** Nothing of what its code did is so: it failed, or was not run. */
  readonly aborted: boolean;
  /** Its value went back, or was to. */
  readonly bounces: boolean;
  /** Nanotons that it cost this account, without forwarding. */
  readonly fees: bigint;
  /** Exit code of its code, where it ran. */
  readonly exitCode: number | undefined;
  /** Messages that were asked for and left out, as where they could not be paid for. */
  readonly skipped: number;
  readonly input: TonMessage | undefined;
  /** Hash of an external message by which wallets name it, hex; undefined where it was started by an account. */
  readonly externalHash: string | undefined;
  readonly sent: readonly TonMessage[];
}

/** A transaction of which only its place in the past of its account can be read: nothing is known of what it did. */
export interface UnreadTransaction extends TransactionId {
  readonly account: string;
  readonly previous: TransactionId;
  /** Why. */
  readonly unread: string;
}

/**
 * A transaction that may be of a kind that the library does not read, as with addresses of forms that wallets never use.
 *
 * @throws on what is no transaction.
 */
export function readAnyTransaction(data: string): TonTransaction | UnreadTransaction {
  try {
    return readTransaction(data);
  } catch (error) {
    return { ...placeOf(data), unread: (error as Error).message };
  }
}

/** The fields at the beginning of every transaction. */
function placeOf(data: string): Omit<UnreadTransaction, 'unread'> {
  const cell = Cell.fromBase64(data);
  const slice = cell.beginParse();
  if (slice.loadUint(4) !== 7) throw new Error('not a transaction');
  const account = `0:${slice.loadBuffer(32).toString('hex')}`;
  const lt = slice.loadUintBig(64);
  const hash = slice.loadBuffer(32).toString('hex');
  return { lt, account, hash: cell.hash().toString('hex'), previous: { lt: slice.loadUintBig(64), hash } };
}

/** @param data base64 of a bag of cells. @throws on what is no transaction. */
export function readTransaction(data: string): TonTransaction {
  const cell = Cell.fromBase64(data);
  const transaction = loadTransaction(cell.beginParse());
  const { lt, now, prevTransactionLt, prevTransactionHash, totalFees, inMessage } = transaction;
  const { description, account } = messageFree(transaction);
  const compute = description?.computePhase;
  return {
    ...{ lt, account, utime: now, hash: cell.hash().toString('hex') },
    previous: { lt: prevTransactionLt, hash: prevTransactionHash.toString(16).padStart(64, '0') },
    aborted: description?.aborted ?? true,
    bounces: description?.bouncePhase !== undefined && description.bouncePhase !== null,
    fees: totalFees.coins,
    exitCode: compute?.type === 'vm' ? compute.exitCode : undefined,
    skipped: description?.actionPhase?.skippedActions ?? 0,
    input: inMessage ? messageOf(inMessage) : undefined,
    externalHash: inMessage?.info.type === 'external-in' ? externalHashOf(inMessage) : undefined,
    sent: transaction.outMessages.values().flatMap((message) => messageOf(message) ?? []),
  };
}

/** Accounts of the basechain alone are read. */
function messageFree({ address, description }: Transaction) {
  const account = `0:${address.toString(16).padStart(64, '0')}`;
  return { account, description: description.type === 'generic' ? description : undefined };
}

function messageOf({ info, body }: Message): TonMessage | undefined {
  if (info.type === 'external-out') return undefined;
  const internal = info.type === 'internal' ? info : undefined;
  return {
    source: internal?.src.toRawString(),
    destination: info.dest.toRawString(),
    value: internal?.value.coins ?? 0n,
    forwardFee: (internal?.forwardFee ?? 0n) + (internal?.ihrFee ?? 0n),
    bounce: internal?.bounce ?? false,
    bounced: internal?.bounced ?? false,
    createdLt: internal?.createdLt ?? 0n,
    body,
  };
}

/**
 * The hash that wallets show of what they sent (TEP-467): of the message without the parts that somebody on the way may write otherwise.
 * Code that comes with a first message is no part of it.
 */
export function externalHashOf({ info, body }: Message): string {
  if (info.type !== 'external-in') throw new Error('only what comes from outside has such a hash');
  const bare: Message = { info: { type: 'external-in', dest: info.dest, importFee: 0n }, body };
  return beginCell()
    .store(storeMessage(bare, { forceRef: true }))
    .endCell()
    .hash()
    .toString('hex');
}

/** Nanotons by which the balance of its account changed. */
export function change({ input, fees, sent }: TonTransaction): bigint {
  return sent.reduce((left, { value, forwardFee }) => left - value - forwardFee, (input?.value ?? 0n) - fees);
}
