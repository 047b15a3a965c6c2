import type { Asker, Clock, FillRefusal, FillWish, LegCheck } from '@causeway/core';
import type { Provider, Providers, Turns } from '@causeway/core/rpc';
import { PublicKey } from '@solana/web3.js';
import type { ShownAccount } from './accounts.js';
import { isNative } from './addresses.js';
import type { GatheredAccounts } from './gathered-accounts.js';
import { isBuiltIn, isKeeper, isTokenProgram } from './programs.js';
import { fillersOf, type Solver } from './transactions/build.js';

type Refusal = Extract<LegCheck, { ok: false }>;

interface Seen {
  /** See `ChainState.refuseAccount`. */
  readonly lost: string | undefined;
  /** Why it cannot be paid at all; undefined: it can. */
  readonly refusal: string | undefined;
  /** Minimum coins; 1 for an existing rent-exempt account. */
  readonly least: bigint;
  readonly at: number;
}

const NO_ASKER: Asker = Object.freeze({ party: '', signal: new AbortController().signal });
const BUSY: Refusal = Object.freeze({
  ok: false,
  kind: 'unavailable',
  reason: 'UNKNOWN',
  message: 'too many recipients are looked up at once',
});

const MAX_CACHED_PAYEES = 20_000;
/** Existing accounts rarely vanish, and `check` looks again; a missing one may be opened at any time. */
const BELIEVED_MS = 60_000;
const MISSING_MS = 5_000;

/** See `ChainCodec.refuseAddress`. */
export function refuseAddress(address: string): string | undefined {
  return isBuiltIn(address) ? 'is a program, or an account of the chain itself' : undefined;
}

/**
 * Why no one could spend a payment to the account; undefined otherwise.
 *
 * @param account undefined: missing.
 */
export function refuseAccount(address: string, account: ShownAccount | undefined): string | undefined {
  if (account === undefined) return isOnCurve(address) ? undefined : NOT_OPEN;
  if (account.executable) return 'is a program';
  // A token account or mint owns nothing; its owner is the recipient.
  if (isTokenProgram(account.owner)) return 'is a token account or a mint: pay to the account that owns it';
  return isKeeper(account.owner) ? "is the chain's own, or holds a program" : undefined;
}

/**
 * An address without a key and without an account may be a token account that is not open yet, where a payment is
 * lost for ever, or an account of a program that was never funded, such as the vault of a multisig, where it is not.
 * They look the same, so both are refused. Once it holds coins, the address counts as the second.
 */
const NOT_OPEN =
  'is not there yet, and no key can sign for it. If a program signs for it, as for the vault of a multisig, send it some coins once and ask again. If it is a token account, name the account that owns it';

function isOnCurve(address: string): boolean {
  return PublicKey.isOnCurve(new PublicKey(address).toBytes());
}

/** Unspendable accounts, and the solver's own: a fill into the vault would be a deposit. */
export function refusedPayee(
  solver: Solver,
  { kind, recipient }: { readonly kind: string; readonly recipient: string },
  account: ShownAccount | undefined,
): string | undefined {
  const own = serviceRoleOf(solver, kind, recipient);
  // The payer may have emptied its account, and is refunded there all the same.
  const isGone = account === undefined && kind !== 'fill';
  const why = own ?? refuseAddress(recipient) ?? (isGone ? undefined : refuseAccount(recipient, account));
  return why === undefined ? undefined : `${recipient} ${why}`;
}

function serviceRoleOf(solver: Solver, kind: string, recipient: string): string | undefined {
  const { vault, sweeper } = solver;
  const own =
    recipient === vault || recipient === sweeper || (kind === 'fill' && fillersOf(solver).includes(recipient));
  return own ? 'is an account of the solver' : undefined;
}

/** See `ChainAdapter.refuseFill`: by the address alone. */
export function refusePayee(solver: Solver, { recipient }: FillWish): FillRefusal | undefined {
  const why = serviceRoleOf(solver, 'fill', recipient) ?? refuseAddress(recipient);
  return why === undefined ? undefined : { why: 'recipient', message: `${recipient} ${why}` };
}

/**
 * Programs and token accounts are refused, and a new account needs the rent minimum. Cached, so that most quotes
 * query nothing.
 *
 * Not guaranteed: the state at the fill. `check` looks again.
 */
export class Payees {
  readonly #solver: Solver;
  readonly #providers: Providers;
  readonly #turns: Turns;
  readonly #accounts: GatheredAccounts;
  readonly #clock: Pick<Clock, 'monotonic'>;
  readonly #seen = new Map<string, Seen>();
  #rent: { readonly lamports: bigint; readonly at: number } | undefined;

  constructor(
    solver: Solver,
    {
      providers,
      accounts,
      turns,
    }: { readonly providers: Providers; readonly accounts: GatheredAccounts; readonly turns: Turns },
    { clock }: { readonly clock: Pick<Clock, 'monotonic'> },
  ) {
    this.#solver = solver;
    this.#providers = providers;
    this.#turns = turns;
    this.#accounts = accounts;
    this.#clock = clock;
  }

  /** Undefined where acceptable. Rejects on infrastructure failure. */
  async refuse({ currency, recipient, amount }: FillWish, asker?: Asker): Promise<Refusal | undefined> {
    const seen = this.#remembered(recipient) ?? (await this.#inTurn(recipient, asker));
    if (seen === undefined) return BUSY;
    const { refusal, least } = seen;
    const refused = { ok: false, kind: 'refused' } as const;
    if (refusal !== undefined) return { ...refused, reason: 'DESTINATION_TOKEN_TRANSFER_REJECTED', message: refusal };
    if (!isNative(currency) || amount >= least) return undefined;
    const message = `a new account has to hold ${least} lamports, or the chain does not keep it`;
    return { ...refused, reason: 'INSUFFICIENT_FUNDS_FOR_RENT', message, least };
  }

  /** See `ChainState.refuseAccount`. Rejects on infrastructure failure. */
  async refuseAccount(address: string): Promise<string | undefined> {
    return (this.#remembered(address) ?? (await this.#ask(address))).lost;
  }

  #remembered(recipient: string): Seen | undefined {
    const seen = this.#seen.get(recipient);
    if (seen === undefined) return undefined;
    return this.#clock.monotonic() - seen.at < (seen.least > 1n ? MISSING_MS : BELIEVED_MS) ? seen : undefined;
  }

  #inTurn(recipient: string, asker = NO_ASKER): Promise<Seen | undefined> {
    return this.#turns.take(asker, () => this.#ask(recipient));
  }

  /** Shared by callers, so that it does not end when one of them leaves. */
  #ask(recipient: string): Promise<Seen> {
    return this.#providers.onSide('trials', async (provider) => {
      const [[account], rent] = await Promise.all([
        this.#accounts.ask(provider, [recipient]),
        this.#leastBalance(provider),
      ]);
      const seen: Seen = {
        lost: refuseAccount(recipient, account),
        refusal: refusedPayee(this.#solver, { kind: 'fill', recipient }, account),
        least: account === undefined ? rent : 1n,
        at: this.#clock.monotonic(),
      };
      this.#remember(recipient, seen);
      return seen;
    });
  }

  #remember(recipient: string, seen: Seen): void {
    this.#seen.delete(recipient);
    const [oldest] = this.#seen.keys();
    if (this.#seen.size >= MAX_CACHED_PAYEES && oldest !== undefined) this.#seen.delete(oldest);
    this.#seen.set(recipient, seen);
  }

  /** Rent minimum without data; changes only with the chain's rules. */
  async #leastBalance({ rpc }: Provider): Promise<bigint> {
    const now = this.#clock.monotonic();
    if (this.#rent !== undefined && now - this.#rent.at < BELIEVED_MS * 10) return this.#rent.lamports;
    const lamports = BigInt(await rpc.request<number>('getMinimumBalanceForRentExemption', [0]));
    this.#rent = { lamports, at: now };
    return lamports;
  }
}
