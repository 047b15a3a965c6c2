import type { Asker, Clock, CostEstimate, FillLeg, FillWish, Hex, LegCheck, Logger } from '@causeway/core';
import type { Provider } from '@causeway/core/rpc';
import { keccak256, stringToHex } from 'viem/utils';
import { currencyKey, isNative } from './addresses.js';
import { AUTHORIZATION_GAS, authorizationsOf } from './authorizations.js';
import { callOf, type OurCall } from './calls.js';
import { BUSY, type CheckDeps, callData, SOLVER_FAULTS } from './check.js';
import { bytesOf, costOfWork, withBuffer } from './costs.js';
import { trialTerms } from './fees.js';
import { unlessFilled, whyPassedOver } from './in-force.js';
import { inDepth } from './inner-revert.js';
import { Recent } from './recent.js';
import type { DecodedRevert } from './reverts.js';
import { type Trial, type Tried, tryCall } from './try-call.js';

type Refusal = Extract<LegCheck, { ok: false }>;
type Fits = { readonly ok: true; readonly least: bigint; readonly work: bigint; readonly bytes: number };
type Answer = Fits | Refusal;
interface Failed {
  readonly provider: Provider;
  readonly trial: Trial;
  readonly revert: DecodedRevert;
}

const MAX_CACHED_RECIPIENTS = 2_000;
const KNOWN_MS = 10_000;
const MAX_CACHED_WAYS = 500;
const WAY_MS = 2_000;
/** Gas of a fill with calls in addition to the calls (contracts/gas.md), rounded up. */
const CALLS_OVERHEAD = 180_000n;
/** The same for native coin in addition to a token. */
const TOP_UP_OVERHEAD = 80_000n;
const NO_ASKER: Asker = Object.freeze({ party: '', signal: new AbortController().signal });
/** Unix seconds, past every order's deadline: no trial fails as expired. */
const DISTANT_DEADLINE = 2 ** 40;

/**
 * Gas of fills that third-party code decides: native coin to a recipient with code, and fills with calls. Simulated
 * from the lane's signer, like the real fill.
 *
 * Not guaranteed: the same gas later. `check` compares it with the gas charged, which bounds the transaction's gas
 * limit.
 */
export class FillCosts {
  readonly #deps: CheckDeps;
  readonly #signer: string;
  readonly #log: Logger;
  readonly #known: Recent<Answer>;
  readonly #ways: Recent<Fits>;
  readonly #isChoosy: (currency: string) => boolean;
  #trials = 0;

  constructor(
    deps: CheckDeps,
    signer: string,
    services: { readonly clock: Clock; readonly log: Logger },
    isChoosy: (currency: string) => boolean = () => false,
  ) {
    this.#isChoosy = isChoosy;
    this.#ways = new Recent(MAX_CACHED_WAYS, WAY_MS, services.clock);
    this.#deps = deps;
    this.#signer = signer;
    this.#log = services.log;
    this.#known = new Recent(MAX_CACHED_RECIPIENTS, KNOWN_MS, services.clock);
  }

  /** Undefined without code at the recipient and without calls. Rejects on infrastructure failure. */
  async of(wish: FillWish, asker = NO_ASKER): Promise<CostEstimate | Refusal | undefined> {
    const { fees, gas, recipients } = this.#deps;
    if (wish.calls !== undefined) return this.#ofCalls(wish, wish.calls, asker);
    if (!isNative(currencyKey(wish.currency)) || recipients.isKnownCodeless(wish.recipient)) return undefined;
    const answer = this.#remembered(wish) ?? (await this.#ask(wish, asker));
    if (answer === undefined || !answer.ok) return answer;
    return costOfWork(fees, gas, answer.work, answer.bytes);
  }

  /**
   * A client's calls depend on current state: their gas is never cached. That of a swap is cached for about one
   * block, for recipients without code and tokens that refuse no one.
   */
  async #ofCalls(wish: FillWish, calls: readonly Hex[], asker: Asker): Promise<CostEstimate | Refusal | undefined> {
    const { fees, gas } = this.#deps;
    const way = await this.#wayOf(wish, asker);
    const known = way === undefined ? undefined : this.#ways.get(way);
    if (known !== undefined) return costOfWork(fees, gas, known.work, known.bytes);
    const { callsWork, wanted, authorizations } = wish;
    const besides = { ...this.#topUp(wish), ...(wanted && { wanted }), ...(authorizations && { authorizations }) };
    const leg = { ...this.#leg(wish), calls, ...besides };
    const answer = await this.#inTurn(asker, (provider) => this.#tryWay(provider, leg, way));
    if (answer === undefined || !answer.ok) return answer;
    const { bytes } = answer;
    if (callsWork === undefined) return costOfWork(fees, gas, answer.work, bytes);
    const topUpGas = wish.topUp === undefined ? 0n : TOP_UP_OVERHEAD;
    const extra = CALLS_OVERHEAD + topUpGas + AUTHORIZATION_GAS * BigInt(authorizations?.length ?? 0);
    const most = callsWork + extra + withBuffer(fees.dataFee(bytes)?.gas ?? 0n, gas.costBuffer);
    const bounded = most < gas.limitCap ? most : gas.limitCap;
    if (answer.least <= bounded) return costOfWork(fees, gas, bounded, bytes);
    const message = `need ${answer.least - most + callsWork} gas, more than the limit of ${callsWork}`;
    return { ok: false, kind: 'refused', reason: 'QUOTED_GAS_LIMIT_EXCEEDED', message };
  }

  async #wayOf({ way, wanted, recipient }: FillWish, { signal }: Asker): Promise<string | undefined> {
    const { recipients, providers } = this.#deps;
    if (way === undefined || wanted === undefined || this.#isChoosy(wanted.currency)) return undefined;
    const codeless =
      recipients.isKnownCodeless(recipient) ||
      (await providers.onSide('trials', (provider) => recipients.isCodeless(provider, recipient), signal));
    return codeless ? way : undefined;
  }

  /** Cached for all clients only if the recipient has no code right before and right after. */
  async #tryWay(provider: Provider, leg: FillLeg, way: string | undefined): Promise<Answer | Failed | undefined> {
    const { recipients } = this.#deps;
    const isCodeless = async () => way !== undefined && (await recipients.isCodelessNow(provider, leg.recipient));
    const before = await isCodeless();
    const answer = await this.#try(provider, leg);
    if (way !== undefined && answer !== undefined && 'ok' in answer && answer.ok && before && (await isCodeless()))
      this.#ways.set(way, answer);
    return answer;
  }

  /** Explained after the slot is released: a trace must not block waiting trials. */
  async #inTurn(
    asker: Asker,
    task: (provider: Provider) => Promise<Answer | Failed | undefined>,
  ): Promise<Answer | undefined> {
    const { providers, turns, clock } = this.#deps;
    const { signal } = asker;
    const reported = await turns.take(asker, async () => ({ of: await providers.onSide('trials', task, signal) }));
    if (reported === undefined) return BUSY;
    if (reported.of === undefined || !('revert' in reported.of)) return reported.of;
    const { provider, trial, revert } = reported.of;
    const bytes = bytesOf(trial.call.data, trial.authorizations?.length ?? 0);
    return this.#answer(trial.call, bytes, { is: 'reverted', revert: await inDepth(provider, clock, trial, revert) });
  }

  #remembered({ recipient, amount }: FillWish): Answer | undefined {
    return this.#known.get(recipient) ?? this.#known.get(`${recipient}:${amount}`);
  }

  async #ask(wish: FillWish, asker: Asker): Promise<Answer | undefined> {
    const answer = await this.#inTurn(asker, async (provider) =>
      (await this.#deps.recipients.isCodeless(provider, wish.recipient))
        ? undefined
        : this.#try(provider, this.#leg(wish)),
    );
    if (answer === BUSY) return answer;
    if (answer?.ok) this.#known.set(wish.recipient, answer);
    else if (answer !== undefined) this.#known.set(`${wish.recipient}:${wish.amount}`, answer);
    return answer;
  }

  async #try(provider: Provider, leg: FillLeg): Promise<Answer | Failed | undefined> {
    const { contracts, allocator, fees, gas, errors } = this.#deps;
    const terms = trialTerms(fees);
    if (terms === undefined) return undefined;
    const call = callOf(leg, contracts, this.#signer, allocator);
    const bound = { most: gas.limitCap, enough: gas.limitCap };
    const authorizations = authorizationsOf(leg);
    const passedOver = await whyPassedOver(provider, this.#signer, authorizations);
    const given = { call, terms, ...bound, authorizations, errors };
    const trial = { from: this.#signer, ...given, unnamed: 'EXECUTION_REVERTED' } as const;
    const tried = await tryCall(provider, trial);
    const refused = unlessFilled(passedOver, tried);
    if (refused !== undefined) return refused;
    // The lane's funds say nothing about the recipient; unknown if the node does not simulate larger funds.
    const bytes = bytesOf(call.data, authorizations.length);
    const rich = { ...trial, rich: true } as const;
    const reported = tried.is === 'short' ? await this.#tryRich(provider, rich) : tried;
    return reported.is === 'reverted'
      ? { provider, trial, revert: reported.revert }
      : this.#answer(call, bytes, reported);
  }

  async #tryRich(provider: Provider, trial: Parameters<typeof tryCall>[1]): Promise<Tried> {
    const tried = await tryCall(provider, trial);
    return tried.is === 'unclear' ? { is: 'short', message: tried.error.message } : tried;
  }

  #answer(call: OurCall, bytes: number, tried: Tried): Answer | undefined {
    const { limitBuffer, limitCap } = this.#deps.gas;
    switch (tried.is) {
      case 'unclear':
        throw tried.error;
      case 'short':
        this.#log.debug({ reason: tried.message }, 'a fill cannot be tried without funds');
        return undefined;
      case 'tooMuch':
        return this.#refusal(call, 'QUOTED_GAS_LIMIT_EXCEEDED', tried.message);
      case 'reverted':
        if (!SOLVER_FAULTS.has(tried.revert.name))
          return this.#refusal(call, tried.revert.reason, tried.revert.message);
        this.#log.debug({ reason: tried.revert.message }, 'a fill cannot be tried by this signer');
        return undefined;
      case 'done': {
        const work = withBuffer(tried.gas, limitBuffer);
        if (work <= limitCap) return { ok: true, least: tried.gas, work, bytes };
        const message = `needs ${work} gas, more than the cap of ${limitCap}`;
        return this.#refusal(call, 'QUOTED_GAS_LIMIT_EXCEEDED', message);
      }
    }
  }

  #refusal(call: OurCall, reason: Refusal['reason'], message: string): Refusal {
    const height = this.#deps.height();
    return {
      ...{ ok: false, kind: 'refused', reason, message, failedCallData: callData(call, this.#signer) },
      ...(height === undefined ? {} : { height }),
    };
  }

  /** Under an unused id. */
  #topUp({ topUp, recipient }: FillWish): Pick<FillLeg, 'topUp'> {
    if (topUp === undefined) return {};
    this.#trials += 1;
    const { amount } = topUp;
    const orderId = keccak256(stringToHex(`trial of coin:${this.#signer}:${recipient}:${amount}:${this.#trials}`));
    return { topUp: { orderId, amount } };
  }

  #leg({ currency, amount, recipient, orderId: given }: FillWish): FillLeg {
    this.#trials += 1;
    const orderId: Hex =
      given ?? keccak256(stringToHex(`trial:${this.#signer}:${recipient}:${amount}:${this.#trials}`));
    return {
      kind: 'fill',
      legId: `trial:${orderId}`,
      orderId,
      currency: currencyKey(currency),
      amount,
      recipient,
      deadline: DISTANT_DEADLINE,
    };
  }
}
