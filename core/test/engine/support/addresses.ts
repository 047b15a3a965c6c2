import { expect } from 'vitest';
import { addressChanges } from '../../../src/capabilities/deposit-addresses/quote.js';
import type { DepositObservation, LegRow } from '../../../src/contract/index.js';
import { legId } from '../../../src/domain/accounts.js';
import type { AddressPromise, QuoteBody } from '../../../src/domain/quote.js';
import { openLane } from '../../../src/engine/recovery/open-lanes.js';
import { quoteRow } from '../../../src/testing/store-fixtures.js';
import { quoteBody } from './quotes.js';
import type { Scene } from './scene.js';

export const SWEEPER = 'sweeper';

/** Deposit addresses on the scene's origin, with a lane for sweeps. */
export class Addresses {
  /** By address; others hold more than any transfer. Undefined: the chain does not answer. */
  readonly held = new Map<string, bigint | undefined>();
  readonly #scene: Scene;

  private constructor(scene: Scene) {
    this.#scene = scene;
  }

  static async on(scene: Scene): Promise<Addresses> {
    const made = new Addresses(scene);
    const { origin } = scene;
    origin.capabilities = {
      ...origin.capabilities,
      depositAddresses: {
        derive: (salt) => `address-${salt}`,
        steps: () => [],
        sweeps: true,
        held: async (addresses) => addresses.map((address) => made.#heldBy(address)),
      },
    };
    origin.lanes = [...origin.lanes, { signer: SWEEPER, sends: ['sweep'] }];
    await openLane(scene.context, origin, SWEEPER);
    return made;
  }

  #heldBy(address: string): bigint {
    const balance = this.held.has(address) ? this.held.get(address) : 10n ** 30n;
    if (balance === undefined) throw new Error('no provider answers');
    return balance;
  }

  async promised(
    n: number,
    type: 'strict' | 'open',
    {
      recoveryAddress = null,
      swaps,
      ...overrides
    }: Partial<QuoteBody & Pick<AddressPromise, 'recoveryAddress' | 'swaps'>> = {},
  ): Promise<QuoteBody> {
    const salt = quoteBody(n).requestId;
    const body = quoteBody(n, {
      refundTo: 'refund-recipient',
      features: ['deposit_address'],
      depositAddress: { address: `address-${salt}`, type, salt, recoveryAddress, ...(swaps && { swaps }) },
      ...overrides,
    });
    const { expiresAt, deadlineAt, ttlAt } = body;
    const row = quoteRow(n, { expiresAt, deadlineAt, ttlAt, body: JSON.stringify(body), amountUsd: 100_000 });
    const { store } = this.#scene;
    const outcome = await store.apply({
      name: 'quote',
      changes: [{ op: 'insert', table: 'quotes', row }, ...addressChanges(body, row)],
    });
    expect(outcome).toEqual({ ok: true });
    return body;
  }

  /** As its chain reports it: it names no order. */
  transfer(body: QuoteBody, name: string, overrides: Partial<DepositObservation> = {}): DepositObservation {
    const depositAddress = body.depositAddress?.address ?? null;
    return this.#scene.deposit(body, name, { orderId: null, depositAddress, ...overrides });
  }

  sweepOf(body: QuoteBody, seen: DepositObservation): Promise<LegRow | undefined> {
    return this.#scene.leg(legId.sweep(body.requestId, seen.fundingKey));
  }

  /** The lane signs the sweep, and it is final. @param kept what the token charges for it. */
  async swept(height: number, kept?: bigint): Promise<void> {
    const { origin } = this.#scene;
    await this.#scene.settles(origin, SWEEPER);
    await this.#scene.settles(origin, SWEEPER);
    const key = origin.prepared.at(-1)?.key ?? '';
    const feePaidBy = { pot: 'lane', owner: SWEEPER } as const;
    origin.lands(key, height, { final: true, feePaidBy, ...(kept === undefined ? {} : { kept }) });
    await this.#scene.tracks(origin, SWEEPER);
  }
}
