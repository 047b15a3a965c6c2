import { keepNewest } from '../chain/keep-newest.js';
import { history, type TonAccount, type TonProvider } from '../chain/read.js';
import type { TonTransaction } from '../chain/transaction.js';
import { readOrder } from '../wallet.js';

const MAX_REMEMBERED = 2_000;

export class SentBook {
  readonly #byWallet = new Map<string, Map<number, TonTransaction>>();

  /**
   * @returns undefined where the complete history has no order with this seqno: impossible for a wallet of the service.
   * @throws Forgotten, TransportError
   */
  async find(provider: TonProvider, { address, last }: TonAccount, seqno: number): Promise<TonTransaction | undefined> {
    const name = `${provider.index} ${address}`;
    const known = this.#of(name).get(seqno);
    if (known) return known;
    for await (const { transaction, seqno: number } of orders(provider, address, last)) {
      this.#keep(name, number, transaction);
      if (number === seqno) return transaction;
      if (number < seqno) return undefined;
    }
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

export async function* orders(
  provider: TonProvider,
  address: string,
  last: TonAccount['last'],
): AsyncGenerator<{ readonly transaction: TonTransaction; readonly seqno: number }> {
  for await (const transaction of history(provider, address, last)) {
    const order =
      transaction.externalHash === undefined || !transaction.input ? undefined : readOrder(transaction.input.body);
    if (order !== undefined) yield { transaction, seqno: order.seqno };
  }
}
