import type { SendOutcome, SignedTransaction } from '@causeway/core';
import { type ProviderPool, RpcError, TransportError } from '@causeway/core/rpc';
import { Cell, loadMessage, type Message } from '@ton/core';
import { readAccount, type TonProvider } from '../chain/read.js';
import { externalHashOf } from '../chain/transaction.js';
import type { Toncenter } from '../http/toncenter.js';
import { readOrder, seqnoOf } from '../wallet.js';
import type { SentBook } from './sent-book.js';

/** Exit codes of the wallet: wrong seqno, expired. */
const WRONG_SEQNO = 133;
const EXPIRED = 136;

interface Order {
  readonly wallet: string;
  readonly seqno: number;
  readonly hash: string;
}

/** Sends to every provider. Never throws: unknown outcomes are ambiguous. */
export async function sendOrder(
  providers: ProviderPool<Toncenter>,
  book: SentBook,
  { bytes }: Pick<SignedTransaction, 'bytes'>,
): Promise<SendOutcome> {
  const order = orderOf(bytes);
  if (order === undefined)
    return { outcome: 'rejected', meaning: 'invalid', message: 'these bytes are no order of a wallet' };
  const outcomes = await Promise.all(
    providers.usable().map((provider) => sendTo(providers, provider, book, order, bytes)),
  );
  const best = (wanted: SendOutcome['outcome']) => outcomes.find(({ outcome }) => outcome === wanted);
  // An accepting provider decides; of several refusals any one is returned.
  return best('known') ?? best('accepted') ?? best('ambiguous') ?? outcomes[0] ?? ambiguous('no provider answers');
}

async function sendTo(
  providers: ProviderPool<Toncenter>,
  provider: TonProvider,
  book: SentBook,
  order: Order,
  bytes: string,
): Promise<SendOutcome> {
  try {
    const before = await stands(provider, book, order);
    if (before !== undefined) return before;
    await provider.rpc.call('sendBoc', { boc: bytes });
    return { outcome: 'accepted' };
  } catch (error) {
    if (error instanceof TransportError) providers.failed(provider, error);
    if (!(error instanceof RpcError)) return ambiguous((error as Error).message);
    return await refusal(provider, book, order, error.message).catch((again: unknown) =>
      ambiguous((again as Error).message),
    );
  }
}

/** State of its seqno on the chain; undefined while it is next. */
async function stands(provider: TonProvider, book: SentBook, order: Order): Promise<SendOutcome | undefined> {
  const account = await readAccount(provider, order.wallet);
  const due = seqnoOf(account.data);
  if (due === order.seqno) return undefined;
  if (due < order.seqno)
    return { outcome: 'rejected', meaning: 'keyTooFar', message: `the number ${due} is due, not ${order.seqno}` };
  const taken = await book.find(provider, account, order.seqno);
  if (taken?.externalHash === order.hash) return { outcome: 'known' };
  return {
    outcome: 'rejected',
    meaning: 'keySpent',
    message: `the number ${order.seqno} was taken by ${taken?.externalHash}`,
  };
}

/** Only the wallet's own exit code is a refusal; a provider that failed to run it proves nothing. */
async function refusal(provider: TonProvider, book: SentBook, order: Order, message: string): Promise<SendOutcome> {
  const code = Number(/exit_?code\s*[=:]\s*(-?\d+)/i.exec(message)?.[1] ?? Number.NaN);
  if (code === WRONG_SEQNO) return (await stands(provider, book, order)) ?? ambiguous(message);
  if (code === EXPIRED) return { outcome: 'rejected', meaning: 'invalid', message: 'its time is over' };
  if (/not accepted|failed to parse|not a valid BoC/i.test(message))
    return { outcome: 'rejected', meaning: Number.isNaN(code) ? 'noGas' : 'invalid', message };
  return ambiguous(message);
}

function orderOf(bytes: string): Order | undefined {
  let message: Message;
  try {
    message = loadMessage(Cell.fromBase64(bytes).beginParse());
  } catch {
    return undefined;
  }
  if (message.info.type !== 'external-in') return undefined;
  const order = readOrder(message.body);
  return order && { wallet: message.info.dest.toRawString(), seqno: order.seqno, hash: externalHashOf(message) };
}

function ambiguous(message: string): SendOutcome {
  return { outcome: 'ambiguous', message };
}
