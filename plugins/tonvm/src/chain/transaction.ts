import { beginCell, Cell, loadMessage, loadTransaction, type Message, storeMessage, type Transaction } from '@ton/core';

export interface TonMessage {
  /** Undefined for external messages. */
  readonly source: string | undefined;
  readonly destination: string;
  /** Nanotons. */
  readonly value: bigint;
  /** Forwarding cost to the sender, in addition to its transaction's fees. */
  readonly forwardFee: bigint;
  readonly bounce: boolean;
  readonly bounced: boolean;
  readonly createdLt: bigint;
  readonly body: Cell;
}

export interface TransactionId {
  readonly lt: bigint;
  /** Hex. */
  readonly hash: string;
}

/** Parsed from its own cells: the hash is computed, never taken from a provider. */
export interface TonTransaction extends TransactionId {
  /** Raw address. */
  readonly account: string;
  /** Unix seconds of its workchain block. */
  readonly utime: number;
  /** Previous transaction of this account; lt 0: none. */
  readonly previous: TransactionId;
  /** Its code failed or did not run: no effects. */
  readonly aborted: boolean;
  /** Coins accepted by an account without code, whose transaction counts as aborted although nothing failed. */
  readonly keptWithoutCode: boolean;
  /** The transaction failed, so that its value bounced or will bounce. */
  readonly bounces: boolean;
  /** Nanotons that it cost this account, without forwarding. */
  readonly fees: bigint;
  readonly exitCode: number | undefined;
  /** Requested messages that were not sent, as where they could not be paid for. */
  readonly skipped: number;
  readonly input: TonMessage | undefined;
  /** Normalized hash of an external message, hex; undefined where an account started it. */
  readonly externalHash: string | undefined;
  readonly sent: readonly TonMessage[];
}

/** Only its place in the history can be read, and mostly its cause; its effects are unknown. */
export interface UnreadTransaction extends TransactionId {
  readonly account: string;
  readonly previous: TransactionId;
  /** See `TonTransaction.input`; undefined also where it cannot be read. */
  readonly input: TonMessage | undefined;
  readonly unread: string;
  /** `inside`: an account or the chain itself caused it. `unknown`: possibly a message from outside. */
  readonly cause: OutsideCause | 'inside' | 'unknown';
}

/** A wallet's order is a message from outside. */
export interface OutsideCause {
  /** See `TonTransaction.externalHash`. */
  readonly externalHash: string;
  readonly body: Cell;
}

/**
 * For transactions that the library may not read, as with addresses that wallets never use.
 *
 * @throws on what is no transaction.
 */
export function readAnyTransaction(data: string): TonTransaction | UnreadTransaction {
  try {
    return readTransaction(data);
  } catch (error) {
    return { ...placeOf(data), input: inputOf(data), cause: causeOf(data), unread: (error as Error).message };
  }
}

function placeOf(data: string): Omit<UnreadTransaction, 'unread' | 'input' | 'cause'> {
  const cell = Cell.fromBase64(data);
  const slice = cell.beginParse();
  if (slice.loadUint(4) !== 7) throw new Error('not a transaction');
  const account = `0:${slice.loadBuffer(32).toString('hex')}`;
  const lt = slice.loadUintBig(64);
  const hash = slice.loadBuffer(32).toString('hex');
  return { lt, account, hash: cell.hash().toString('hex'), previous: { lt: slice.loadUintBig(64), hash } };
}

/** The message that caused it is in a cell of its own. Undefined: there was none. @throws */
function inputCellOf(data: string): Cell | undefined {
  const messages = Cell.fromBase64(data).beginParse().loadRef().beginParse();
  return messages.loadBit() ? messages.loadRef() : undefined;
}

function inputOf(data: string): TonMessage | undefined {
  try {
    const cell = inputCellOf(data);
    return cell && messageOf(loadMessage(cell.beginParse()));
  } catch {
    return undefined;
  }
}

/** The first bit of a message says whether an account sent it. */
function causeOf(data: string): UnreadTransaction['cause'] {
  try {
    const cell = inputCellOf(data);
    if (cell === undefined) return 'inside';
    // guard: ton-unread-cause
    if (!cell.beginParse().loadBit()) return 'inside';
    const message = loadMessage(cell.beginParse());
    return message.info.type === 'external-in'
      ? { externalHash: externalHashOf(message), body: message.body }
      : 'unknown';
  } catch {
    return 'unknown';
  }
}

/** @param data base64 of a bag of cells. @throws on what is no transaction. */
export function readTransaction(data: string): TonTransaction {
  const cell = Cell.fromBase64(data);
  const transaction = loadTransaction(cell.beginParse());
  const { lt, now, prevTransactionLt, prevTransactionHash, totalFees, inMessage } = transaction;
  const { description, account } = messageFree(transaction);
  const compute = description?.computePhase;
  const bounces = description?.bouncePhase !== undefined && description.bouncePhase !== null;
  return {
    ...{ lt, account, utime: now, hash: cell.hash().toString('hex') },
    previous: { lt: prevTransactionLt, hash: prevTransactionHash.toString(16).padStart(64, '0') },
    aborted: description?.aborted ?? true,
    keptWithoutCode: compute?.type === 'skipped' && compute.reason === 'no-state' && !bounces,
    bounces,
    fees: totalFees.coins,
    exitCode: compute?.type === 'vm' ? compute.exitCode : undefined,
    skipped: description?.actionPhase?.skippedActions ?? 0,
    input: inMessage ? messageOf(inMessage) : undefined,
    externalHash: inMessage?.info.type === 'external-in' ? externalHashOf(inMessage) : undefined,
    sent: transaction.outMessages.values().flatMap((message) => messageOf(message) ?? []),
  };
}

/** Only basechain accounts are read. */
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

/** Normalized hash (TEP-467), as wallets show it: without the parts that relays may rewrite, and without state init. */
export function externalHashOf({ info, body }: Message): string {
  if (info.type !== 'external-in') throw new Error('only what comes from outside has such a hash');
  const bare: Message = { info: { type: 'external-in', dest: info.dest, importFee: 0n }, body };
  return beginCell()
    .store(storeMessage(bare, { forceRef: true }))
    .endCell()
    .hash()
    .toString('hex');
}

/** Balance change of its account, nanotons. */
export function change({ input, fees, sent }: TonTransaction): bigint {
  return sent.reduce((left, { value, forwardFee }) => left - value - forwardFee, (input?.value ?? 0n) - fees);
}
