import type { FillRefusal, FillWish, LegCheck, LegInstruction } from '@causeway/core';
import { isTransportError, type ProviderPool, RpcError } from '@causeway/core/rpc';
import { accountOf, isNative } from '../addresses.js';
import type { ChainTime } from '../chain/chain-time.js';
import { readAccount, type TonProvider } from '../chain/read.js';
import type { Sweeping } from '../deposit-addresses/contract.js';
import type { Toncenter } from '../http/toncenter.js';
import type { JettonBook } from '../jetton-book.js';
import { heldBy, walletOf } from '../jettons.js';
import { type Payee, type Payees, refuseAddress } from '../payees.js';
import type { Heads } from '../watch/heads.js';
import { checkSweep } from './check-sweep.js';
import { mostOf } from './costs.js';
import { writePlan } from './messages.js';
import { refused, unavailable } from './refusals.js';
import { type Roles, roleFor } from './role.js';

export interface CheckDeps {
  readonly providers: ProviderPool<Toncenter>;
  readonly feed: Heads;
  readonly time: ChainTime;
  readonly jettons: JettonBook;
  readonly roles: Roles;
  readonly payees: Payees;
  readonly least: bigint;
  readonly sweeping: Sweeping | undefined;
}

/** Refused whatever the chain's state: the zero account, the service's own accounts, and dust. */
export function refuseFill(
  { roles, jettons, least }: Pick<CheckDeps, 'roles' | 'jettons' | 'least'>,
  wish: FillWish,
): FillRefusal | undefined {
  const { recipient, currency, amount } = wish;
  const lost = refuseAddress(recipient);
  if (lost !== undefined) return { why: 'recipient', message: `${recipient} ${lost}` };
  if (isOurs(roles, jettons, recipient)) return { why: 'recipient', message: `${recipient} is a wallet of the solver` };
  // Less is consumed by the storage fee of an account without code.
  if (isNative(currency) && amount < least)
    return { why: 'amount', least, message: `least that is paid is ${least} nanotons` };
  return undefined;
}

function isOurs(roles: Roles, jettons: JettonBook, recipient: string): boolean {
  if (roles.has(recipient)) return true;
  const raw = accountOf(recipient).toRawString();
  const owners = [...roles.values()].map(({ signer }) => signer.raw);
  return jettons
    .all()
    .some((jetton) => /* guard: ton-own-token-account */ owners.some((owner) => walletOf(jetton, owner) === raw));
}

/** What the service's own accounts say of a leg; its recipient is looked at next. */
interface Payable {
  readonly isShort: boolean;
  readonly height: number;
}

/** Checks a leg against the chain's current state. A missing answer never makes it throw. */
export async function checkLeg(deps: CheckDeps, leg: LegInstruction, signer: string): Promise<LegCheck> {
  try {
    roleFor(deps.roles, signer, [{ leg }]);
    const own = await deps.providers.run((provider) => ask(deps, provider, leg, signer));
    if ('ok' in own) return own;
    // Third parties choose it: it is read apart, so that no answer about it takes a provider from the payments.
    const payee = leg.kind === 'collect' || leg.kind === 'sweep' ? undefined : await deps.payees.payee(leg.recipient);
    return answerOf(leg, signer, own, payee);
  } catch (error) {
    if (!isTransportError(error) && !(error instanceof RpcError)) throw error;
    return unavailable('UNKNOWN', error.message);
  }
}

async function ask(
  deps: CheckDeps,
  provider: TonProvider,
  leg: LegInstruction,
  signer: string,
): Promise<LegCheck | Payable> {
  const { feed, time, jettons, roles } = deps;
  if (leg.kind === 'sweep') return await checkSweep(deps, provider, leg, signer);
  // guard: ton-no-calls
  if (leg.kind === 'fill' && ((leg.calls?.length ?? 0) > 0 || leg.topUp !== undefined))
    return refused('UNKNOWN', 'fills here pay their recipient and do no more');
  const refusal = leg.kind === 'fill' ? refuseFill(deps, leg) : undefined;
  if (refusal?.why === 'amount') return { ...refused('UNKNOWN', refusal.message), least: refusal.least };
  if (
    refusal !== undefined ||
    (leg.kind !== 'collect' && (refuseAddress(leg.recipient) !== undefined || isOurs(roles, jettons, leg.recipient)))
  )
    return refused('DESTINATION_TOKEN_TRANSFER_REJECTED', `${leg.recipient} cannot be paid`);
  const { signer: wallet } = roleFor(roles, signer);
  const account = await readAccount(provider, wallet.raw, feed.floor());
  time.saw(account.utime);
  if (leg.kind === 'fill' && account.utime >= leg.deadline)
    return refused('ORDER_EXPIRED', 'the deadline of the order has passed');
  const jetton = isNative(leg.currency) ? undefined : jettons.of(leg.currency);
  if (!isNative(leg.currency) && jetton === undefined)
    return unavailable('UNKNOWN', `nothing is known of the jetton ${leg.currency} yet`);
  const coins = mostOf([{ kind: leg.kind, jetton }]) + (jetton === undefined ? leg.amount : 0n);
  const held = jetton && (await readAccount(provider, walletOf(jetton, wallet.raw), feed.floor()));
  const isShort = account.balance < coins || (jetton !== undefined && heldBy(jetton.layout, held?.data) < leg.amount);
  return { isShort, height: account.height };
}

function answerOf(
  { recipient, currency }: Pick<LegInstruction, 'recipient' | 'currency'>,
  signer: string,
  { isShort, height }: Payable,
  payee: Payee | undefined,
): LegCheck {
  if (payee?.lost !== undefined) return refused('DESTINATION_TOKEN_TRANSFER_REJECTED', `${recipient} ${payee.lost}`);
  if (!isShort) return { ok: true, plan: writePlan({ bounces: payee?.active === true }) };
  const message = `${signer} holds too little of ${currency}, or of the coin that pays for it`;
  return { ...unavailable('SOLVER_BALANCE_TOO_LOW', message), height };
}
