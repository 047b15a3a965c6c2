import type { DevnetFile } from '../dev/devnet-file.js';

export interface Step {
  readonly id: string;
  readonly requestId: string;
  /** Empty where the deposit names its order. */
  readonly depositAddress: string;
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
    /** False: payers swap it within their deposit, because the solver does not take it. */
    readonly supportsBridging: boolean;
  }[];
}

export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly errorCode: string;
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

  async swapSources(chainId: number): Promise<readonly string[]> {
    return (await this.#call<{ sources: readonly string[] }>(`/swap-sources?chainId=${chainId}`)).sources;
  }

  /** Available for transfers of an origin currency, smallest unit of the destination. */
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
