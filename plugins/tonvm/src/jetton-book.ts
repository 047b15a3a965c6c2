import { RpcError, TransportError } from '@causeway/core/rpc';
import { Address, beginCell, Cell } from '@ton/core';
import type { TonProvider } from './chain/read.js';
import type { JettonTerms } from './chain-config.js';
import { type Jetton, LAYOUTS, walletOf } from './jettons.js';

/** A jetton of the configuration that its minter told of. */
export interface KnownJetton extends Jetton {
  /** Canonical address of the minter. */
  readonly currency: string;
  /** Nanotons. */
  readonly attach: bigint;
}

interface MethodResult {
  readonly exit_code: number;
  readonly stack: readonly (readonly [string, unknown])[];
}

/**
 * What the minters of the configured jettons say of their wallets, asked once. From then on the wallet of anybody is worked out here.
 *
 * Invariant: a wallet's address is believed to follow from code and layout only where the minter itself names the same one for every
 * account of ours; a jetton of another layout is not moved.
 */
export class JettonBook {
  readonly #terms: readonly JettonTerms[];
  /** Raw addresses of accounts that are asked about. */
  readonly #owners: readonly string[];
  readonly #known = new Map<string, KnownJetton>();

  constructor(terms: readonly JettonTerms[], owners: readonly string[]) {
    this.#terms = terms;
    this.#owners = owners;
  }

  /** Undefined while its minter has not told, and for what is no jetton of the configuration. */
  of(currency: string): KnownJetton | undefined {
    return this.#known.get(currency);
  }

  all(): readonly KnownJetton[] {
    return [...this.#known.values()];
  }

  /** Minters that have not told yet, or whose wallets are of no known layout. */
  missing(): readonly string[] {
    return this.#terms.filter(({ currency }) => !this.#known.has(currency)).map(({ currency }) => currency);
  }

  /** @throws RpcError, TransportError */
  async learn(provider: TonProvider): Promise<void> {
    for (const terms of this.#terms) if (!this.#known.has(terms.currency)) await this.#learn(provider, terms);
  }

  async #learn(provider: TonProvider, { currency, minter, attach }: JettonTerms): Promise<void> {
    const walletCode = (await ask(provider, minter, 'get_jetton_data'))[4];
    if (walletCode === undefined)
      throw new TransportError(`${provider.name}: a jetton without wallet code`, 'malformed');
    const named = new Map<string, string>();
    for (const owner of this.#owners) {
      const slice = beginCell().storeAddress(Address.parse(owner)).endCell();
      const [told] = await ask(provider, minter, 'get_wallet_address', [
        ['tvm.Slice', slice.toBoc().toString('base64')],
      ]);
      if (told !== undefined) named.set(owner, told.beginParse().loadAddress().toRawString());
    }
    for (const layout of LAYOUTS) {
      const jetton = { minter, walletCode, layout };
      if (this.#owners.every((owner) => named.get(owner) === walletOf(jetton, owner)))
        this.#known.set(currency, Object.freeze({ ...jetton, currency, attach }));
    }
  }
}

async function ask(
  { rpc }: TonProvider,
  address: string,
  method: string,
  stack: readonly (readonly [string, string])[] = [],
): Promise<readonly (Cell | undefined)[]> {
  const told = await rpc.call<MethodResult>('runGetMethod', { address, method, stack });
  if (told.exit_code !== 0)
    throw new RpcError(`${address} has no ${method}: exit code ${told.exit_code}`, told.exit_code, null);
  return told.stack.map(([type, value]) => {
    const bytes = type === 'cell' || type === 'slice' ? (value as { readonly bytes?: string }).bytes : undefined;
    return bytes === undefined ? undefined : Cell.fromBase64(bytes);
  });
}
