import { AddressBudget } from '../capabilities/deposit-addresses/budget.js';
import { addressChanges, offerAddress, refuseUnpayable } from '../capabilities/deposit-addresses/quote.js';
import { offerMapping } from '../capabilities/nonce-mappings/quote.js';
import { offerPermit, refuseUnsponsored, refuseWorthlessDeposit } from '../capabilities/permits/quote.js';
import { withSwapsSponsored } from '../capabilities/sponsorship/ask-sponsor.js';
import { sponsorPromise } from '../capabilities/sponsorship/promise-sponsor.js';
import type { DepositStep } from '../contract/deposits.js';
import type { AddressCodec } from '../domain/order-id.js';
import type { QuoteBody } from '../domain/quote.js';
import { type ApiError, apiError, invalidRequest, laterError } from '../errors/api-error.js';
import { AnonymousQuotes } from './anonymous-quotes.js';
import { type PriceAnswer, priceAnswer, type QuoteAnswer, quoteAnswer } from './answer.js';
import type { QuoteAsk, QuoteCaller } from './ask.js';
import { type QuoteFacts, quoteBody, quoteRow } from './body.js';
import { earmarkOf, fixesRates, refuseUnkept } from './fixed-rate.js';
import type { Keeping } from './keeping.js';
import { LiveQuotes } from './live-quotes.js';
import { refuseSwallowed } from './parties.js';
import { fundsOf } from './payer-funds.js';
import { depositOf, type Plan } from './plan.js';
import { type PlanStage, type Priced, paidOf, planOf, sentOf } from './plan-stage.js';
import { PLAN_STAGES } from './plan-stages.js';
import { addressCodec, promiseOrder } from './promise.js';
import type { QuotingDeps } from './quoting-deps.js';
import { demandOf, refusedByRehearsal } from './rehearsed.js';
import { type Route, RouteTable } from './route.js';
import { refuseScreened } from './screened.js';
import { distinguished, hasShortForms } from './short-forms.js';
import { refused, type Stage } from './stage.js';
import { refuseStranded } from './stranded.js';
import { timeEstimate } from './time-estimate.js';
import { refuseTinySwap } from './tiny-swap.js';
import { withTopUpCost } from './top-up.js';
import { refuseTransfer } from './transfer-check.js';
import type { Claims } from './unsupported.js';
import { type ValidAsk, validate } from './validate.js';
import { paidWay } from './ways/paid-way.js';
import { payerSteps, swapInSteps, withoutOriginSource, withoutSource } from './ways/payer-steps.js';
import { payerWay } from './ways/payer-way.js';

export interface Quoter {
  /** Durable when this resolves. Rejects only on infrastructure failure. */
  quote(ask: QuoteAsk, caller: QuoteCaller, keeping?: Keeping<QuoteAnswer>): Promise<Stage<QuoteAnswer>>;
  /** Same refusals as `quote`. Promises and stores nothing. */
  price(ask: QuoteAsk, caller: QuoteCaller): Promise<Stage<PriceAnswer>>;
  /** The promise that `quote` would make, neither stored nor counted. */
  body(ask: QuoteAsk, caller: QuoteCaller): Promise<Stage<QuoteBody>>;
}

const NO_SPACE_RETRY_S = 60;

const MAX_SWAPS_TRIED = 3;

interface Offer {
  readonly facts: QuoteFacts;
  readonly steps: readonly DepositStep[];
}

/**
 * All stages but the last work from memory, except for simulated transfers of flagged tokens, fill costs that depend
 * on the recipient, and funds of payers on some chains.
 */
export function createQuoter(deps: QuotingDeps, stages: readonly PlanStage[] = PLAN_STAGES): Quoter {
  const fixes = fixesRates(deps.policy);
  const claims: Claims = (feature, ends) =>
    fixes(feature, ends) || stages.some((stage) => stage.serves?.(feature, ends) === true);
  const routes = new RouteTable(deps.policy);
  const codec = addressCodec(deps.chains);
  const live = new LiveQuotes(deps);
  const anonymous = new AnonymousQuotes(deps);
  const addresses = new AddressBudget(deps.clock, deps.policy.mostAddressesPerDay);
  const offer = async (ask: QuoteAsk, caller: QuoteCaller, toSign: boolean): Promise<Stage<Offer>> => {
    const valid = validate(ask, caller, deps, claims);
    if (refused(valid)) return valid;
    const asked = routes.find(ask, valid);
    if (refused(asked)) return asked;
    // guard: deposit-address-budget
    const spent = toSign && valid.address !== null ? addresses.refuse(caller) : undefined;
    if (spent) return spent;
    const unfit = refuseTinySwap(valid, asked, deps) ?? refuseByTransfer(valid, asked);
    if (unfit) return unfit;
    const blocked = deps.screening.isOff ? undefined : await refuseScreened(valid, deps);
    // guard: quote-screening
    if (blocked) return blocked;
    const asking = refuseSwallowed(valid, deps);
    const swallowed = asking instanceof Promise ? await asking : asking;
    if (swallowed !== undefined) return swallowed;
    return offerOf(valid, asked, caller, toSign);
  };
  const offerOf = async (
    valid: ValidAsk,
    asked: Route,
    caller: QuoteCaller,
    toSign: boolean,
    tries = MAX_SWAPS_TRIED,
  ): Promise<Stage<Offer>> => {
    const ways = { ...deps, routes };
    const topped = valid.topUpMicroUsd === null ? valid : await withTopUpCost(valid, asked, deps);
    if (refused(topped)) return topped;
    // A top-up is paid by the solver after the output, so there is no own execution.
    const own = valid.topUpMicroUsd === null ? await payerWay(valid, asked, ways) : undefined;
    const paid = own ?? (await paidWay(topped, asked, ways));
    if (refused(paid)) return paid;
    const priced = valid.sponsor === null ? paid : await sponsored(paid, topped, asked, ways, deps);
    if (refused(priced)) return priced;
    const planning = planOf(priced, stages, deps.clock);
    const plan = planning instanceof Promise ? await planning : planning;
    if (refused(plan)) return plan;
    const reported = () => promise(priced, plan, codec, deps);
    const facts = toSign && hasShortForms(priced.route) ? await distinguished(reported, deps) : reported();
    if (refused(facts)) return facts;
    const { route } = facts;
    const rejected =
      refuseUnsponsored(facts) ??
      refuseWorthlessDeposit(facts) ??
      (toSign ? (refuseWithoutSpace(deps) ?? (await anonymous.refuse(caller))) : undefined) ??
      (toSign && !valid.preview ? await live.refuse({ ...caller, user: valid.user }, route) : undefined) ??
      (facts.own || deps.rehearsal ? undefined : await refuseTransfer(facts, deps.clock));
    if (rejected) return rejected;
    const looking = refuseStranded(facts, deps.balances);
    const stranded = looking instanceof Promise ? await looking : looking;
    if (stranded !== undefined) return stranded;
    if (facts.own) {
      const steps = await payerSteps(facts, facts.own, deps);
      if (!refused(steps)) return { facts, steps };
      // A source that cannot deliver its offer must not keep the others from being asked.
      const others = tries > 1 ? withoutSource(valid, facts.own) : undefined;
      const other = others ? await offerOf(others, asked, caller, toSign, tries - 1) : steps;
      return refused(other) ? steps : other;
    }
    if (facts.swapIn) {
      const steps = await swapInSteps(facts, facts.swapIn, deps);
      if (!refused(steps)) return refuseOversize(facts, steps) ?? { facts, steps };
      const others = tries > 1 ? withoutOriginSource(valid, facts.swapIn) : undefined;
      const other = others ? await offerOf(others, asked, caller, toSign, tries - 1) : steps;
      return refused(other) ? steps : other;
    }
    const deposit = depositOf(plan);
    const { chain, currency } = deposit.end;
    const kept = valid.address === null ? undefined : chain.transferFee?.(currency.address);
    if (kept !== undefined)
      return invalidRequest('originCurrency', 'has a transfer fee: deposit addresses do not accept it');
    const addressed = offerAddress(facts);
    if (addressed !== undefined) return addressed;
    const permit = toSign ? await offerPermit(facts, caller, deps) : undefined;
    if (refused(permit)) return permit;
    if (permit !== undefined) return { facts: { ...facts, permit }, steps: permit.approvals };
    const mapped = toSign ? await offerMapping(facts, caller, deps) : undefined;
    if (refused(mapped)) return mapped;
    const funds = toSign ? await fundsOf(facts) : null;
    if (refused(funds)) return funds;
    const steps = chain.depositSteps({
      payer: facts.ask.user,
      currency: currency.address,
      amount: sentOf(facts.pricing),
      orderId: facts.promised.orderId,
      ...(facts.ask.byTransfer ? { byTransfer: true } : {}),
      ...(mapped === undefined ? {} : { byTransfer: true, nonce: mapped.mapping.nonce }),
      ...(facts.ask.feePayer === null ? {} : { feePayer: facts.ask.feePayer }),
      ...(facts.ask.limitsWork ? { limitsWork: true } : {}),
      ...(funds === null ? {} : { funds }),
    });
    const offered = mapped === undefined ? facts : { ...facts, mapping: mapped };
    return refuseOversize(facts, steps) ?? { facts: offered, steps };
  };
  const offerToPay = async (ask: QuoteAsk, caller: QuoteCaller, toSign: boolean): Promise<Stage<Offer>> => {
    const offered = await offer(ask, caller, toSign);
    return refused(offered) ? offered : (refuseUnpayable(offered.facts) ?? offered);
  };
  const rehearse = async (ask: QuoteAsk, caller: QuoteCaller) => {
    const offered = await offerToPay({ ...ask, includeProtocolData: false }, caller, false);
    if (refused(offered)) {
      deps.rehearsal?.refused(offered.code);
      return offered;
    }
    deps.rehearsal?.quoted(demandOf(offered.facts, deps));
    return refusedByRehearsal();
  };
  return {
    quote: async (ask, caller, keeping) => {
      // guard: rehearsal-promises-nothing
      if (deps.rehearsal) return rehearse(ask, caller);
      const offered = await offerToPay(ask, caller, true);
      if (refused(offered)) return offered;
      const { facts, steps } = offered;
      const balance = userBalance(facts, deps);
      // A stored answer contains the balance; otherwise the balance is read while the quote is stored.
      const kept = keeping && quoteAnswer(facts, steps, await balance);
      const unkept = await persist(facts, caller, deps, keeping && kept && { keeping, answer: kept });
      if (unkept) return unkept;
      anonymous.add(caller);
      if (facts.ask.address !== null) addresses.add(caller);
      const { promised, route } = facts;
      const payer = { ...caller, user: facts.ask.user };
      // An open address promises no price.
      if (!facts.ask.preview && facts.ask.address?.type !== 'open')
        live.add(payer, route, promised.requestId, promised.expiresAt);
      return kept ?? quoteAnswer(facts, steps, await balance);
    },
    price: async (ask, caller) => {
      const offered = await offerToPay({ ...ask, includeProtocolData: false }, caller, false);
      if (refused(offered)) return offered;
      deps.rehearsal?.priced();
      return priceAnswer(offered.facts, await userBalance(offered.facts, deps));
    },
    body: async (ask, caller) => {
      const offered = await offer(ask, caller, false);
      return refused(offered) ? offered : quoteBody(offered.facts, deps.policy);
    },
  };
}

async function sponsored(
  paid: Priced,
  ask: ValidAsk,
  asked: Route,
  ways: Parameters<typeof paidWay>[2],
  deps: QuotingDeps,
): Promise<Stage<Priced>> {
  const priced = await withSwapsSponsored(paid, (sponsor) => paidWay({ ...ask, sponsor }, asked, ways));
  if (refused(priced)) return priced;
  const sponsor = await sponsorPromise(priced, deps);
  if (refused(sponsor)) return sponsor;
  return sponsor === undefined ? priced : { ...priced, sponsor };
}

function promise(priced: Priced, plan: Plan, codec: AddressCodec, deps: QuotingDeps): QuoteFacts {
  const { ask, route } = priced;
  const promised = promiseOrder(ask, route, plan, deps, codec);
  return {
    ...priced,
    plan,
    promised,
    timeEstimate: timeEstimate(route, plan, priced.own ? undefined : deps.fillTimes),
  };
}

/** The last disk space is for requests already quoted. */
function refuseWithoutSpace({ engine }: QuotingDeps): ApiError | undefined {
  if (!engine.shortOfSpace()) return undefined;
  const message = 'No quotes are given now: the service lacks the disk to keep them; what was quoted before goes on';
  return laterError('SERVICE_UNAVAILABLE', message, NO_SPACE_RETRY_S);
}

/** A currency that plain transfers do not deposit. */
function refuseByTransfer(
  { byTransfer, mapping }: ValidAsk,
  { origin: { chain, currency } }: Route,
): ApiError | undefined {
  if ((!byTransfer && mapping === null) || chain.capabilities.transferDeposits?.(currency.address)) return undefined;
  const [field, reason] = byTransfer
    ? ['explicitDeposit', `a plain transfer of ${currency.symbol} cannot name its order`]
    : ['useNonceMapping', `${currency.symbol} is not deposited by a plain transfer`];
  return apiError('UNSUPPORTED_EXECUTION_TYPE', `${field}: ${reason}`, { field, reason });
}

/** A deposit too large for its chain. */
function refuseOversize({ route }: QuoteFacts, steps: readonly DepositStep[]): ApiError | undefined {
  const size = route.origin.chain.oversize?.(steps);
  if (size === undefined) return undefined;
  const { bytes, limit } = size;
  return apiError(
    'SOLANA_TX_TOO_LARGE',
    `The deposit transaction has ${bytes} bytes, ${bytes - limit} more than the limit of ${limit}`,
    { bytes, limit, overage: bytes - limit },
  );
}

async function userBalance(
  facts: QuoteFacts,
  { balances }: Pick<QuotingDeps, 'balances'>,
): Promise<bigint | undefined> {
  const { chain, currency } = paidOf(facts).end;
  return facts.ask.preview ? undefined : balances?.of(chain, facts.ask.user, currency.address);
}

/** The change set of a fixed-rate quote also reserves its output, or fails. */
async function persist(
  facts: QuoteFacts,
  caller: QuoteCaller,
  deps: QuotingDeps,
  kept: { readonly keeping: Keeping<QuoteAnswer>; readonly answer: QuoteAnswer } | undefined,
): Promise<ApiError | undefined> {
  const body = quoteBody(facts, deps.policy);
  const row = quoteRow(facts, body, caller, deps.policy);
  const outcome = await deps.store.apply({
    name: 'quoting.persist',
    changes: [
      { op: 'insert', table: 'quotes', row },
      ...addressChanges(body, row),
      ...earmarkOf(facts, deps),
      ...(kept?.keeping.changes(kept.answer, body.requestId) ?? []),
    ],
  });
  if (outcome.ok) return undefined;
  // guard: idempotency-key-once
  if (kept && outcome.conflict.table === 'idempotencyKeys') return kept.keeping.taken;
  const unkept = refuseUnkept(facts.ask.fixedRate, outcome.conflict, deps.policy);
  if (unkept) return unkept;
  throw new Error(`a new quote met a conflict on ${outcome.conflict.table}/${outcome.conflict.key}`);
}
