import { NotYetError } from '@causeway/core';
import type { Cell } from '@ton/core';
import { keepNewest } from '../chain/keep-newest.js';
import { past, type TonAccount, type TonProvider } from '../chain/read.js';
import type { TonTransaction, UnreadTransaction } from '../chain/transaction.js';
import { orderBodies, readOrder } from '../wallet.js';

const MAX_REMEMBERED = 2_000;

export class SentBook {
  readonly #byWallet = new Map<string, Map<number, TonTransaction>>();

  /**
   * @returns undefined where the complete history has no order with this seqno: impossible for a wallet of the service.
   * @throws NotYetError where it is, or may be, a transaction that cannot be read. Forgotten, TransportError
   */
  async find(provider: TonProvider, { address, last }: TonAccount, seqno: number): Promise<TonTransaction | undefined> {
    const name = `${provider.index} ${address}`;
    const known = this.#of(name).get(seqno);
    if (known) return known;
    let unread: string | undefined;
    for await (const order of orders(provider, address, last)) {
      if ('unread' in order) {
        if (order.seqno === undefined || order.seqno === seqno) unread ??= order.unread;
        continue;
      }
      this.#keep(name, order.seqno, order.transaction);
      if (order.seqno === seqno) return order.transaction;
      if (order.seqno < seqno) break;
    }
    // guard: ton-unread-orders
    if (unread !== undefined) throw new NotYetError(`the order ${seqno} may be ${unread}, which cannot be read`);
    return undefined;
  }

  forget(): void {
    this.#byWallet.clear();
  }

  /** @param wallet `<provider index> <address>`. */
  #of(wallet: string): Map<number, TonTransaction> {
    const known = this.#byWallet.get(wallet) ?? new Map<number, TonTransaction>();
    this.#byWallet.set(wallet, known);
    return known;
  }

  #keep(wallet: string, seqno: number, transaction: TonTransaction): void {
    const kept = this.#of(wallet);
    kept.set(seqno, transaction);
    keepNewest(kept, MAX_REMEMBERED);
  }
}

export interface ReadOrder {
  readonly transaction: TonTransaction;
  readonly seqno: number;
}

/** An order, or what may be one, whose transaction cannot be read: it proves nothing about what was paid. */
export interface UnreadOrder {
  /** Hash of the transaction. */
  readonly unread: string;
  /** Undefined: not known. */
  readonly seqno: number | undefined;
  /** Of the messages that it sends if it succeeds; undefined: not known. */
  readonly bodies: readonly Cell[] | undefined;
}

/** Newest first. Other transactions are passed over, also those that cannot be read. @throws Forgotten, TransportError */
export async function* orders(
  provider: TonProvider,
  address: string,
  last: TonAccount['last'],
): AsyncGenerator<ReadOrder | UnreadOrder> {
  for await (const transaction of past(provider, address, last)) {
    if ('unread' in transaction) {
      const order = unreadOrder(transaction);
      if (order !== undefined) yield order;
      continue;
    }
    const order =
      transaction.externalHash === undefined || !transaction.input ? undefined : readOrder(transaction.input.body);
    if (order !== undefined) yield { transaction, seqno: order.seqno };
  }
}

/** Whether an unread order may have sent such a message. */
export function maySend({ bodies }: UnreadOrder, isIt: (message: { readonly body: Cell }) => boolean): boolean {
  return bodies === undefined || bodies.some((body) => isIt({ body }));
}

function unreadOrder({ hash: unread, cause }: UnreadTransaction): UnreadOrder | undefined {
  if (cause === 'inside') return undefined;
  if (cause === 'unknown') return { unread, seqno: undefined, bodies: undefined };
  const order = readOrder(cause.body);
  if (order === undefined) return undefined;
  try {
    return { unread, seqno: order.seqno, bodies: orderBodies(cause.body) };
  } catch {
    return { unread, seqno: order.seqno, bodies: undefined };
  }
}
