import type { LegCheck, SweepLeg } from '@causeway/core';
import { accountOf, isNative } from '../addresses.js';
import { past, readAccount, type TonAccount, type TonProvider } from '../chain/read.js';
import { queryIdOf, readSweep, readSwept } from '../deposit-addresses/contract.js';
import { readKey } from '../funding-key.js';
import { heldBy, readTransfer, returnedQueryId, walletOf } from '../jettons.js';
import type { CheckDeps } from './check.js';
import { mostOf } from './costs.js';
import { writePlan } from './messages.js';
import { refused, unavailable } from './refusals.js';
import { roleFor } from './role.js';

/** Maximum nanotons that storage and receipts may have cost a deposit address. */
const MAX_EXCESS = 100_000_000n;
/** Transactions after a transfer that are searched for its sweep. */
const MAX_TRANSACTIONS_READ = 2_000;

/**
 * The history of the account that received the transfer shows whether it was swept: one request if the transfer is its
 * newest entry.
 *
 * @throws TransportError
 */
export async function checkSweep(
  { feed, time, jettons, roles }: Omit<CheckDeps, 'providers'>,
  provider: TonProvider,
  leg: SweepLeg,
  signer: string,
): Promise<LegCheck> {
  const jetton = isNative(leg.currency) ? undefined : jettons.of(leg.currency);
  if (jetton === undefined && !isNative(leg.currency))
    return unavailable('UNKNOWN', `nothing is known of the jetton ${leg.currency} yet`);
  const address = accountOf(leg.from.address).toRawString();
  const held = await readAccount(provider, jetton ? walletOf(jetton, address) : address, feed.floor());
  time.saw(held.utime);
  if (await wasSwept(provider, leg, held)) return refused('INVALID_NONCE', `${leg.fundingKey} was swept before`);
  const amount = jetton ? heldBy(jetton.layout, held.data) : held.balance;
  const more = jetton || amount >= leg.amount ? 0n : leg.amount - amount;
  if ((jetton !== undefined && amount < leg.amount) || more > MAX_EXCESS)
    return {
      ...unavailable('UNKNOWN', `${leg.from.address} holds ${amount} of ${leg.currency}, which is too little`),
      height: held.height,
    };
  const wallet = await readAccount(provider, roleFor(roles, signer).signer.raw, feed.floor());
  if (wallet.balance >= mostOf([{ kind: 'sweep', jetton, more }])) return { ok: true, plan: writePlan({ more }) };
  const message = `${signer} holds too little of the coin that pays for sweeps`;
  return { ...unavailable('SOLVER_BALANCE_TOO_LOW', message), height: wallet.height };
}

/** Whether any order under the same use key swept it. A sweep whose value returned does not count. */
async function wasSwept(
  provider: TonProvider,
  { fundingKey, useKey }: SweepLeg,
  { address, last }: TonAccount,
): Promise<boolean> {
  const transfer = readKey(fundingKey);
  if (transfer === undefined || transfer.account !== address)
    throw new Error(`${fundingKey} is no transfer to ${address}`);
  let times = 0;
  let read = 0;
  for await (const transaction of past(provider, address, last)) {
    read += 1;
    if (transaction.lt <= transfer.lt || read > MAX_TRANSACTIONS_READ) break;
    if ('unread' in transaction || transaction.input === undefined) continue;
    const { aborted, input } = transaction;
    if (input.bounced) times -= returnedQueryId(input.body) === queryIdOf(useKey) ? 1 : 0;
    else if (!aborted) times += namesSweep(input.body, useKey) ? 1 : 0;
  }
  return times > 0;
}

function namesSweep(body: Parameters<typeof readSweep>[0], useKey: string): boolean {
  return readSweep(body)?.useKey === useKey || readSwept(readTransfer(body)?.payload)?.useKey === useKey;
}
