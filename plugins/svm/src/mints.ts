import type { Clock, Logger } from '@causeway/core';
import { isTransportError, type Provider, type Providers, RpcError } from '@causeway/core/rpc';
import {
  ExtensionType,
  getAccountLen,
  getAccountTypeOfMintType,
  getExtensionTypes,
  getTransferFeeConfig,
  type Mint,
  TokenError,
  type TransferFeeConfig,
  unpackMint,
} from '@solana/spl-token';
import { PublicKey } from '@solana/web3.js';
import { fetchAccounts, type ShownAccount } from './accounts.js';
import type { ChainConfig } from './chain-config.js';
import { PROGRAMS } from './programs.js';
import { keptOf, sentFor, type TransferFee } from './transfer-fee.js';
import type { Head } from './watch/heads.js';

export interface MintFacts {
  readonly accountBytes: number;
  /** Undefined without a transfer fee. */
  readonly fees: TransferFeeConfig | undefined;
}

/** Extensions that break transfers, with their effects. */
const NOT_SERVED: ReadonlyMap<ExtensionType, string> = new Map([
  [ExtensionType.TransferHook, 'calls a program of its own at each transfer'],
  [ExtensionType.NonTransferable, 'cannot be transferred'],
]);

export function readMint(
  { currencies, programs }: Pick<ChainConfig, 'currencies' | 'programs'>,
  address: string,
  account: ShownAccount | undefined,
): MintFacts | string {
  const currency = currencies.get(address);
  const program = programs.get(address);
  if (currency === undefined || program === undefined) throw new Error(`no currency ${address}`);
  const name = `${currency.symbol} (${address})`;
  if (account === undefined) return `there is no mint of ${name}`;
  if (account.owner !== program)
    return `${name} belongs to ${account.owner}, not to the configured token program ${program}`;
  let mint: Mint;
  try {
    const data = Buffer.from(account.data);
    const info = { data, executable: false, lamports: Number(account.lamports), owner: new PublicKey(account.owner) };
    mint = unpackMint(new PublicKey(address), info, new PublicKey(program));
  } catch (error) {
    if (error instanceof TokenError) return `${name} is no mint`;
    throw error;
  }
  if (mint.decimals !== currency.decimals) return `${name} has ${mint.decimals} decimals, not ${currency.decimals}`;
  const extensions = program === PROGRAMS.token2022 ? getExtensionTypes(mint.tlvData) : [];
  const refused = extensions.map((extension) => NOT_SERVED.get(extension)).find((each) => each !== undefined);
  if (refused !== undefined) return `${name} is not served: it ${refused}`;
  return {
    accountBytes: accountBytes(program, extensions),
    fees: (program === PROGRAMS.token2022 ? getTransferFeeConfig(mint) : null) ?? undefined,
  };
}

/** Associated accounts of Token-2022 have the immutable owner extension. */
function accountBytes(program: string, extensions: readonly ExtensionType[]): number {
  if (program !== PROGRAMS.token2022) return getAccountLen([]);
  return getAccountLen([...extensions.map(getAccountTypeOfMintType), ExtensionType.ImmutableOwner]);
}

/**
 * Amount to send so that this one arrives, now and in the next epoch, because fees change with epochs. Undefined
 * where the fee is 100 %.
 */
export function sentThrough(config: TransferFeeConfig | undefined, epoch: bigint, amount: bigint): bigint | undefined {
  if (config === undefined) return amount;
  const wanted = feesAround(config, epoch).map((fee) => sentFor(termsOf(fee), amount));
  if (wanted.includes(undefined)) return undefined;
  return (wanted as readonly bigint[]).reduce((a, b) => (a > b ? a : b));
}

export function arrivingThrough(config: TransferFeeConfig | undefined, epoch: bigint, sent: bigint): bigint {
  if (config === undefined) return sent;
  const kept = feesAround(config, epoch).map((fee) => keptOf(termsOf(fee), sent));
  return sent - kept.reduce((a, b) => (a > b ? a : b));
}

function feesAround(config: TransferFeeConfig, epoch: bigint): readonly TransferFeeConfig['newerTransferFee'][] {
  const { olderTransferFee: older, newerTransferFee: newer } = config;
  return [epoch, epoch + 1n].map((at) => (at >= newer.epoch ? newer : older));
}

function termsOf(fee: TransferFeeConfig['newerTransferFee']): TransferFee {
  return { basisPoints: BigInt(fee.transferFeeBasisPoints), maximum: fee.maximumFee };
}

/** Highest current or future transfer fee, basis points. */
export function mostKept({ fees }: MintFacts): number {
  const { olderTransferFee, newerTransferFee } = fees ?? {};
  return Math.max(olderTransferFee?.transferFeeBasisPoints ?? 0, newerTransferFee?.transferFeeBasisPoints ?? 0);
}

export async function askSent(
  config: Pick<ChainConfig, 'currencies' | 'programs'>,
  { rpc }: Provider,
  currency: string,
  amount: bigint,
): Promise<bigint | undefined> {
  if (config.programs.get(currency) !== PROGRAMS.token2022) return amount;
  const [[account], epoch] = await Promise.all([fetchAccounts(rpc, [currency]), epochOf({ rpc })]);
  const mint = readMint(config, currency, account);
  return typeof mint === 'string' ? undefined : sentThrough(mint.fees, epoch, amount);
}

async function epochOf({ rpc }: Pick<Provider, 'rpc'>): Promise<bigint> {
  const { epoch } = await rpc.request<{ readonly epoch: number }>('getEpochInfo', [{ commitment: 'confirmed' }]);
  return BigInt(epoch);
}

const REFRESH_INTERVAL_MS = 600_000;
const SOON_MS = 5_000;

export class Mints {
  readonly #config: ChainConfig;
  readonly #providers: Providers;
  readonly #services: { readonly clock: Clock; readonly log: Logger };
  readonly #read = new Map<string, MintFacts & { readonly rent: bigint }>();
  #epoch = 0n;
  #leastBalance: bigint | undefined;
  #problem: string | null = 'mints not checked yet';
  #due = 0;

  constructor(config: ChainConfig, providers: Providers, services: { readonly clock: Clock; readonly log: Logger }) {
    this.#config = config;
    this.#providers = providers;
    this.#services = services;
    if (config.programs.size === 0) this.#problem = null;
  }

  /** Rent minimum of an account without data, lamports; undefined until read. No I/O. */
  get leastBalance(): bigint | undefined {
    return this.#leastBalance;
  }

  /** Lamports of rent for a token account; undefined until read. No I/O. */
  rentOf(currency: string): bigint | undefined {
    return this.#read.get(currency)?.rent;
  }

  /** Whether transfer fees may be withheld in accounts of the mint. No I/O. */
  withholds(currency: string): boolean {
    return this.#read.get(currency)?.fees !== undefined;
  }

  /** Highest transfer fee, now or later, basis points; 0 until read. No I/O. */
  keptOf(currency: string): number {
    const read = this.#read.get(currency);
    return read === undefined ? 0 : mostKept(read);
  }

  /**
   * Amount to send for an arriving one; the amount itself for coins, unread mints and fees of 100 %: none of these is
   * quoted. No I/O.
   */
  sentFor(currency: string, amount: bigint): bigint {
    return sentThrough(this.#read.get(currency)?.fees, this.#epoch, amount) ?? amount;
  }

  /** Minimum that arrives, now and in the next epoch; all of it for coins and unread mints. No I/O. */
  arriving(currency: string, sent: bigint): bigint {
    return arrivingThrough(this.#read.get(currency)?.fees, this.#epoch, sent);
  }

  /** For `status()`. No I/O. */
  problem(): string | null {
    return this.#problem;
  }

  onHead({ provider }: Head): void {
    if (this.#services.clock.monotonic() >= this.#due) void this.refresh(provider);
  }

  async refresh(provider: Provider): Promise<void> {
    const { clock, log } = this.#services;
    this.#due = clock.monotonic() + SOON_MS;
    try {
      const found = new Map<string, MintFacts & { readonly rent: bigint }>();
      const problems = await readMints(provider, this.#config, (mint, facts) => void found.set(mint, facts));
      if ([...found.values()].some(({ fees }) => fees !== undefined)) this.#epoch = await epochOf(provider);
      this.#leastBalance ??= BigInt(await provider.rpc.request<number>('getMinimumBalanceForRentExemption', [0]));
      for (const [mint, facts] of found) this.#read.set(mint, facts);
      this.#problem = problems[0] ?? null;
      this.#providers.read('mints', provider);
      if (this.#problem === null) this.#due = clock.monotonic() + REFRESH_INTERVAL_MS;
    } catch (error) {
      if (!isTransportError(error) && !(error instanceof RpcError)) throw error;
      this.#providers.unread('mints', provider, error);
      log.warn({ error: String(error) }, 'mints cannot be read yet');
    }
  }
}

/**
 * @returns problems.
 *
 * @param onRead called for each valid mint.
 */
export async function readMints(
  { rpc }: Pick<Provider, 'rpc'>,
  config: ChainConfig,
  onRead: (mint: string, facts: MintFacts & { readonly rent: bigint }) => void = () => undefined,
): Promise<readonly string[]> {
  const mints = [...config.programs.keys()];
  const accounts = await fetchAccounts(rpc, mints);
  const problems: string[] = [];
  for (const [n, mint] of mints.entries()) {
    const read = readMint(config, mint, accounts[n]);
    if (typeof read === 'string') {
      problems.push(read);
      continue;
    }
    const rent = BigInt(await rpc.request<number>('getMinimumBalanceForRentExemption', [read.accountBytes]));
    onRead(mint, { ...read, rent });
  }
  return problems;
}
