import type { BlockRef, ChainId, DepositObservation } from '@causeway/core';
import { type Provider, RpcError } from '@causeway/core/rpc';
import { isNative } from '../../addresses.js';
import { fundingKeyAt } from '../../deposit-addresses/funding.js';
import { Blocks, type Touch, touchIn } from '../../transactions/block-accounts.js';
import { fetchListed } from '../../transactions/fetch.js';
import type { ReadTransaction } from '../../transactions/read.js';
import { blockAt } from '../heads.js';
import type { Vault } from '../read-deposits.js';
import { arrivalAt, changeAt, straysAt, type WatchedAccount } from './arrivals.js';

/** Cached transactions, as one may have paid many addresses. */
const MAX_CACHED_READS = 64;

export interface Place {
  readonly signature: string;
  readonly slot: number;
}

/** The effect of one transaction on one account. */
export interface ReadChange {
  /** Smallest unit; negative: taken. */
  readonly change: bigint;
  /** Deposits to report, in state `included`. */
  readonly deposits: readonly DepositObservation[];
}

export class AccountReader {
  readonly #vault: Vault;
  readonly #blocks = new Blocks();
  readonly #kept = new Map<string, Promise<ReadTransaction>>();

  constructor(vault: Vault) {
    this.#vault = vault;
  }

  get chainId(): ChainId {
    return this.#vault.chainId;
  }

  /**
   * If the node does not return the transaction, reads the balances in its block: then without a depositor.
   *
   * @param isOwn whether it is another watched account of the address.
   * @throws RpcError, TransportError: it cannot be read.
   */
  async read(
    provider: Provider,
    watched: WatchedAccount,
    place: Place,
    isOwn: (account: string) => boolean,
  ): Promise<ReadChange> {
    try {
      const transaction = await this.#transactionAt(provider, place);
      const change = changeAt(watched, transaction);
      const block = await blockAt(provider, place.slot);
      const arrival = arrivalAt(this.#vault, watched, transaction, block);
      const strays = straysAt(this.#vault, watched, transaction, block, isOwn);
      return { change, deposits: [...(arrival === undefined ? [] : [arrival]), ...strays] };
    } catch (error) {
      // Moved to another slot meanwhile: the next list shows it.
      if (error instanceof RpcError && error.code === 0) throw error;
      const touch = await touchIn(this.#blocks, provider.rpc, place).catch(() => undefined);
      if (touch === undefined) throw error;
      return this.#readTouch(watched, place, touch, await blockAt(provider, place.slot));
    }
  }

  #readTouch(watched: WatchedAccount, { signature }: Place, touch: Touch, block: BlockRef): ReadChange {
    const { account, address, currency } = watched;
    const held = (isNative(currency) ? touch.lamports : touch.tokens).find((one) => one.account === account);
    const change = touch.ok && held !== undefined ? held.after - held.before : 0n;
    if (change <= 0n || touch.payer === this.#vault.sweeper) return { change, deposits: [] };
    const { chainId } = this.#vault;
    const fundingKey = fundingKeyAt(chainId, { signature, account });
    const seen = { fundingKey, chainId, transactionHash: signature, currency, amount: change, depositor: '' };
    return { change, deposits: [{ ...seen, orderId: null, depositAddress: address, state: 'included', block }] };
  }

  /** Shared, because one transaction of an exchange may pay many addresses. */
  #transactionAt({ rpc }: Provider, place: Place): Promise<ReadTransaction> {
    const name = `${place.signature} ${place.slot}`;
    const known = this.#kept.get(name);
    if (known !== undefined) return known;
    const asked = fetchListed(rpc, place);
    const [oldest] = this.#kept.keys();
    if (this.#kept.size >= MAX_CACHED_READS && oldest !== undefined) this.#kept.delete(oldest);
    this.#kept.set(name, asked);
    asked.catch(() => this.#kept.delete(name));
    return asked;
  }
}
