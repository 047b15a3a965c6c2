import { RpcError, TransportError } from '@causeway/core/rpc';
import { Cell } from '@ton/core';
import { accountOf } from './addresses.js';
import { keepNewest } from './chain/keep-newest.js';
import type { TonAccount, TonProvider } from './chain/read.js';
import type { JettonBook } from './jetton-book.js';

const MAX_CACHED_PAYEES = 2_000;

/** Addresses are hashes: no one can find a key for one with this many leading zeros or with one repeated byte. */
const ZERO_BYTES = 24;

/** See `ChainCodec.refuseAddress`. */
export function refuseAddress(address: string): string | undefined {
  const { hash } = accountOf(address);
  const isMadeUp = hash.subarray(0, ZERO_BYTES).every((byte) => byte === 0) || hash.every((byte) => byte === hash[0]);
  return isMadeUp ? 'is a placeholder and has no known key' : undefined;
}

interface MethodResult {
  readonly exit_code: number;
}

/**
 * A jetton wallet can never spend coins or jettons sent to it. Detected by the get methods of the code, read once per
 * code.
 *
 * Not guaranteed: an undeployed jetton wallet looks like any account without code.
 */
export class Payees {
  readonly #jettons: Pick<JettonBook, 'all'>;
  readonly #known = new Map<string, string | undefined>();

  constructor(jettons: Pick<JettonBook, 'all'>) {
    this.#jettons = jettons;
  }

  /** Undefined where acceptable. @throws TransportError */
  async refuse(provider: TonProvider, { address, active, code }: TonAccount): Promise<string | undefined> {
    if (!active || code === '') return undefined;
    const hash = hashOf(code, provider.name);
    if (this.#jettons.all().some(({ walletCode }) => walletCode.hash().toString('hex') === hash)) return WALLET;
    if (this.#known.has(hash)) return this.#known.get(hash);
    const words = await ask(provider, address);
    if (words === 'unknown') return undefined;
    this.#known.set(hash, words);
    keepNewest(this.#known, MAX_CACHED_PAYEES);
    return words;
  }
}

const WALLET = 'is a jetton wallet: pay to the account that owns it';
const MINTER = 'is a jetton, which keeps what it gets';

function hashOf(code: string, name: string): string {
  try {
    return Cell.fromBase64(code).hash().toString('hex');
  } catch {
    throw new TransportError(`${name}: code that cannot be read`, 'malformed');
  }
}

async function ask(provider: TonProvider, address: string): Promise<string | undefined | 'unknown'> {
  try {
    if (await has(provider, address, 'get_wallet_data')) return WALLET;
    return (await has(provider, address, 'get_jetton_data')) ? MINTER : undefined;
  } catch (error) {
    if (error instanceof RpcError) return 'unknown';
    throw error;
  }
}

async function has({ rpc }: TonProvider, address: string, method: string): Promise<boolean> {
  const { exit_code: code } = await rpc.call<MethodResult>('runGetMethod', { address, method, stack: [] });
  return code === 0 || code === 1;
}
