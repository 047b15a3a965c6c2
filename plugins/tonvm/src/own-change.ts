import { Forgotten, locate, locateInPast, Refused, type TonProvider } from './chain/read.js';
import type { TonMessage, TonTransaction } from './chain/transaction.js';
import { type Depository, ownJettonWallets } from './depository.js';

/** The service's jetton wallet, the recipient's, and the service's again on a return. */
const MAX_HOPS = 3;
/** Operation code of coins that a jetton wallet returns. */
const EXCESSES = 0xd53276db;

/**
 * Change of the service's jetton transfer belongs to its fee (`Traces`) and is no deposit. Undefined where the
 * provider does not show the origin of coins that look like change; others are their sender's.
 *
 * Not guaranteed: recognition of coins that such a transfer caused more hops away.
 *
 * @param floor height of a head that has the transaction. @throws TransportError
 */
export async function isOwnChange(
  provider: TonProvider,
  depository: Depository,
  { input }: TonTransaction,
  floor = 0,
): Promise<boolean | undefined> {
  const wallets = ownJettonWallets(depository);
  let message = input;
  for (let hop = 0; hop < MAX_HOPS && message !== undefined; hop += 1) {
    const sender = await originOf(provider, message, floor);
    if (sender === undefined)
      return hop > 0 || /* guard: ton-origin-unknown */ mayBeChange(wallets, input) ? undefined : false;
    message = sender.input;
    const from = message?.source;
    if (from === undefined) return false;
    const isOurs = wallets.has(sender.account);
    if (isOurs && depository.own.has(from)) return true;
    // Third parties' messages cost one lookup: only the service's transfers go further.
    if (!isOurs && !wallets.has(from)) return false;
  }
  return false;
}

/** Providers may lack the search for an origin, which has its limits too; the sender's history shows all. */
async function originOf(
  provider: TonProvider,
  message: TonMessage,
  floor: number,
): Promise<TonTransaction | undefined> {
  const found = await locate(provider, 'source', message);
  if (found !== undefined) return found;
  try {
    return await locateInPast(provider, 'source', message, floor);
  } catch (error) {
    if (error instanceof Forgotten || error instanceof Refused) return undefined;
    throw error;
  }
}

function mayBeChange(wallets: ReadonlySet<string>, input: TonMessage | undefined): boolean {
  if (input?.source === undefined) return false;
  const { body } = input;
  const isExcess = !body.isExotic && body.bits.length >= 32 && body.beginParse().loadUint(32) === EXCESSES;
  return isExcess || wallets.has(input.source);
}
