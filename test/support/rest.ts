/** The response fields that tests read, independent of the service's types. */
export interface Amount {
  readonly currency: {
    readonly chainId: number;
    readonly address: string;
    readonly symbol: string;
    readonly decimals: number;
  };
  readonly amount: string;
  readonly amountFormatted: string;
  readonly amountUsd: string;
  readonly minimumAmount: string;
}

export interface StepItem {
  readonly status: string;
  readonly data: {
    readonly from: `0x${string}`;
    readonly to: `0x${string}`;
    readonly data: `0x${string}`;
    readonly value: string;
    readonly chainId: number;
    readonly gas?: string;
    readonly maxFeePerGas?: string;
    readonly maxPriorityFeePerGas?: string;
  };
  readonly check?: { readonly endpoint: string; readonly method: string };
}

export interface Step {
  readonly id: string;
  readonly action: string;
  readonly description: string;
  readonly kind: string;
  readonly requestId: string;
  readonly depositAddress: string;
  readonly items: readonly StepItem[];
}

interface QuotedSide {
  readonly inputCurrency: Amount;
  readonly outputCurrency: Amount;
  /** `relay`, or the source that swaps. */
  readonly router: string;
}

export interface Quote {
  readonly steps: readonly Step[];
  readonly fees: Readonly<Record<'gas' | 'relayer' | 'relayerGas' | 'relayerService' | 'app' | 'subsidized', Amount>>;
  readonly details: {
    readonly operation: string;
    readonly sender: string;
    readonly recipient: string;
    readonly currencyIn: Amount;
    readonly currencyOut: Amount;
    readonly refundCurrency: Amount;
    readonly currencyGasTopup?: Amount;
    readonly timeEstimate: number;
    readonly rate: string;
    readonly swapImpact: { readonly usd: string; readonly percent: string };
    readonly route: { readonly origin: QuotedSide; readonly destination: QuotedSide };
  } & Readonly<Record<string, unknown>>;
  readonly protocol: {
    readonly v2: {
      readonly orderId: `0x${string}`;
      readonly hubType: string;
      readonly orderSignature?: `0x${string}`;
      readonly orderData: {
        readonly solver: `0x${string}`;
        readonly inputs: readonly {
          readonly payment: { readonly amount: string };
          readonly refunds: readonly { readonly recipient: string; readonly deadline: number }[];
        }[];
        readonly output: {
          readonly deadline: number;
          readonly calls: readonly string[];
          readonly payments: readonly {
            readonly recipient: string;
            readonly minimumAmount: string;
            readonly expectedAmount: string;
          }[];
        };
      } & Readonly<Record<string, unknown>>;
      readonly paymentDetails: { readonly depository: string; readonly currency: string; readonly amount: string };
    };
  };
}

export interface Status {
  readonly status: string;
  readonly inTxHashes: readonly string[];
  readonly txHashes: readonly string[];
  readonly updatedAt: number;
  readonly originChainId: number;
  readonly destinationChainId: number;
  readonly failReason: string;
  readonly refundFailReason: string;
  readonly details: unknown;
}

export interface TransactionRecord {
  readonly txHash: string;
  readonly status: string;
  readonly chainId: number;
  readonly block: number;
  readonly type: string;
  readonly fee: string;
  readonly timestamp: number;
}

export interface RequestRecord {
  readonly id: string;
  readonly status: string;
  readonly user: string;
  readonly recipient: string;
  readonly sender: string | null;
  readonly refundTo: string | null;
  readonly depositAddress: {
    readonly address: string;
    readonly type: string;
    readonly depositor: string | null;
    readonly depositTxHash: string | null;
    readonly recoveryAddress: string | null;
  } | null;
  readonly data: {
    readonly failReason: string | null;
    readonly refundFailReason: string | null;
    readonly refundCurrencyData: Amount | null;
    readonly failedTxHash?: string | null;
    readonly failedCallData?: unknown;
    readonly inTxs: readonly TransactionRecord[];
    readonly outTxs: readonly TransactionRecord[];
    readonly route: {
      readonly quoted: RouteRecord;
      readonly actual: RouteRecord | null;
      readonly includedDestinationSwapSources: readonly string[];
    };
  } & Readonly<Record<string, unknown>>;
  readonly requestType: string;
  readonly createdAt: string;
  readonly parentRequestId?: string | null;
}

interface RouteRecord {
  readonly origin: { readonly inputCurrency: Amount | null; readonly outputCurrency: Amount | null };
  readonly destination: { readonly inputCurrency: Amount | null; readonly outputCurrency: Amount | null };
}

/** The operator's audit of the books and of open work. */
export interface Audit {
  readonly balanced: boolean;
  /** Nothing is missing; arrivals may not be booked yet. */
  readonly covered: boolean;
  readonly unsettled: number;
  readonly pots: readonly { readonly account: string; readonly ledger: string; readonly difference: string | null }[];
  /** Deposit addresses with money that is not swept. */
  readonly addresses: readonly { readonly address: string; readonly currency: string; readonly ledger: string }[];
  readonly lanes: readonly {
    readonly chainId: number;
    readonly signer: string;
    readonly halted: string | null;
    readonly openKeys: number;
  }[];
}

export interface ErrorBody {
  readonly errorCode: string;
  readonly message: string;
  readonly statusCode: number;
  readonly retriable: boolean;
  readonly errorData?: { readonly field?: string; readonly reason?: string; readonly minimum?: string };
}

export interface Reply<T> {
  readonly status: number;
  readonly headers: Headers;
  readonly body: T;
}

/** One service over HTTP; asserts only that bodies are JSON. */
export class Rest {
  constructor(
    readonly baseUrl: string,
    readonly apiKey: string,
    readonly adminKey: string,
  ) {}

  async call<T>(
    method: string,
    path: string,
    options: { body?: unknown; raw?: string; key?: string } = {},
  ): Promise<Reply<T>> {
    const payload = options.raw ?? (options.body === undefined ? undefined : JSON.stringify(options.body));
    const response = await fetch(`${this.baseUrl}${path}`, {
      method,
      headers: {
        ...(payload === undefined ? {} : { 'content-type': 'application/json' }),
        ...(options.key === undefined ? {} : { 'x-api-key': options.key }),
      },
      ...(payload === undefined ? {} : { body: payload }),
    });
    const text = await response.text();
    let body: unknown;
    try {
      body = JSON.parse(text);
    } catch {
      throw new Error(
        `${method} ${path} answered ${response.status} with something that is not JSON: ${text.slice(0, 200)}`,
      );
    }
    return { status: response.status, headers: response.headers, body: body as T };
  }

  /** @throws unless the status is exactly 200. */
  async quote(body: Readonly<Record<string, unknown>>, key?: string): Promise<Quote> {
    const reply = await this.call<Quote>('POST', '/quote/v2', { body, ...(key === undefined ? {} : { key }) });
    if (reply.status !== 200) throw new Error(`quote answered ${reply.status}: ${JSON.stringify(reply.body)}`);
    return reply.body;
  }

  refusedQuote(body: unknown): Promise<Reply<ErrorBody>> {
    return this.call<ErrorBody>('POST', '/quote/v2', { body });
  }

  async status(requestId: string): Promise<Status> {
    const reply = await this.call<Status>('GET', `/intents/status/v3?requestId=${requestId}`);
    if (reply.status !== 200) throw new Error(`status answered ${reply.status}: ${JSON.stringify(reply.body)}`);
    return reply.body;
  }

  async requests(query: Readonly<Record<string, string | number | boolean>>): Promise<{
    readonly requests: readonly RequestRecord[];
    readonly continuation?: string;
    readonly total?: number;
  }> {
    const search = new URLSearchParams(
      Object.entries(query).map(([name, value]): [string, string] => [name, String(value)]),
    );
    const reply = await this.call<{ requests: RequestRecord[]; continuation?: string; total?: number }>(
      'GET',
      `/requests/v3?${search}`,
      { key: this.apiKey },
    );
    if (reply.status !== 200) throw new Error(`requests answered ${reply.status}: ${JSON.stringify(reply.body)}`);
    return reply.body;
  }

  async request(id: string): Promise<RequestRecord> {
    const { requests } = await this.requests({ id });
    const found = requests[0];
    if (found === undefined) throw new Error(`no request ${id}`);
    return found;
  }

  async audit(): Promise<Audit> {
    const response = await fetch(`${this.baseUrl}/admin/audit`, { headers: { 'x-admin-key': this.adminKey } });
    if (response.status !== 200) throw new Error(`the audit answered ${response.status}: ${await response.text()}`);
    return (await response.json()) as Audit;
  }

  /** As duplicate deposits. */
  async children(parentId: string): Promise<readonly RequestRecord[]> {
    const { requests } = await this.requests({ id: parentId, includeChildRequests: true });
    return requests.filter((request) => request.id !== parentId);
  }
}

/** The request id that clients read: the first step's. */
export function requestIdOf(quote: Quote): string {
  const id = quote.steps[0]?.requestId;
  if (id === undefined) throw new Error('the quote has no steps');
  return id;
}
