import { RpcError } from '@causeway/core/rpc';
import { beginCell, Cell, Dictionary, loadMessage, type Message, storeTransaction } from '@ton/core';
import type { TonProvider } from '../../src/chain/read.js';
import type { TransactionId } from '../../src/chain/transaction.js';

export interface MadeTransaction extends TransactionId {
  readonly data: string;
}

export const NO_ONE: TransactionId = { lt: 0n, hash: '0'.repeat(64) };

/** `readable`: as of a node. `effects`: they cannot be read. `cause`: nor can the message from outside. */
export type Reading = 'readable' | 'effects' | 'cause';

export interface Entry {
  readonly from?: Message;
  readonly reading?: Reading;
  /** Messages that it sends. */
  readonly sent?: readonly Cell[];
}

/** An account's transactions, oldest first, one per logical time from 1 on. */
export function madeHistory(raw: string, entries: readonly Entry[]): readonly MadeTransaction[] {
  const made: MadeTransaction[] = [];
  for (const entry of entries) made.push(madeTransaction(raw, BigInt(made.length + 1), made.at(-1) ?? NO_ONE, entry));
  return made;
}

function madeTransaction(
  raw: string,
  lt: bigint,
  previous: TransactionId,
  { from, reading = 'readable', sent = [] }: Entry,
): MadeTransaction {
  const state = Buffer.alloc(32);
  const outMessages = Dictionary.empty(Dictionary.Keys.Uint(15), Dictionary.Values.Cell());
  for (const [n, message] of sent.entries()) outMessages.set(n, message);
  const store = storeTransaction({
    ...{
      address: BigInt(`0x${raw.slice(2)}`),
      lt,
      now: Number(lt),
      outMessagesCount: sent.length,
      inMessage: from ?? null,
    },
    ...{ prevTransactionLt: previous.lt, prevTransactionHash: BigInt(`0x${previous.hash}`) },
    ...{ oldStatus: 'active', endStatus: 'active', totalFees: { coins: 1n } },
    outMessages,
    stateUpdate: { oldHash: state, newHash: state },
    description: {
      ...{ type: 'generic', creditFirst: false, aborted: false, destroyed: false },
      computePhase: { type: 'skipped', reason: 'no-gas' },
    },
  } as unknown as Parameters<typeof storeTransaction>[0]);
  const whole = beginCell().store(store).endCell();
  const cell = reading === 'readable' ? whole : spoilt(whole, reading === 'cause');
  return { lt, hash: cell.hash().toString('hex'), data: cell.toBoc().toString('base64') };
}

/** Without what describes its effects. */
function spoilt(whole: Cell, cause: boolean): Cell {
  const [messages = Cell.EMPTY, update = Cell.EMPTY] = whole.refs;
  const outside = beginCell().storeUint(0b10, 2).endCell();
  const unreadable = beginCell().storeBit(true).storeRef(outside).storeBit(false).endCell();
  const refs = [cause ? unreadable : messages, update, Cell.EMPTY];
  return refs.reduce((made, ref) => made.storeRef(ref), beginCell().storeBits(whole.bits)).endCell();
}

export const messageIn = (boc: string): Message => loadMessage(Cell.fromBase64(boc).beginParse());

/** A provider with one account. Finds no transaction by a message, unless `located` names it. */
export function providerOf(
  history: readonly MadeTransaction[],
  { data, located }: { readonly data?: Cell; readonly located?: string } = {},
): TonProvider {
  const last = history.at(-1) ?? NO_ONE;
  const answers: Readonly<Record<string, (params: { readonly lt?: string }) => unknown>> = {
    getAddressInformation: () => ({
      ...{ balance: '5', state: 'active', code: '', data: data?.toBoc().toString('base64') ?? '', sync_utime: 1_000 },
      last_transaction_id: { lt: last.lt.toString(), hash: Buffer.from(last.hash, 'hex').toString('base64') },
      block_id: { workchain: -1, seqno: 1, root_hash: '' },
    }),
    getTransactions: ({ lt = '0' }) => history.filter((one) => one.lt <= BigInt(lt)).reverse(),
  };
  const call = async (method: string, params: object) => {
    const answer = answers[method];
    if (answer !== undefined) return answer(params);
    if (located !== undefined) return { data: located };
    throw new RpcError('not found', 404, undefined);
  };
  return { name: 'node', index: 0, ws: undefined, rpc: { call } } as unknown as TonProvider;
}
