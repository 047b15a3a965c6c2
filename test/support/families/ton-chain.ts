// A TON chain through its toncenter v2 API, without the plugin's code.

import { Address, beginCell, Cell, loadTransaction, type Message } from '@ton/core';

/** The native coin as public clients write it. */
export const NATIVE = 'EQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAM9c';

export interface Sent {
  /** Null for external messages. */
  readonly from: string | null;
  readonly to: string;
  /** Nanotons. */
  readonly value: bigint;
  readonly lt: bigint;
  readonly body: Cell;
}

export interface Reported {
  readonly account: string;
  readonly hash: string;
  readonly lt: bigint;
  readonly previous: { readonly lt: bigint; readonly hash: string };
  /** Its compute and action phases succeeded. */
  readonly ok: boolean;
  /** The value went back to its sender. */
  readonly bounced: boolean;
  readonly started: Sent | null;
  readonly sent: readonly Sent[];
  /** Change of the account's balance, nanotons. */
  readonly gained: bigint;
}

/** Maximum of one response. */
const PAGE_SIZE = 100;
/** Exit code of a get method on an account without code. */
const NO_CODE = -13;

type Stack = readonly (readonly [type: string, value: unknown])[];

export class TonChain {
  readonly #url: string;
  /** By account, oldest first. */
  readonly #reported = new Map<string, readonly Reported[]>();
  /** By the message that started it. */
  readonly #started = new Map<string, Reported>();
  readonly #wallets = new Map<string, string>();

  /** @param url the whole endpoint, `…/api/v2/jsonRPC`. */
  constructor(url: string) {
    this.#url = url;
  }

  /** @throws with the text of a refusal. */
  async call<T>(method: string, params: object): Promise<T> {
    const response = await fetch(this.#url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    });
    const { ok, result, error } = (await response.json()) as { ok: boolean; result: T; error?: string };
    if (!ok) throw new Error(`${method}: ${error ?? response.status}`);
    return result;
  }

  async coins(account: string): Promise<bigint> {
    return BigInt(await this.call<string>('getAddressBalance', { address: account }));
  }

  async jettons(minter: string, owner: string): Promise<bigint> {
    const stack = await this.#ask(await this.jettonWallet(minter, owner), 'get_wallet_data');
    return stack === undefined ? 0n : BigInt(stack[0]?.[1] as string);
  }

  /** According to the minter. */
  async jettonWallet(minter: string, owner: string): Promise<string> {
    const key = `${minter} ${owner}`;
    const known = this.#wallets.get(key);
    if (known !== undefined) return known;
    const slice = beginCell().storeAddress(Address.parse(owner)).endCell();
    const given = [['tvm.Slice', slice.toBoc().toString('base64')]] as const;
    const stack = await this.#ask(minter, 'get_wallet_address', given);
    const { bytes } = (stack?.[0]?.[1] ?? {}) as { readonly bytes?: string };
    if (bytes === undefined) throw new Error(`${minter} names no wallet of ${owner}`);
    const found = Cell.fromBase64(bytes).beginParse().loadAddress().toRawString();
    this.#wallets.set(key, found);
    return found;
  }

  async #ask(address: string, method: string, stack: Stack = []): Promise<Stack | undefined> {
    const reported = await this.call<{ exit_code: number; stack: Stack }>('runGetMethod', { address, method, stack });
    if (reported.exit_code === NO_CODE) return undefined;
    if (reported.exit_code !== 0) throw new Error(`${method} of ${address} ends with ${reported.exit_code}`);
    return reported.stack;
  }

  /** Logical time of the newest transaction of an account. */
  async lastOf(account: string): Promise<bigint> {
    return (await this.#last(account)).lt;
  }

  async #last(address: string): Promise<{ readonly lt: bigint; readonly hash: string }> {
    const { last_transaction_id: last } = await this.call<{ last_transaction_id: { lt: string; hash: string } }>(
      'getAddressInformation',
      { address },
    );
    return { lt: BigInt(last.lt), hash: last.hash };
  }

  /** Transactions after a logical time; oldest first, the same at each call. */
  async since(account: string, after: bigint): Promise<readonly Reported[]> {
    const known = this.#reported.get(account) ?? [];
    const floor = known.at(-1)?.lt ?? after;
    const found: Reported[] = [];
    let next = await this.#last(account);
    while (next.lt > floor) {
      const { lt, hash } = next;
      const page = await this.call<readonly { readonly data: string }[]>('getTransactions', {
        ...{ address: account, lt: lt.toString(), hash, limit: PAGE_SIZE, archival: true },
      });
      if (page.length === 0) throw new Error(`nothing is told of ${account} at ${lt}`);
      for (const { data } of page) {
        if (next.lt <= floor) break;
        const one = read(data);
        found.push(one);
        next = one.previous;
      }
    }
    const all = [...known, ...found.reverse()];
    this.#reported.set(account, all);
    return all;
  }

  /** Undefined while the message is in flight. */
  async startedBy({ from: source, to: destination, lt }: Sent): Promise<Reported | undefined> {
    const key = `${source} ${lt}`;
    const known = this.#started.get(key);
    if (known !== undefined) return known;
    const params = { source, destination, created_lt: lt.toString() };
    const reported = await this.call<{ data: string }>('tryLocateResultTx', params).catch((error: Error) => {
      if (error.message.includes('not found')) return undefined;
      throw error;
    });
    if (reported === undefined) return undefined;
    const found = read(reported.data);
    this.#started.set(key, found);
    return found;
  }
}

function read(data: string): Reported {
  const cell = Cell.fromBase64(data);
  const { lt, address, inMessage, outMessages, totalFees, description, ...rest } = loadTransaction(cell.beginParse());
  const generic = description.type === 'generic' ? description : undefined;
  const sent = outMessages.values().flatMap((message) => messageOf(message) ?? []);
  const value = inMessage?.info.type === 'internal' ? inMessage.info.value.coins : 0n;
  return {
    ...{ account: `0:${digits(address)}`, hash: cell.hash().toString('hex'), lt, sent },
    previous: { lt: rest.prevTransactionLt, hash: digits(rest.prevTransactionHash) },
    ok: generic?.aborted === false,
    bounced: generic?.bouncePhase?.type === 'ok',
    started: inMessage ? (messageOf(inMessage) ?? null) : null,
    gained: outMessages.values().reduce((left, message) => left - costOf(message), value - totalFees.coins),
  };
}

function messageOf({ info, body }: Message): Sent | undefined {
  if (info.type === 'external-out') return undefined;
  const to = info.dest.toRawString();
  if (info.type === 'external-in') return { from: null, to, value: 0n, lt: 0n, body };
  return { from: info.src.toRawString(), to, value: info.value.coins, lt: info.createdLt, body };
}

/** A message's value and its forwarding cost beyond what the sender's transaction shows. */
function costOf({ info }: Message): bigint {
  return info.type === 'internal' ? info.value.coins + info.forwardFee + info.ihrFee : 0n;
}

function digits(number: bigint): string {
  return number.toString(16).padStart(64, '0');
}
