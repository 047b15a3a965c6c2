// The solver's history on a TON chain. Payments carry a comment and leave its two wallets as in
// core/docs/decisions/0082-ton-wallets-and-request-limits.md; the plugin's code is not used.

import { Address, type Cell, type Slice } from '@ton/core';
import { Arrivals, NO_ADDRESSES, type PaidAddresses, writtenAs } from '../deposit-addresses.js';
import type { ChainHistory, Deposited, Filled, SolverTransaction, Stray, Withdrawn } from '../history.js';
import { NATIVE, type Reported, type Sent, type TonChain } from './ton-chain.js';

const ORDER = 0x7369676e;
/** Of jettons (TEP-74). */
const TRANSFER = 0x0f8a7ea5;
const INTERNAL_TRANSFER = 0x178d4519;
const COMMENT = 0;

export interface Watched {
  readonly id: number;
  /** Raw: the filling wallet and the depository. */
  readonly fill: string;
  readonly vault: string;
  readonly minters: ReadonlyMap<string, string>;
}

/** Newest logical time by account when the world began. */
export type Before = ReadonlyMap<string, bigint>;

interface Payment {
  readonly name: string;
  readonly token: string;
  /** Raw. */
  readonly to: string;
  readonly amount: bigint;
}

interface Outcome {
  readonly payments: readonly Payment[];
  /** Nanotons that the wallet lost in addition to arrived coins. */
  readonly fee: bigint;
  /** Accounted gains of wallets, nanotons by transaction. */
  readonly gained: readonly (readonly [hash: string, amount: bigint])[];
  /** Nothing of it is in flight. */
  readonly whole: boolean;
}

/** Accounts read from their newest transaction on. */
export async function accountsOf(chain: TonChain, { fill, vault, minters }: Watched): Promise<readonly string[]> {
  const wallets = await Promise.all([...minters.values()].map((minter) => chain.jettonWallet(minter, vault)));
  return [fill, vault, ...wallets];
}

/** Caches what was followed to its end. */
export class TonHistory {
  readonly #outcomes = new Map<string, Outcome>();

  constructor(
    private readonly chain: TonChain,
    private readonly watched: Watched,
    private readonly before: Before,
  ) {}

  async read(addresses: PaidAddresses = NO_ADDRESSES): Promise<ChainHistory> {
    const { id, fill, vault } = this.watched;
    const paidTo = writtenAs((address) => Address.parse(address).toRawString(), addresses);
    const [ofFill, ofVault] = await Promise.all([this.#since(fill), this.#since(vault)]);
    const filled = await this.#outcomesOf(ofFill);
    const paid = await this.#outcomesOf(ofVault);
    const gained = new Map([...filled, ...paid].flatMap(({ outcome }) => outcome.gained));
    const coins = ofVault.flatMap((reported) => this.#coins(reported));
    const strays = [...this.#strays(ofFill, gained), ...this.#strays(ofVault, gained)];
    return {
      chain: { id },
      deposits: [...coins, ...(await this.#jettons(paidTo)), ...(await this.#jettonsAt(paidTo))],
      fills: filled.flatMap(({ reported, outcome }) =>
        outcome.payments.map(
          (one): Filled => ({ ...this.#moved(reported, one), orderId: one.name, filler: textOf(fill) }),
        ),
      ),
      withdrawals: paid.flatMap(({ reported, outcome }) =>
        outcome.payments.map((one): Withdrawn => ({ ...this.#moved(reported, one), key: one.name })),
      ),
      sent: [...filled.map((one) => this.#sent(one)), ...paid.map((one) => this.#sent(one))],
      strays,
    };
  }

  #since(account: string): Promise<readonly Reported[]> {
    return this.chain.since(account, this.before.get(account) ?? 0n);
  }

  #moved({ hash }: Reported, { token, to, amount }: Payment) {
    return { chainId: this.watched.id, hash, token: token.toLowerCase(), to: textOf(to), amount };
  }

  #sent({ reported, outcome }: { readonly reported: Reported; readonly outcome: Outcome }): SolverTransaction {
    const { account, hash, ok, started } = reported;
    const { id, vault } = this.watched;
    return {
      ...{ chainId: id, hash, ok, nonce: started && numberOf(started.body), fee: outcome.fee },
      ...(account === vault && { by: 'depository' as const }),
    };
  }

  /** Of each external message that a wallet accepted. */
  async #outcomesOf(all: readonly Reported[]) {
    const found: { readonly reported: Reported; readonly outcome: Outcome }[] = [];
    for (const reported of all)
      if (reported.started?.from === null) found.push({ reported, outcome: await this.#outcomeOf(reported) });
    return found;
  }

  async #outcomeOf(reported: Reported): Promise<Outcome> {
    const known = this.#outcomes.get(reported.hash);
    if (known !== undefined) return known;
    const payments: Payment[] = [];
    const gained: (readonly [string, bigint])[] = [];
    let fee = -reported.gained;
    let whole = true;
    for (const message of reported.sent) {
      const after = await this.#after(message);
      whole &&= after.whole;
      // Coins returned to the wallet reduce its loss.
      for (const one of after.all) {
        if (one.account !== reported.account) continue;
        gained.push([one.hash, one.gained]);
        fee -= one.gained;
      }
      const payment = await this.#payment(message, after.all);
      if (payment === undefined) continue;
      payments.push(payment);
      if (payment.token !== NATIVE) continue;
      fee -= payment.amount;
      gained.push(...after.all.slice(0, 1).map(({ hash }) => [hash, payment.amount] as const));
    }
    const outcome = { payments, gained, fee, whole };
    if (whole) this.#outcomes.set(reported.hash, outcome);
    return outcome;
  }

  /** A message and all that follows from it, except through the solver's wallets, which do nothing by themselves. */
  async #after(message: Sent): Promise<{ readonly all: readonly Reported[]; readonly whole: boolean }> {
    const reported = await this.chain.startedBy(message);
    if (reported === undefined) return { all: [], whole: false };
    const all = [reported];
    let whole = true;
    for (const one of reported.sent) {
      const after = await this.#after(one);
      whole &&= after.whole;
      all.push(...after.all);
    }
    return { all, whole };
  }

  /** Undefined where nothing arrived, or not yet. */
  async #payment(message: Sent, [first, ...after]: readonly Reported[]): Promise<Payment | undefined> {
    if (first === undefined) return undefined;
    const { to, value, body, from } = message;
    const [token, minter] = (await this.#jettonOf(from ?? '', to)) ?? [NATIVE];
    if (minter === undefined) {
      if (first.bounced) return undefined;
      return { name: commentOf(body) ?? '', token, to, amount: value };
    }
    const asked = transferOf(body, TRANSFER);
    if (asked === undefined) throw new Error(`${from} reported its jetton wallet what is no transfer`);
    const wallet = await this.chain.jettonWallet(minter, asked.who ?? '');
    // What the recipient's jetton wallet received, whatever was requested.
    for (const { account, ok, started } of after) {
      const came = account === wallet && ok && started ? transferOf(started.body, INTERNAL_TRANSFER) : undefined;
      if (came !== undefined) return { name: came.name, token, to: asked.who ?? '', amount: came.amount };
    }
    return undefined;
  }

  /** Whether an account is this owner's jetton wallet, and of which jetton. */
  async #jettonOf(owner: string, account: string): Promise<readonly [currency: string, minter: string] | undefined> {
    for (const [currency, minter] of this.watched.minters)
      if ((await this.chain.jettonWallet(minter, owner)) === account) return [currency, minter];
    return undefined;
  }

  /** Coins sent to the depository, with a comment or without. */
  #coins({ hash, bounced, started }: Reported): readonly Deposited[] {
    const { id, fill, vault } = this.watched;
    if (started === null || started.from === null || bounced || started.value === 0n) return [];
    if ([fill, vault].includes(started.from) || !isPlain(started.body)) return [];
    const from = textOf(started.from);
    const name = commentOf(started.body) ?? '';
    return [{ ...{ chainId: id, hash, from, token: NATIVE.toLowerCase() }, amount: started.value, id: name }];
  }

  /** What the depository's own jetton wallets took. */
  async #jettons(addresses: PaidAddresses): Promise<readonly Deposited[]> {
    const { id, fill, vault, minters } = this.watched;
    const found: Deposited[] = [];
    for (const [currency, minter] of minters) {
      const all = await this.#since(await this.chain.jettonWallet(minter, vault));
      for (const { hash, ok, started } of all) {
        const came = ok && started ? transferOf(started.body, INTERNAL_TRANSFER) : undefined;
        if (came === undefined || came.who === fill || came.who === vault) continue;
        if (came.who !== null && addresses.has(came.who)) continue;
        const from = came.who === null ? '' : textOf(came.who);
        const token = currency.toLowerCase();
        found.push({ ...{ chainId: id, hash, from, token }, amount: came.amount, id: came.name });
      }
    }
    return found;
  }

  /** What deposit addresses were paid in jettons. */
  async #jettonsAt(addresses: PaidAddresses): Promise<readonly Deposited[]> {
    const arrivals = new Arrivals(addresses);
    const found: Deposited[] = [];
    for (const address of addresses.keys())
      for (const [currency, minter] of this.watched.minters)
        for (const { hash, ok, started } of await this.#since(await this.chain.jettonWallet(minter, address))) {
          const came = ok && started ? transferOf(started.body, INTERNAL_TRANSFER) : undefined;
          const token = currency.toLowerCase();
          const id = came && arrivals.orderOf(address, token, came.amount);
          if (came === undefined || id === undefined) continue;
          const from = came.who === null ? '' : textOf(came.who);
          found.push({ ...{ chainId: this.watched.id, hash, from, token }, amount: came.amount, id });
        }
    return found;
  }

  /** A wallet's other gains, as the coins of a jetton notice; and losses, where receiving costs. */
  #strays(all: readonly Reported[], known: ReadonlyMap<string, bigint>): readonly Stray[] {
    const { id, vault } = this.watched;
    return all.flatMap((reported) => {
      if (reported.started?.from === null) return [];
      const isVault = reported.account === vault;
      const deposited = isVault ? this.#coins(reported).reduce((sum, one) => sum + one.amount, 0n) : 0n;
      const amount = reported.gained - deposited - (known.get(reported.hash) ?? 0n);
      const to = isVault ? ('depository' as const) : ('inventory' as const);
      return amount === 0n ? [] : [{ chainId: id, token: NATIVE.toLowerCase(), to, amount }];
    });
  }
}

/** Lower case, as in the service's accounts. */
export function textOf(raw: string): string {
  return Address.parse(raw).toString({ bounceable: false, urlSafe: true }).toLowerCase();
}

/** The number of an order of a wallet. */
function numberOf(body: Cell): number | null {
  const slice = body.beginParse();
  if (slice.remainingBits < 32 * 4 || slice.loadUint(32) !== ORDER) return null;
  slice.skip(64);
  return slice.loadUint(32);
}

interface Transfer {
  readonly amount: bigint;
  /** Raw: recipient of an order, or sender of an arrival. Null: a minter. */
  readonly who: string | null;
  /** Empty where it names nothing. */
  readonly name: string;
}

/** Both messages of a jetton transfer have one layout up to their ends. */
function transferOf(body: Cell, op: typeof TRANSFER | typeof INTERNAL_TRANSFER): Transfer | undefined {
  const slice = body.beginParse();
  if (slice.remainingBits < 96 || slice.loadUint(32) !== op) return undefined;
  // The query id.
  slice.skip(64);
  const amount = slice.loadCoins();
  const who = slice.loadMaybeAddress()?.toRawString() ?? null;
  slice.loadMaybeAddress();
  if (op === TRANSFER) slice.loadMaybeRef();
  slice.loadCoins();
  return { amount, who, name: payloadOf(slice) };
}

function payloadOf(slice: Slice): string {
  if (slice.remainingBits < 1) return '';
  return commentOf(slice.loadBit() ? slice.loadRef() : slice.asCell()) ?? '';
}

/** Lower case; undefined where it is not text. */
function commentOf(body: Cell): string | undefined {
  const slice = body.beginParse();
  if (slice.remainingBits < 32 || slice.loadUint(32) !== COMMENT || slice.remainingBits % 8 !== 0) return undefined;
  return slice.loadStringTail().toLowerCase();
}

function isPlain(body: Cell): boolean {
  return body.bits.length === 0 || commentOf(body) !== undefined;
}
