import type { BlockRef, DepositObservation, DepositStep, DepositStepsInput, Sighting } from '@causeway/core';
import { type ProviderPool, reports, type Testimony, witness } from '@causeway/core/rpc';
import { Address } from '@ton/core';
import { accountOf, isNative, NATIVE, textOf } from './addresses.js';
import type { Blocks } from './chain/blocks.js';
import { readOne, type TonProvider } from './chain/read.js';
import { change, type TonTransaction } from './chain/transaction.js';
import { isPlain, nameComment, orderNamed } from './comments.js';
import { isSwept } from './deposit-addresses/contract.js';
import { type AddressAccount, transferObservation } from './deposit-addresses/transfers.js';
import { type Depository, ownJettonWallets } from './depository.js';
import { readKey, writeKey } from './funding-key.js';
import type { Toncenter } from './http/toncenter.js';
import { jettonArrival } from './jetton-arrival.js';
import { notifiedSender, transferBody, walletOf } from './jettons.js';
import { isOwnChange } from './own-change.js';

/** Attached to a payer's jetton wallet, nanotons: covers every hop; the rest returns to the payer. */
export const PAYER_ATTACH = 100_000_000n;

/** Raw addresses that receive deposits, by currency. */
export function watchedAccounts({ raw, jettons }: Depository): ReadonlyMap<string, string | undefined> {
  return new Map([[raw, undefined], ...jettons.all().map((one) => [walletOf(one, raw), one.currency] as const)]);
}

/**
 * Coins go directly to the depository, non-bounceable, with the order as comment. Jettons are sent by the payer's
 * jetton wallet, which forwards the order.
 *
 * @throws where the currency is not known yet.
 */
export function depositSteps(
  { address, raw, jettons, chainId }: Depository,
  { payer, currency, amount, orderId }: DepositStepsInput,
): readonly DepositStep[] {
  const message = (): Readonly<Record<string, unknown>> => {
    if (isNative(currency)) {
      const body = nameComment(orderId).toBoc().toString('base64');
      return { to: address, value: amount.toString(), body, bounce: false };
    }
    const jetton = jettons.of(currency);
    if (jetton === undefined) throw new Error(`no jetton ${currency} on chain ${chainId}, or none that is known yet`);
    const owner = accountOf(payer).toRawString();
    const transfer = transferBody({ amount, recipient: raw, responseTo: owner, name: orderId });
    const wallet = Address.parse(walletOf(jetton, owner));
    return {
      ...{ to: wallet.toString({ bounceable: true }), value: PAYER_ATTACH.toString() },
      ...{ body: transfer.toBoc().toString('base64'), bounce: true },
    };
  };
  return stepOf(chainId, message(), 'Pays the depository; what it says names the order.');
}

export function stepOf(
  chainId: number,
  message: Readonly<Record<string, unknown>>,
  description: string,
): readonly DepositStep[] {
  const items = [{ data: { chainId, messages: [message] } }];
  return [{ id: 'deposit', action: 'Confirm transaction in your wallet', description, items }];
}

interface Arrival {
  readonly currency: string;
  readonly amount: bigint;
  /** Raw. */
  readonly from: string;
  readonly orderId: DepositObservation['orderId'];
  /** Coins in a contract's message: possibly change of the service's own transfer (`isOwnChange`). */
  readonly isOdd: boolean;
}

/**
 * The deposit in a transaction of a watched account. Rules against false deposits:
 * - aborted or bounced transactions moved nothing;
 * - coins in a message that is no person's transfer name no order, and may be change of the service's transfers;
 *   jetton transfers are read at the jetton wallet, see `jettonArrival`;
 * - the service's own payments are no deposits, nor is what it swept from its deposit addresses.
 */
export function arrivalOf(depository: Depository, transaction: TonTransaction): Arrival | undefined {
  const { account, aborted, bounces, input } = transaction;
  if (aborted || bounces || input === undefined || input.source === undefined || input.bounced) return undefined;
  if (account === depository.raw) {
    const orderId = orderNamed(input.body) ?? null;
    const isOdd = orderId === null && !isPlain(input.body);
    if (depository.own.has(input.source) || input.value === 0n || (isOdd && input.value < depository.least))
      return undefined;
    if (isSwept(depository.sweeping, input.source, input.body)) return undefined;
    // The notice of the service's jetton wallet names the sender of the attached coins.
    const named = ownJettonWallets(depository).has(input.source) ? notifiedSender(input.body) : undefined;
    return { currency: NATIVE, amount: input.value, from: named ?? input.source, orderId, isOdd };
  }
  const jetton = depository.jettons.all().find((one) => walletOf(one, depository.raw) === account);
  const arrival = jetton && jettonArrival(jetton, depository.raw, transaction);
  if (jetton === undefined || arrival === undefined) return undefined;
  const { amount, from, name, payload } = arrival;
  if (depository.own.has(from) || isSwept(depository.sweeping, from, payload)) return undefined;
  return { currency: jetton.currency, amount, from, orderId: name ?? null, isOdd: false };
}

/** Final at once: what a masterchain block covers is never replaced. */
export function observationOf(
  depository: Depository,
  transaction: TonTransaction,
  block: BlockRef,
): DepositObservation | undefined {
  const arrival = arrivalOf(depository, transaction);
  if (arrival === undefined) return undefined;
  const { currency, amount, from, orderId } = arrival;
  // The wallet pays for its own code and storage.
  const cost = isNative(currency) ? amount - change(transaction) : 0n;
  return {
    ...{ fundingKey: writeKey(transaction), chainId: depository.chainId, transactionHash: transaction.hash },
    ...{ currency, amount, depositor: textOf(Address.parse(from)), orderId, depositAddress: null },
    ...{ state: 'final', block },
    ...(cost > 0n ? { cost } : {}),
  };
}

/**
 * See `ChainDeposits.witness`.
 *
 * @param addressAccount by raw address; undefined for all but those of deposit addresses.
 */
export function witnessAll(
  providers: ProviderPool<Toncenter>,
  depository: Depository,
  blocks: Blocks,
  addressAccount: (raw: string) => AddressAccount | undefined,
  sightings: readonly Sighting[],
): Promise<readonly boolean[]> {
  const testify = async (provider: TonProvider, sighting: Sighting): Promise<Testimony> => {
    const { height, id } = sighting.block;
    const there = await blocks.at(provider, height);
    if (there === undefined) return 'nothing';
    if (there !== id) return 'different';
    const key = readKey(sighting.fundingKey);
    const transaction = key && (await readOne(provider, key.account, key));
    if (transaction === undefined) return 'nothing';
    const block = await blocks.ofLt(provider, transaction.lt);
    const watched = addressAccount(transaction.account);
    const seen = watched
      ? transferObservation(depository, watched, transaction, block)
      : observationOf(depository, transaction, block);
    if (arrivalOf(depository, transaction)?.isOdd && (await isOwnChange(provider, depository, transaction)) !== false)
      return 'nothing';
    return seen !== undefined && block.id === id && reports([seen], sighting) ? 'same' : 'different';
  };
  return witness(providers, sightings, testify);
}
