import type { Asker, Clock, FillRefusal, FillWish, LegCheck } from '@causeway/core';
import type { Provider, Providers, Turns } from '@causeway/core/rpc';
import { PublicKey } from '@solana/web3.js';
import type { ShownAccount } from './accounts.js';
import { isNative } from './addresses.js';
import type { GatheredAccounts } from './gathered-accounts.js';
import { isBuiltIn, isKeeper, isTokenProgram } from './programs.js';
import type { Solver } from './transactions/build.js';

type Refusal = Extract<LegCheck, { ok: false }>;

/** What an account says of paying it. */
interface Seen {
  /** See `ChainState.refuseAccount`. */
  readonly lost: string | undefined;
  /** Why it cannot be paid whatever the amount; undefined: it can. */
  readonly refusal: string | undefined;
  /** Least coins that it can be paid; 1 where there is an account that lasts already. */
  readonly least: bigint;
  readonly at: number;
}

const NOBODY: Asker = Object.freeze({ party: '', signal: new AbortController().signal });
const BUSY: Refusal = Object.freeze({
  ok: false,
  kind: 'unavailable',
  reason: 'UNKNOWN',
  message: 'too many recipients are looked up at once',
});

const MOST_KNOWN = 20_000;
/** An existing account rarely goes away, and `check` looks again; a missing account may be opened at any time. */
const BELIEVED_MS = 60_000;
const MISSING_MS = 5_000;

/** See `ChainCodec.refuseAddress`. */
export function refuseAddress(address: string): string | undefined {
  return isBuiltIn(address) ? 'is a program, or an account of the chain itself' : undefined;
}

/**
 * Why no one could get at what an account is paid; undefined for everybody else.
 *
 * @param account as the chain shows it; undefined: there is none.
 */
export function refuseAccount(address: string, account: ShownAccount | undefined): string | undefined {
  if (account === undefined) return isOnCurve(address) ? undefined : NOT_OPEN;
  if (account.executable) return 'is a program';
  // The recipient of a token is the owner of its account; an account of a token program owns nothing.
  if (isTokenProgram(account.owner)) return 'is a token account or a mint: pay to the account that owns it';
  return isKeeper(account.owner) ? "is the chain's own, or holds a program" : undefined;
}

/** An associated token account before it is opened looks like that, and so does nothing that can be paid without being there. */
const NOT_OPEN = 'is not there, and no key can sign for it: as for a token account that is not open yet';

function isOnCurve(address: string): boolean {
  return PublicKey.isOnCurve(new PublicKey(address).toBytes());
}

/** Accounts whose owner could never get at it, and our own: a fill into the vault were a deposit. */
export function refusedPayee(
  solver: Solver,
  { kind, recipient }: { readonly kind: string; readonly recipient: string },
  account: ShownAccount | undefined,
): string | undefined {
  const own = isOwn(solver, kind, recipient);
  // Anyone who paid may have paid with all that its account had, and is paid back there all the same.
  const isGone = account === undefined && kind !== 'fill';
  const why = own ?? refuseAddress(recipient) ?? (isGone ? undefined : refuseAccount(recipient, account));
  return why === undefined ? undefined : `${recipient} ${why}`;
}

function isOwn({ vault, fill }: Solver, kind: string, recipient: string): string | undefined {
  const own = recipient === vault || (recipient === fill && kind === 'fill');
  return own ? 'is an account of the solver' : undefined;
}

/** See `ChainAdapter.refuseFill`: what the address alone says. */
export function refusePayee(solver: Solver, { recipient }: FillWish): FillRefusal | undefined {
  const why = isOwn(solver, 'fill', recipient) ?? refuseAddress(recipient);
  return why === undefined ? undefined : { why: 'recipient', message: `${recipient} ${why}` };
}

/**
 * What the accounts of recipients say before anything is promised to them: programs and token accounts are no recipients,
 * and a new account has to be paid what it must hold in order to last. Remembered for a while, so that most quotes ask nobody.
 *
 * Not guaranteed: that it is so when the fill is made. `check` looks again.
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

  /** Undefined where nothing speaks against paying it. Rejects on infrastructure failure. */
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

  #inTurn(recipient: string, asker = NOBODY): Promise<Seen | undefined> {
    return this.#turns.take(asker, () => this.#ask(recipient));
  }

  /** Goes with what others ask at the same time, so that it does not end when one of them leaves. */
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
    if (this.#seen.size >= MOST_KNOWN && oldest !== undefined) this.#seen.delete(oldest);
    this.#seen.set(recipient, seen);
  }

  /** What an account without data has to hold. It changes with the chain's own rules only. */
  async #leastBalance({ rpc }: Provider): Promise<bigint> {
    const now = this.#clock.monotonic();
    if (this.#rent !== undefined && now - this.#rent.at < BELIEVED_MS * 10) return this.#rent.lamports;
    const lamports = BigInt(await rpc.request<number>('getMinimumBalanceForRentExemption', [0]));
    this.#rent = { lamports, at: now };
    return lamports;
  }
}
