import type { Clock } from '@causeway/core';
import {
  isTransportError,
  type ProviderPool,
  RpcError,
  sideOf,
  TransportError,
  type TransportFailure,
} from '@causeway/core/rpc';
import { Cell } from '@ton/core';
import { accountOf } from './addresses.js';
import { keepNewest } from './chain/keep-newest.js';
import { readAccount, type TonProvider } from './chain/read.js';
import { type Toncenter, Unreached } from './http/toncenter.js';
import type { JettonBook } from './jetton-book.js';

const MAX_CACHED_PAYEES = 2_000;
/** Code that gave no answer is not run again before. */
const UNKNOWN_MS = 60_000;
/** Code without an answer costs each provider asked its whole time limit. */
const MAX_PROVIDERS_ASKED = 2;
/** Failures before any code ran, next to `Unreached`. */
const NEVER_RAN: ReadonlySet<TransportFailure> = new Set(['rate', 'none', 'unwanted']);

/** Addresses are hashes: no one can find a key for one with this many leading zeros or with one repeated byte. */
const ZERO_BYTES = 24;

/** See `ChainCodec.refuseAddress`. */
export function refuseAddress(address: string): string | undefined {
  const { hash } = accountOf(address);
  const isMadeUp = hash.subarray(0, ZERO_BYTES).every((byte) => byte === 0) || hash.every((byte) => byte === hash[0]);
  return isMadeUp ? 'is a placeholder and has no known key' : undefined;
}

/** A recipient as the payment needs it. */
export interface Payee {
  /** Has code. */
  readonly active: boolean;
  /** Why it must not be paid; undefined: no objection, or unknown. */
  readonly lost: string | undefined;
}

interface PayeeParts {
  readonly providers: ProviderPool<Toncenter>;
  readonly jettons: Pick<JettonBook, 'all'>;
  readonly clock: Pick<Clock, 'monotonic'>;
  /** See `HeadFeed.floor`. */
  readonly floor: () => number;
}

interface Shown {
  readonly active: boolean;
  /** Hash of its code, hex; undefined: none. */
  readonly code: string | undefined;
}

type Asker = 'quote' | 'payment';

/**
 * A jetton wallet can never spend coins or jettons sent to it. Detected by the get methods of the code, read once per
 * code.
 *
 * Invariant: third parties choose the accounts and write the code, so that neither takes a provider out of use, and
 * code that gives no answer blocks no payment: nothing is known against it then. Where no code ran, nothing is known of
 * it at all, and its payment waits.
 *
 * Not guaranteed: an undeployed jetton wallet looks like any account without code. A jetton wallet of a jetton that is
 * not served is paid where no provider runs its code.
 */
export class Payees {
  readonly #parts: PayeeParts;
  readonly #known = new Map<string, string | undefined>();
  /** By code: monotonic time until which it counts as unknown, and what asked. */
  readonly #unknown = new Map<string, { readonly until: number; readonly asker: Asker }>();

  constructor(parts: PayeeParts) {
    this.#parts = parts;
  }

  /** See `ChainState.refuseAccount`. Scarce providers are not asked for third parties. @throws TransportError */
  async refuseAccount(address: string): Promise<string | undefined> {
    const raw = accountOf(address).toRawString();
    const shown = await this.#parts.providers.onSide('trials', async (provider) =>
      provider.rpc.isScarce ? undefined : await show(provider, raw),
    );
    return shown && (await this.#refuse(raw, shown, 'quote'));
  }

  /** For a payment. @throws TransportError */
  async payee(address: string): Promise<Payee> {
    const { providers, floor } = this.#parts;
    const raw = accountOf(address).toRawString();
    const shown = await providers.onSide('addresses', (provider) => show(provider, raw, floor()));
    return { active: shown.active, lost: await this.#refuse(raw, shown, 'payment') };
  }

  async #refuse(raw: string, { code }: Shown, asker: Asker): Promise<string | undefined> {
    if (code === undefined) return undefined;
    const { jettons, clock } = this.#parts;
    if (jettons.all().some(({ walletCode }) => walletCode.hash().toString('hex') === code)) return WALLET;
    if (this.#known.has(code)) return this.#known.get(code);
    if (this.#isUnknown(code, asker)) return undefined;
    const words = await this.#ask(raw, asker);
    if (words === 'unknown') {
      this.#unknown.delete(code);
      this.#unknown.set(code, { until: clock.monotonic() + UNKNOWN_MS, asker });
      keepNewest(this.#unknown, MAX_CACHED_PAYEES);
      return undefined;
    }
    this.#known.set(code, words);
    keepNewest(this.#known, MAX_CACHED_PAYEES);
    return words;
  }

  /** A quote asks fewer providers, and promises no payment: its ignorance does not answer for one. */
  #isUnknown(code: string, asker: Asker): boolean {
    const unknown = this.#unknown.get(code);
    if (unknown === undefined || this.#parts.clock.monotonic() >= unknown.until) return false;
    return /* guard: ton-payee-asked-again */ asker === 'quote' || unknown.asker === 'payment';
  }

  async #ask(raw: string, asker: Asker): Promise<string | undefined | 'unknown'> {
    const asked = this.#parts.providers.usable().filter(({ rpc }) => asker === 'payment' || !rpc.isScarce);
    let never: TransportError | undefined;
    let ran = 0;
    for (const provider of asked) {
      if (ran === MAX_PROVIDERS_ASKED) break;
      try {
        return await methodsOf(sideOf(provider, 'trials'), raw);
      } catch (error) {
        if (error instanceof RpcError) return 'unknown';
        if (!isTransportError(error)) throw error;
        const hasNotRun = error instanceof Unreached || NEVER_RAN.has(error.failure);
        if (/* guard: ton-payee-never-ran */ hasNotRun) never ??= error;
        else ran += 1;
      }
    }
    // guard: ton-payee-code-unknown
    if (ran > 0) return 'unknown';
    throw never ?? new TransportError('no provider may be asked about the code of an account', 'none');
  }
}

const WALLET = 'is a jetton wallet: pay to the account that owns it';
const MINTER = 'is a jetton, which keeps what it gets';

async function show(provider: TonProvider, raw: string, floor = 0): Promise<Shown> {
  const { active, code } = await readAccount(provider, raw, floor);
  return { active, code: active && code !== '' ? hashOf(code, provider.name) : undefined };
}

function hashOf(code: string, name: string): string {
  try {
    return Cell.fromBase64(code).hash().toString('hex');
  } catch {
    throw new TransportError(`${name}: code that cannot be read`, 'malformed');
  }
}

async function methodsOf(provider: TonProvider, raw: string): Promise<string | undefined> {
  if (await has(provider, raw, 'get_wallet_data')) return WALLET;
  return (await has(provider, raw, 'get_jetton_data')) ? MINTER : undefined;
}

interface MethodResult {
  readonly exit_code: number;
}

async function has({ rpc }: TonProvider, address: string, method: string): Promise<boolean> {
  const { exit_code: code } = await rpc.call<MethodResult>('runGetMethod', { address, method, stack: [] });
  return code === 0 || code === 1;
}
