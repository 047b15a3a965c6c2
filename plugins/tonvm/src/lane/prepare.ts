import type { Prepared, PrepareInput, PrepareOutcome, ReplaceInput, SignedTransaction } from '@causeway/core';
import { Cell } from '@ton/core';
import { isNative } from '../addresses.js';
import type { ChainTime } from '../chain/chain-time.js';
import type { Sweeping } from '../deposit-addresses/contract.js';
import type { JettonBook } from '../jetton-book.js';
import { seqnoOf, signedOrder, unsignedOrder } from '../wallet.js';
import type { Heads } from '../watch/heads.js';
import { type Costs, mostOf } from './costs.js';
import { messageOf, readPlan } from './messages.js';
import { type Roles, roleFor, seqnoOfKey, writeKey } from './role.js';

/**
 * Sweeps per order, so that all transactions that it causes in a block are among the first forty, which nodes search.
 */
const MAX_SWEEPS = 15;

export interface PrepareDeps {
  readonly feed: Heads;
  readonly time: ChainTime;
  readonly jettons: JettonBook;
  readonly roles: Roles;
  readonly messageLifeS: number;
  readonly mostLegs: number;
  readonly sweeping: Sweeping | undefined;
}

/** Local work only: costs are constants, the seqno comes from the ledger. */
export function prepare(deps: PrepareDeps, { lane, legs }: PrepareInput): PrepareOutcome {
  const seqno = Number(lane.position);
  const carried = payable(deps, lane.signer, legs.slice(0, mostOfOrder(deps, legs)));
  const known = deps.feed.current?.accounts.get(roleFor(deps.roles, lane.signer, carried).signer.raw);
  // A wallet takes its orders in sequence, and nodes do not queue later ones.
  if (known !== undefined && seqnoOf(known.data) < seqno) return unavailable('the order before it is in no block yet');
  const made = compose(deps, lane.signer, seqno, carried);
  if (!made.ok) return made;
  const nextPosition = String(seqno + 1);
  return { ok: true, prepared: { ...made.prepared, nextPosition, carries: carried.length } };
}

/** The longest affordable prefix, at least one leg: an unaffordable leg must not block the others. */
function payable(
  { feed, jettons, roles }: PrepareDeps,
  signer: string,
  legs: PrepareInput['legs'],
): PrepareInput['legs'] {
  const held = feed.current?.accounts.get(roleFor(roles, signer, legs).signer.raw)?.balance ?? 0n;
  const costs = costsOf(jettons, legs);
  let most = 1;
  while (most < legs.length && mostOf(costs.slice(0, most + 1)) <= held) most += 1;
  return legs.slice(0, most);
}

function costsOf(jettons: JettonBook, legs: PrepareInput['legs']): readonly Costs[] {
  return legs.map(({ leg, plan }) => ({ kind: leg.kind, jetton: jettons.of(leg.currency), more: readPlan(plan).more }));
}

/** Reuses the seqno. No fee bump: orders have no price, and expired ones hold no place. */
export function replace(deps: PrepareDeps, { key, signer, legs }: ReplaceInput): PrepareOutcome {
  return compose(deps, signer, seqnoOfKey(key), legs.slice(0, mostOfOrder(deps, legs)));
}

function mostOfOrder({ mostLegs }: PrepareDeps, [first]: PrepareInput['legs']): number {
  return first?.leg.kind === 'sweep' ? Math.min(mostLegs, MAX_SWEEPS) : mostLegs;
}

function compose(deps: PrepareDeps, signer: string, seqno: number, legs: PrepareInput['legs']): PrepareOutcome {
  const { feed, time, jettons, roles, messageLifeS, sweeping } = deps;
  const role = roleFor(roles, signer, legs);
  const head = feed.current;
  if (head === undefined) return unavailable('no head is known yet');
  if (legs.some(({ leg }) => !isNative(leg.currency) && jettons.of(leg.currency) === undefined))
    return unavailable('nothing is known of a jetton yet');
  const maxFee = mostOf(costsOf(jettons, legs));
  const held = head.accounts.get(role.signer.raw)?.balance ?? 0n;
  if (held < maxFee) return { ok: false, why: 'noGas', message: `${signer} holds ${held} and it may cost ${maxFee}` };
  // A fill expires with its order even if the service is down; `unfilledForGood` depends on it.
  const deadlines = legs.flatMap(({ leg }) => (leg.kind === 'fill' ? [leg.deadline] : []));
  const now = time.now();
  const validUntil = Math.min(now + messageLifeS, ...deadlines);
  if (validUntil <= now) return unavailable('the deadline of the order has passed');
  const messages = legs.map(({ leg, plan }) => messageOf(leg, plan, { signer: role.signer, jettons, sweeping }));
  const unsigned = unsignedOrder(role.signer, { seqno, validUntil, messages }).toBoc().toString('base64');
  const key = writeKey(signer, seqno);
  return {
    ok: true,
    prepared: { key, nextPosition: String(seqno + 1), unsigned, fees: JSON.stringify({ validUntil }), maxFee },
  };
}

export function signOrder(roles: Roles, { unsigned }: Prepared, signer: string): SignedTransaction {
  return signedOrder(roleFor(roles, signer).signer, Cell.fromBase64(unsigned));
}

function unavailable(message: string): PrepareOutcome {
  return { ok: false, why: 'unavailable', message };
}
