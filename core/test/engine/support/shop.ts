import type { Hex } from '../../../src/contract/index.js';
import { account, counter } from '../../../src/domain/accounts.js';
import { claimFees } from '../../../src/engine/app-fees/claim-fees.js';
import { ClaimableView } from '../../../src/engine/app-fees/claimable.js';
import { offerFees } from '../../../src/engine/app-fees/offer.js';
import type { FeeClaimAsk, FeeClaimOffer, FeeClaimOutcome } from '../../../src/engine/app-fees/outcomes.js';
import { ORIGIN, quoteBody } from './quotes.js';
import type { Scene } from './scene.js';
import { SIGNER, signed } from './scripted-chain.js';

/** Fee of 10 % of 100,000. */
export const EARNED = 10_000n;
/** Network fee of a payout. */
export const GAS = 10n;
export const COIN = `coin-${ORIGIN}`;
export const ASK: FeeClaimAsk = { chainId: ORIGIN, wallet: 'shop', currency: COIN, recipient: 'till', amount: null };

export const claimLeg = (n: number): string => `claim:${n}:${ORIGIN}:shop:${COIN}`;

/** An integrator with app fees on the origin. */
export class Shop {
  readonly #scene: Scene;
  /** Fills so far. */
  #fills = 0;

  constructor(scene: Scene) {
    this.#scene = scene;
  }

  /** A filled deposit that earns the fee. */
  async earn(n: number, final = true): Promise<void> {
    const scene = this.#scene;
    const { terms } = quoteBody(n);
    const body = await scene.quote(n, { terms: { ...terms, appFees: [{ recipient: 'shop', bps: 1_000 }] } });
    await scene.sees([scene.deposit(body, `deposit-${n}`)]);
    await scene.pays(scene.destination);
    scene.destination.lands(`${SIGNER}:${this.#fills}`, 501, { final });
    this.#fills += 1;
    await scene.tracks(scene.destination);
  }

  /** Past the request limit. */
  offerFees(ask: FeeClaimAsk) {
    return offerFees(this.#scene.context, new ClaimableView(), ask);
  }

  async offered(ask: FeeClaimAsk = ASK): Promise<FeeClaimOffer> {
    const outcome = await this.offerFees(ask);
    if (!outcome.ok) throw new Error(outcome.message);
    return outcome.offer;
  }

  async claim(
    change: Partial<FeeClaimAsk> = {},
    signature?: string,
  ): Promise<{ readonly claimId: Hex; readonly outcome: FeeClaimOutcome }> {
    const { claimId, amount } = await this.offered({ ...ASK, ...change });
    const text = signature ?? signed('shop', claimId);
    return { claimId, outcome: await claimFees(this.#scene.context, { ...ASK, amount, ...change }, claimId, text) };
  }

  /** The shop's owed, in-flight and reserved amounts. */
  async books(): Promise<readonly [owed: bigint, underWay: bigint, reserved: bigint]> {
    const scene = this.#scene;
    const owed = -(await scene.pot(account.appFees(ORIGIN, 'shop', COIN)));
    const underWay = -(await scene.pot(account.claims(ORIGIN, COIN)));
    return [owed, underWay, await scene.pot(counter.reserved(ORIGIN, SIGNER, COIN))];
  }

  async owed(): Promise<bigint> {
    return (await this.books())[0];
  }

  /** Until nothing changes. */
  async settles(): Promise<void> {
    for (let round = 0; round < 3; round += 1) await this.#scene.settles(this.#scene.origin);
  }

  /** Puts a key's origin transaction into a final block. */
  async paidUnder(key: number, outcome: Parameters<Scene['origin']['lands']>[2] = {}): Promise<void> {
    this.#scene.origin.lands(`${SIGNER}:${key}`, 120 + key, { final: true, ...outcome });
    await this.#scene.tracks(this.#scene.origin);
  }
}
