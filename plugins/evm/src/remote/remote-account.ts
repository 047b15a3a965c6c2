import { type Alerts, type Clock, type Hex, type Logger, NotSignedError, type RemoteSigner } from '@causeway/core';
import { quantity } from '../rpc/types.js';
import type { RemoteAccount, UnsignedTransaction } from '../signed-transaction.js';
import { problemOf } from './check-answer.js';

/** After a failure nothing is asked for so long, doubled with each further one. */
const FIRST_PAUSE_MS = 1_000;
const MAX_PAUSE_MS = 15_000;
/** Interval of asking for the accounts. */
const CHECK_MS = 60_000;
const CHECK_SOON_MS = 5_000;
/** A signer that lists its accounts may refuse to sign all the same: so long its refusal counts. */
const REFUSAL_COUNTS_MS = 60_000;

export interface RemoteAccountDeps {
  readonly chain: { readonly id: number; readonly displayName: string };
  readonly id: string;
  readonly address: Hex;
  /** Undefined: no plugin adds it. */
  readonly find: () => RemoteSigner | undefined;
  readonly clock: Clock;
  readonly log: Logger;
  readonly alerts: Alerts;
}

interface Failure {
  readonly why: string;
  readonly at: number;
  readonly inSigning: boolean;
}

/** `fatal`: it answers, and the config cannot work. */
export type RemoteCheck = { readonly ok: boolean; readonly fatal: boolean; readonly message: string };

/**
 * An account of a remote signer on one chain. An answer is used only if it is exactly what was asked for, signed by the
 * account. Failures pause it, so that what waits for signatures fails at once, not after a time-out each.
 */
export class RemoteEvmAccount implements RemoteAccount {
  readonly address: Hex;
  readonly #deps: RemoteAccountDeps;
  #failure: Failure | undefined;
  #pauseMs = FIRST_PAUSE_MS;
  #notBefore = Number.NEGATIVE_INFINITY;
  #checkAt = Number.NEGATIVE_INFINITY;

  constructor(deps: RemoteAccountDeps) {
    this.#deps = deps;
    this.address = deps.address;
  }

  /** Why nothing is signed now; null: it is. No I/O. */
  problem(): string | null {
    return this.#failure === undefined ? null : `remote signer ${this.#deps.id}: ${this.#failure.why}`;
  }

  async signTransaction(transaction: UnsignedTransaction): Promise<Hex> {
    const { id, clock, address } = this.#deps;
    if (transaction.type !== 'eip1559')
      throw new Error(`the remote signer ${id} cannot sign authorizations (EIP-7702): ${address} needs a local key`);
    if (clock.monotonic() < this.#notBefore) throw new NotSignedError(this.problem() ?? 'paused');
    let answer: string;
    try {
      answer = (await this.#signer().sign(asRequest(transaction, address))).toLowerCase();
    } catch (error) {
      throw this.#failed(`it does not sign: ${text(error)}`, true);
    }
    const problem = problemOf(answer, transaction, address);
    // guard: evm-remote-answer
    if (problem !== undefined)
      throw this.#failed(`it signed something else than asked, which is not sent: ${problem}`, true);
    this.#works();
    return answer as Hex;
  }

  /** For `doctor`: changes nothing. Never throws. */
  async look(): Promise<RemoteCheck> {
    const { id, address, find } = this.#deps;
    const signer = find();
    if (signer === undefined) return { ok: false, fatal: true, message: absent(id) };
    let accounts: readonly string[];
    try {
      accounts = await signer.accounts();
    } catch (error) {
      return { ok: false, fatal: false, message: `the remote signer ${id} does not answer: ${text(error)}` };
    }
    const ok = accounts.some((one) => one.toLowerCase() === address);
    const message = ok ? 'has the key' : `it has ${accounts.slice(0, 5).join(', ') || 'no keys'}, and not the key`;
    return { ok, fatal: !ok, message: `the remote signer ${id}: ${message} of ${address}` };
  }

  /** Looks, and says so in alerts and `problem`. Never throws. */
  async check(): Promise<RemoteCheck> {
    const { clock } = this.#deps;
    const found = await this.look();
    const refused = this.#failure?.inSigning && clock.monotonic() - this.#failure.at < REFUSAL_COUNTS_MS;
    if (!found.ok) this.#failed(found.message, false);
    else if (!refused) this.#works();
    if (found.ok) this.#checkAt = clock.monotonic() + CHECK_MS;
    return found;
  }

  onHead(): void {
    if (this.#deps.clock.monotonic() < this.#checkAt) return;
    this.#checkAt = this.#deps.clock.monotonic() + CHECK_SOON_MS;
    void this.check();
  }

  #signer(): RemoteSigner {
    const signer = this.#deps.find();
    if (signer === undefined) throw new Error(absent(this.#deps.id));
    return signer;
  }

  #works(): void {
    if (this.#failure !== undefined) this.#deps.log.info({ signer: this.address }, 'the remote signer works again');
    this.#failure = undefined;
    this.#pauseMs = FIRST_PAUSE_MS;
    this.#notBefore = Number.NEGATIVE_INFINITY;
    this.#deps.alerts.clear(this.#alert);
  }

  #failed(why: string, inSigning: boolean): NotSignedError {
    const { id, chain, clock, log, alerts } = this.#deps;
    const now = clock.monotonic();
    this.#failure = { why, at: now, inSigning };
    this.#notBefore = now + this.#pauseMs;
    this.#checkAt = Math.max(now + CHECK_SOON_MS, this.#notBefore);
    this.#pauseMs = Math.min(this.#pauseMs * 2, MAX_PAUSE_MS);
    log.warn({ remoteSigner: id, signer: this.address, why }, 'the remote signer gives nothing usable; payments wait');
    alerts.raise(this.#alert, `${chain.displayName}: payments wait for the remote signer ${id}: ${why}`, {
      ...{ chainId: chain.id, signer: this.address },
    });
    return new NotSignedError(`remote signer ${id}: ${why}`);
  }

  get #alert(): string {
    return `remote-signer-${this.#deps.chain.id}-${this.address}`;
  }
}

function absent(id: string): string {
  return `no plugin adds a remote signer with the id ${id}: add it to plugins, or correct the id`;
}

/** As `eth_signTransaction` takes it. */
function asRequest(transaction: UnsignedTransaction, from: Hex): Readonly<Record<string, unknown>> {
  const { chainId, nonce = 0, to, data = '0x', value = 0n, gas = 0n } = transaction;
  const { maxFeePerGas = 0n, maxPriorityFeePerGas = 0n } = transaction;
  return {
    from,
    ...(to ? { to } : {}),
    gas: quantity(gas),
    maxFeePerGas: quantity(maxFeePerGas),
    maxPriorityFeePerGas: quantity(maxPriorityFeePerGas),
    value: quantity(value),
    data,
    nonce: quantity(nonce),
    chainId: quantity(chainId),
    type: '0x2',
  };
}

function text(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
