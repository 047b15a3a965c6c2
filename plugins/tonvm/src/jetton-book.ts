import type { Clock } from '@causeway/core';
import { isTransportError, type ProviderPool, RpcError, TransportError } from '@causeway/core/rpc';
import { Address, beginCell, Cell } from '@ton/core';
import type { TonProvider } from './chain/read.js';
import type { JettonTerms } from './chain-config.js';
import type { Toncenter } from './http/toncenter.js';
import { type Jetton, LAYOUTS, walletOf } from './jettons.js';

export interface KnownJetton extends Jetton {
  readonly currency: string;
  /** Nanotons. */
  readonly attach: bigint;
}

export interface JettonBookSettings {
  readonly owners: readonly string[];
  readonly providers: ProviderPool<Toncenter>;
  /** Providers that must agree. */
  readonly least: number;
  readonly clock: Clock;
  /** Why a jetton is not served; undefined: it is. */
  readonly onWhy: (currency: string, why: string | undefined) => void;
}

interface MethodResult {
  readonly exit_code: number;
  readonly stack: readonly (readonly [string, unknown])[];
}

type Reported = Jetton | string;

/** Retry pauses, doubled from the first to the last. */
const [FIRST_PAUSE_MS, LAST_PAUSE_MS] = [250, 30_000];

/**
 * Wallet addresses are computed from code and layout, which the minters report.
 *
 * Invariant: jetton wallet addresses decide what is a deposit and where fills go, so all answers must agree, at least
 * a quorum. A wallet code hash pinned by the operator needs one provider and no trust. Code and layout are accepted
 * only where the minter names the same address for every wallet of the service.
 */
export class JettonBook {
  readonly #terms: readonly JettonTerms[];
  readonly #settings: JettonBookSettings;
  readonly #known = new Map<string, KnownJetton>();
  #asking: Promise<void> | undefined;
  #pauseMs = FIRST_PAUSE_MS;
  #nextAt = Number.NEGATIVE_INFINITY;

  constructor(terms: readonly JettonTerms[], settings: JettonBookSettings) {
    this.#terms = terms;
    this.#settings = settings;
  }

  /** Undefined while its wallets are not known, and for unconfigured jettons. */
  of(currency: string): KnownJetton | undefined {
    return this.#known.get(currency);
  }

  all(): readonly KnownJetton[] {
    return [...this.#known.values()];
  }

  #unknown(): readonly JettonTerms[] {
    return this.#terms.filter(({ currency }) => !this.#known.has(currency));
  }

  /** Retries what is unknown, at limited intervals. Never throws. */
  learn(): Promise<void> {
    const { clock } = this.#settings;
    if (this.#asking === undefined && this.#unknown().length > 0 && clock.monotonic() >= this.#nextAt)
      this.#asking = this.#ask().finally(() => {
        this.#asking = undefined;
        this.#nextAt = clock.monotonic() + this.#pauseMs;
        this.#pauseMs = Math.min(this.#pauseMs * 2, LAST_PAUSE_MS);
      });
    return this.#asking ?? Promise.resolve();
  }

  async #ask(): Promise<void> {
    const { providers } = this.#settings;
    await Promise.all(
      this.#unknown().map(async (terms) => {
        const answers = await Promise.all(providers.usable().map((provider) => this.#askOne(provider, terms)));
        const reported = answers.filter((answer) => answer !== undefined);
        this.#settings.onWhy(terms.currency, this.#judge(terms, reported));
      }),
    );
  }

  /** Stores the agreed answer. @returns why there is none. */
  #judge({ currency, attach, walletCode }: JettonTerms, reported: readonly Reported[]): string | undefined {
    const jettons = reported.filter((one) => typeof one !== 'string');
    const right =
      walletCode === undefined
        ? jettons
        : jettons.filter((one) => /* guard: ton-wallet-code */ codeOf(one) === walletCode);
    const [first] = right;
    const differ = 'the providers give different answers about them';
    if (first === undefined) {
      const odd = reported.find((one) => typeof one === 'string');
      return odd ?? (jettons.length > 0 ? 'its wallets have other code than `walletCode` says' : 'no provider answers');
    }
    // Code alone does not determine wallet addresses.
    if (right.some(({ layout }) => layout !== first.layout)) return differ;
    if (walletCode === undefined) {
      const { least } = this.#settings;
      if (reported.some((one) => typeof one === 'string' || codeOf(one) !== codeOf(first))) return differ;
      // guard: ton-wallet-quorum
      if (reported.length < least) return `${reported.length} of ${least} providers answered about them`;
    }
    this.#known.set(currency, Object.freeze({ ...first, currency, attach }));
    return undefined;
  }

  /** Undefined where it does not answer. */
  async #askOne(provider: TonProvider, terms: JettonTerms): Promise<Reported | undefined> {
    try {
      return await describe(provider, terms.minter, this.#settings.owners);
    } catch (error) {
      if (error instanceof RpcError) return undefined;
      const why = `${provider.name}: its answer about a jetton cannot be read: ${(error as Error).message}`;
      const failure = isTransportError(error) ? error : new TransportError(why, 'malformed');
      this.#settings.providers.failed(provider, failure);
      return undefined;
    }
  }
}

function codeOf({ walletCode }: Jetton): string {
  return walletCode.hash().toString('hex');
}

async function describe(provider: TonProvider, minter: string, owners: readonly string[]): Promise<Reported> {
  const data = await ask(provider, minter, 'get_jetton_data');
  const walletCode = data?.[4];
  if (walletCode === undefined) return 'its minter names no code of wallets';
  const named = new Map<string, string>();
  for (const owner of owners) {
    const slice = beginCell().storeAddress(Address.parse(owner)).endCell();
    const given = [['tvm.Slice', slice.toBoc().toString('base64')]] as const;
    const reported = await ask(provider, minter, 'get_wallet_address', given);
    const wallet = addressIn(reported?.[0]);
    if (wallet !== undefined) named.set(owner, wallet);
  }
  const layout = LAYOUTS.find((one) =>
    owners.every((owner) => named.get(owner) === walletOf({ minter, walletCode, layout: one }, owner)),
  );
  return layout === undefined ? 'its wallets are of no known layout' : { minter, walletCode, layout };
}

function addressIn(cell: Cell | undefined): string | undefined {
  try {
    return cell?.beginParse().loadAddress().toRawString();
  } catch {
    return undefined;
  }
}

/** @returns undefined where the method is missing or fails. @throws RpcError, TransportError */
async function ask(
  { rpc, name }: TonProvider,
  address: string,
  method: string,
  stack: readonly (readonly [string, string])[] = [],
): Promise<readonly (Cell | undefined)[] | undefined> {
  const reported = await rpc.call<MethodResult>('runGetMethod', { address, method, stack });
  try {
    if (reported.exit_code !== 0) return undefined;
    return reported.stack.map(([type, value]) => {
      const bytes = type === 'cell' || type === 'slice' ? (value as { readonly bytes?: string }).bytes : undefined;
      return bytes === undefined ? undefined : Cell.fromBase64(bytes);
    });
  } catch {
    throw new TransportError(`${name}: an invalid answer of a method`, 'malformed');
  }
}
