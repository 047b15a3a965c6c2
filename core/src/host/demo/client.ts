import type { DevnetFile } from '../dev/devnet-file.js';

export interface Step {
  readonly id: string;
  readonly requestId: string;
  readonly items: readonly { readonly data: Readonly<Record<string, unknown>> }[];
}

export interface Quote {
  readonly steps: readonly Step[];
  readonly details: {
    readonly currencyIn: { readonly amount: string; readonly amountFormatted: string };
    readonly currencyOut: { readonly amount: string; readonly amountFormatted: string };
  };
}

export interface Status {
  readonly status: string;
  readonly txHashes: readonly string[];
  readonly failReason: string;
}

export interface ChainEntry {
  readonly id: number;
  readonly currency: { readonly address?: string; readonly symbol: string };
  readonly erc20Currencies: readonly {
    readonly address: string;
    /** False: the solver takes none of it, and payers swap it within their deposit. */
    readonly supportsBridging: boolean;
  }[];
}

/** The service answered something else than 200. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly errorCode: string;
  /** Least amount that is taken, smallest unit of the side that the trade type fixes; undefined where that is not what it is about. */
  readonly minimum: bigint | undefined;

  constructor(message: string, errorCode: string, minimum?: string) {
    super(message);
    this.errorCode = errorCode;
    this.minimum = minimum === undefined ? undefined : BigInt(minimum);
  }
}

interface Refusal {
  readonly errorCode?: string;
  readonly message?: string;
  readonly errorData?: { readonly minimum?: string };
}

/** What any client of the public API could do, and nothing more. */
export class DemoClient {
  readonly #devnet: DevnetFile;

  constructor(devnet: DevnetFile) {
    this.#devnet = devnet;
  }

  quote(body: Readonly<Record<string, unknown>>): Promise<Quote> {
    return this.#call<Quote>('/quote/v2', { method: 'POST', body: JSON.stringify(body) });
  }

  status(requestId: string): Promise<Status> {
    return this.#call<Status>(`/intents/status/v3?requestId=${requestId}`);
  }

  /** Ids of the sources of liquidity of a chain. */
  async swapSources(chainId: number): Promise<readonly string[]> {
    return (await this.#call<{ sources: readonly string[] }>(`/swap-sources?chainId=${chainId}`)).sources;
  }

  /** What the solver has for transfers of a currency of the origin, smallest unit of the destination. */
  async inventory(originChainId: number, destinationChainId: number, currency: string): Promise<bigint> {
    const asked = new URLSearchParams({
      originChainId: String(originChainId),
      destinationChainId: String(destinationChainId),
      currency,
    });
    return BigInt((await this.#call<{ solver: { balance: string } }>(`/config/v2?${asked}`)).solver.balance);
  }

  async chains(): Promise<readonly ChainEntry[]> {
    return (await this.#call<{ chains: readonly ChainEntry[] }>('/chains')).chains;
  }

  async #call<T>(path: string, init: { method?: string; body?: string } = {}): Promise<T> {
    const headers = { 'content-type': 'application/json', 'x-api-key': this.#devnet.apiKey };
    const response = await fetch(`${this.#devnet.baseUrl}${path}`, { ...init, headers });
    const body = (await response.json()) as T & Refusal;
    if (response.ok) return body;
    const { errorCode = '', message = '', errorData } = body;
    throw new ApiError(`${path} answered ${response.status} ${errorCode}: ${message}`, errorCode, errorData?.minimum);
  }
}
