import type { Clock, Hex, Secp256k1Signer } from '@causeway/core';
import { isTransportError, type Provider } from '@causeway/core/rpc';
import { bytesToHex, hexToBytes, keccak256, stringToHex } from 'viem/utils';
import { type Contracts, callOf, type MoneyLeg } from './calls.js';
import type { GasConfig } from './chain-config.js';
import { withBuffer } from './costs.js';
import { type FeeSource, trialTerms } from './fees.js';
import { movementOf, type NeededWork } from './needed-work.js';
import { Recent } from './recent.js';
import { tryCall } from './try-call.js';

const MAX_MOVEMENTS = 1_000;
const REPEAT_INTERVAL_MS = 60_000;
const DISTANT_DEADLINE = 2 ** 40;

interface Deps {
  readonly contracts: Contracts;
  readonly gas: GasConfig;
  readonly fees: FeeSource;
  readonly allocator: Secp256k1Signer;
  readonly needed: NeededWork;
  readonly clock: Pick<Clock, 'monotonic'>;
}

/**
 * Measures movements to an account without a known key, at most once a minute per movement.
 *
 * Its address is derived from a signature of the allocator, so that no one can deploy code there or fund it in
 * advance, which would make it cheaper than a new account. The allocator signs a withdrawal of one unit to it, which
 * only the lane could execute and never sends.
 */
export class OwnTrials {
  readonly #deps: Deps;
  #account: string | undefined;
  readonly #tried: Recent<true>;

  constructor(deps: Deps) {
    this.#deps = deps;
    this.#tried = new Recent(MAX_MOVEMENTS, REPEAT_INTERVAL_MS, deps.clock);
  }

  #accountOfTrials(): string {
    if (this.#account !== undefined) return this.#account;
    const { r, s } = this.#deps.allocator.sign(hexToBytes(keccak256(stringToHex('causeway: account of trials'))));
    this.#account = `0x${keccak256(bytesToHex(Uint8Array.from([...r, ...s]))).slice(-40)}`;
    return this.#account;
  }

  async learn(provider: Provider, leg: MoneyLeg, signer: string, typical: bigint): Promise<void> {
    const movement = movementOf(leg.kind, leg.currency);
    if (this.#tried.get(movement) === true) return;
    this.#tried.set(movement, true);
    const { contracts, allocator, fees, gas, needed } = this.#deps;
    const terms = trialTerms(fees);
    if (terms === undefined) return;
    const call = callOf(this.#trialOf(leg), contracts, signer, allocator);
    const bound = { most: gas.limitCap, enough: gas.limitCap };
    const trial = { from: signer, call, terms, ...bound, unnamed: 'EXECUTION_REVERTED' } as const;
    const tried = await tryCall(provider, trial).catch((error: unknown) => {
      if (isTransportError(error)) return undefined;
      throw error;
    });
    if (tried?.is !== 'done') return;
    const work = tried.gas > typical ? withBuffer(tried.gas, gas.limitBuffer) : 0n;
    needed.foundOfAll(leg.kind, leg.currency, work, typical);
  }

  #trialOf(leg: MoneyLeg): MoneyLeg {
    const id = keccak256(stringToHex(`causeway: trial of ${leg.kind} in ${leg.currency}`)) as Hex;
    const base = { legId: `trial:${id}`, currency: leg.currency, recipient: this.#accountOfTrials() };
    if (leg.kind === 'fill')
      return { kind: 'fill', ...base, amount: leg.amount, orderId: id, deadline: DISTANT_DEADLINE };
    return { kind: 'refund', ...base, fundingKey: base.legId, amount: 1n, useKey: id, expiration: DISTANT_DEADLINE };
  }
}
