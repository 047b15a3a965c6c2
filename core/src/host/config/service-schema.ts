import { RETIREMENT } from '../../api/index.js';
import { appBalances, assetsOf, dynamic, fixedRate, routeFee } from './fees-schema.js';
import { inventory } from './inventory-schema.js';
import { perSecond, rate, tier } from './rate-limits-schema.js';
import { bps, count, day, duration, keyReference, type Schema, section, usd } from './schema-parts.js';

const limit = (description: string): Schema =>
  usd(`${description} In US dollars; no limit when absent.`, { examples: ['10000'] });

export const SERVICE_SCHEMA: Schema = section(
  'Options of the service.',
  {
    network: {
      type: 'string',
      enum: ['mainnet', 'testnet', 'local'],
      description: 'Kind of network that this process serves. A chain of another kind is a config error.',
      examples: ['mainnet'],
    },
    mode: {
      type: 'string',
      enum: ['serve', 'rehearsal'],
      description:
        '`rehearsal`: everything runs against the real providers, without keys and contracts, and nothing is signed or sent. Prices are given, quotes are refused, and `causeway rehearsal` reports what would have been filled, earned and needed.',
      default: 'serve',
    },
    host: { type: 'string', minLength: 1, description: 'Address to listen on.', default: '127.0.0.1' },
    port: {
      type: 'integer',
      minimum: 0,
      maximum: 65_535,
      description: 'Port to listen on; 0: any free port.',
      default: 3000,
    },
    metricsPort: {
      type: 'integer',
      minimum: 0,
      maximum: 65_535,
      description:
        'Port of a separate listener that serves /metrics and /lives without a key, for example to Prometheus on the same host; 0: any free port, which is logged. Absent: no such listener, and /metrics requires the admin key.',
      examples: [9464],
    },
    metricsHost: {
      type: 'string',
      minLength: 1,
      description:
        'Address that `metricsPort` listens on. Every client that reaches it can read all metrics: never use a public address.',
      default: '127.0.0.1',
    },
    publicUrl: {
      type: 'string',
      pattern: '^https?://',
      description: 'URL at which clients reach this service, if it differs from host and port.',
      examples: ['https://solver.example.org'],
    },
    database: section('The embedded database, used unless a plugin provides a store.', {
      file: {
        type: 'string',
        minLength: 1,
        description: 'SQLite file, relative to this file.',
        default: './causeway.db',
      },
      memory: {
        type: 'string',
        pattern: '^/',
        description:
          'Folder on an in-memory file system that outlives the process, such as a tmpfs of the host. The service writes a note of ' +
          'its last signatures there, so that a start can distinguish the database from an older copy. Without the note, lanes ' +
          'send nothing until everything that a lost part may have signed has expired.',
        default: '/dev/shm',
      },
      leastFreeMb: count(
        'Minimum free space on the disk of the database, in megabytes of 1,048,576 bytes. With less, new quotes are refused with 503; existing quotes are still filled and refunded. Requires a store that knows its free space, such as the embedded one. 0: no minimum.',
        512,
        0,
      ),
    }),
    solverChain: {
      type: 'string',
      description:
        "Name of the chain that orders name as the solver's. App fees are paid to accounts of this chain. The solver's account is that of `orderSigner`, for any family. Default: the first chain.",
      examples: ['base'],
    },
    orderSigner: keyReference(
      'Signs orders, which remote signers cannot; holds no funds. If it is absent, only `causeway dev` creates one; a rehearsal needs none.',
      ['env:CAUSEWAY_ORDER_KEY', 'file:./keys/order.key'],
    ),
    adminKey: keyReference('Gives access to /admin and /metrics. Absent: both are disabled.', [
      'env:CAUSEWAY_ADMIN_KEY',
    ]),
    endpointKeys: {
      type: 'array',
      maxItems: 10,
      uniqueItems: true,
      items: keyReference('An encryption key. The first one encrypts; all decrypt.', ['env:CAUSEWAY_ENDPOINT_KEY']),
      description:
        'Keys that encrypt the secrets of webhook endpoints in the database (`/webhooks/endpoints`). The first key encrypts, all keys decrypt, and a start re-encrypts with the first what the others encrypted. Absent: no endpoints can be registered. At least 32 characters each, for example from `openssl rand -hex 32`.',
      default: [],
      examples: [['env:CAUSEWAY_ENDPOINT_KEY']],
    },
    apiKeys: {
      type: 'array',
      description: 'Keys of integrators, added at start and stored hashed.',
      default: [],
      items: section(
        'One API key.',
        {
          name: { type: 'string', minLength: 1, description: 'Display name.', examples: ['my-app'] },
          key: keyReference('The key.', ['file:./keys/my-app.key']),
          tier: {
            type: 'string',
            enum: ['default', 'elevated'],
            description: 'Rate limits of the key. Used only when the key is first added.',
            default: 'default',
          },
        },
        ['name', 'key'],
      ),
    },
    roles: {
      type: 'array',
      minItems: 1,
      uniqueItems: true,
      items: { type: 'string', enum: ['api', 'worker', 'dispatcher'] },
      description:
        'Roles of this process: serve the REST interface (`api`), watch and pay (`worker`), pass events to notifiers (`dispatcher`). The embedded database serves one process, which needs all roles.',
      default: ['api', 'worker', 'dispatcher'],
    },
    fees: section('Fees of the service.', {
      bps: bps('Service fee in basis points of the input, unless a route has its own.', 5),
      floorUsd: usd('Minimum service fee in US dollars.', { default: '0' }),
      routes: {
        type: 'array',
        items: routeFee,
        description: 'Exceptions; the first matching one applies.',
        default: [],
      },
      dynamic,
    }),
    slippageBps: bps('Slippage in basis points that quotes allow if the client sets none.', 50),
    quotes: section(
      "Payers' balances in quotes, and limits of unpaid quotes. Balances are for information only; a quote without one omits it.",
      {
        balancesPerSecond: count(
          'Maximum balances of payers to query per second and chain, for any number of quotes; 0: none. Later quotes of the payer contain the result.',
          5,
          0,
          1_000,
        ),
        balanceWaitMs: count('Maximum time that a quote waits for a balance, in milliseconds.', 0, 0, 100),
        unpaidPerPayer: count(
          'Maximum valid unpaid quotes of a payer for one pair of two assets, counted per process; above, 429. 0: no limit.',
          200,
          0,
        ),
        addressesPerDay: count(
          'Maximum deposit addresses per caller (API key, or network of a caller without one) and UTC day, counted per process; above, 429. Every address is stored and watched permanently. 0: no limit.',
          1_000,
          0,
        ),
        keepAnonymous: duration(
          'Retention of unpaid quotes of callers without a key, after the deadline of their orders; at most 30 days, which is the retention for callers with a key. After that only the refund recipient of a late payment is stored, permanently.',
          '6h',
        ),
        mostAnonymous: count(
          'Maximum stored unpaid quotes of all callers without a key; above, such callers get 503, and callers with a key still get quotes. 0: no limit.',
          200_000,
          0,
        ),
      },
    ),
    events: section('Delivery of status changes to endpoints.', {
      keepDeliveries: duration(
        'Retention of a delivery in the log of its endpoint after it was accepted or abandoned. Pending deliveries are never removed.',
        '30d',
      ),
    }),
    spread: section(
      'Charged on pairs of two different assets for the risk that their price moves between quote and fill; shown in the fees. If the price moves by no more than the spread, the quoted amount is paid exactly. If it moves further, the fill pays the amount at the later price; below `minimumAmount` the deposit is refunded.',
      {
        bps: bps('Fixed part, in basis points of the input.', 10),
        perRootMinuteBps: bps(
          "Added part: multiplied by the square root of the minutes of the price's age plus the quote's validity.",
          6,
        ),
        assets: assetsOf([{ groups: ['usd-coin', 'tether', 'dai'], bps: 3, perRootMinuteBps: 1 }]),
      },
    ),
    fixedRate: fixedRate,
    appBalances,
    inventory,
    swaps: section(
      'Swaps through liquidity sources.',
      {
        mostImpactBps: bps(
          'Maximum loss of a swap against market prices. Above it no quote is given, unless the client accepts any loss (`overridePriceImpact`).',
          1000,
        ),
      },
      [],
    ),
    topUp: section('Native coin in addition to an output, so that its recipient can pay for gas.', {
      maxUsd: usd('Maximum per request, in US dollars.', { default: '20' }),
    }),
    groups: section(
      'Currencies of one asset group are exchanged one to one, and never for more than the value of the input.',
      {
        mostPartedBps: bps(
          'Maximum difference between the prices of two members. Above it they are not exchanged, and an alert is raised.',
          100,
        ),
      },
    ),
    limits: section('Caps that are checked when a deposit is accepted.', {
      maxRequestUsd: limit('Maximum value of one request.'),
      maxUnfinalUsd: limit(
        'Maximum value of deposits that are filled before they are final, per origin chain and currency.',
      ),
      maxDailyUsd: limit('Maximum value accepted per UTC day.'),
      dustUsd: usd(
        'Value in US dollars below which a transfer without an order, or of no use for its order, is only booked: no request is created, and it is not refunded, because that would cost more.',
        { default: '0.10' },
      ),
    }),
    custodians: {
      type: 'array',
      description:
        'Accounts with funds of many customers, such as those of exchanges. A transfer from one of them without an order is held instead of refunded. No quote pays to one that needs a memo.',
      default: [],
      items: section(
        'Custodians of one chain.',
        {
          chainId: { type: 'integer', minimum: 1, description: 'A configured chain.', examples: [1] },
          addresses: {
            type: 'array',
            minItems: 1,
            items: { type: 'string' },
            description: 'Addresses of that chain.',
            examples: [['0x28c6c06298d514db089934071355e5743bf21d60']],
          },
          needsMemo: {
            type: 'boolean',
            default: true,
            description:
              'Whether they identify customers by a memo. Payments carry none, so such an address is refused as recipient and as refund recipient. `false` for addresses that belong to one customer each.',
          },
        },
        ['chainId', 'addresses'],
      ),
    },
    orders: section('Deadlines.', {
      ttl: duration(
        'Time after the end of a quote until which its order may be filled. Must exceed the finality of each destination chain.',
        '30m',
      ),
      deadlineMargin: duration(
        "Margin: no fill is signed closer to its deadline than the destination's finality plus this.",
        '15s',
      ),
      confirmationTimeout: duration(
        "If a deposit in a public pool is in no block after this time and after its order's deadline, its request fails. If it lands later, it is refunded.",
        '24h',
      ),
      withdrawalTtl: duration('Validity of a signed withdrawal from a depository.', '1h'),
    }),
    fills: section('Sending.', {
      confirmations: count('Confirmations of a fill before the request has status `success`.', 1, 1),
      bumpAfterBlocks: count(
        'Number of blocks without inclusion after which a transaction is replaced with a higher fee.',
        3,
        1,
      ),
      inclusionWindow: duration('Time without inclusion after which a transaction is cancelled with a no-op.', '5m'),
      gasReserveFills: count(
        'Gas reserve of a signer in native coin, as a number of fills; below it an alert is raised.',
        20,
        0,
      ),
      giveUpShortAfter: duration(
        'Time after which a fill without enough inventory is cancelled and its deposit refunded, unless the missing amount can still arrive from pending fills or from the depository. Longer than `orders.ttl`: it waits until its deadline.',
        '2m',
      ),
    }),
    collect: section('Moving settled deposits into inventory.', {
      every: duration('Interval of collects.', '1m'),
      minUsd: usd('Minimum value of a collect, in US dollars.', { default: '10' }),
    }),
    leaseTtl: {
      type: 'string',
      pattern: '^[1-9][0-9]*(s|m)$',
      description:
        "Validity of a process's lease on a chain or lane; renewed three times within it. After a crash, other processes of the same database wait this long before they take over.",
      default: '3s',
    },
    reconcileEvery: duration('Interval at which open work is compared with the chains.', '30s'),
    requests: section('Listing of requests.', {
      anonymousRead: {
        type: 'string',
        enum: ['off', 'by-user-or-id'],
        description: 'Whether callers without a key may list the requests of a user or with an id.',
        default: 'off',
      },
      retirement: section('Removal of the older listings, GET /requests and /requests/v2. Days begin at 00:00 UTC.', {
        deprecatedAt: day('From this day on their responses contain a notice.', RETIREMENT.deprecatedAt),
        sunsetAt: day('From this day on they return 410.', RETIREMENT.sunsetAt),
        throttle: {
          type: 'array',
          description: 'Reduction of their rate limit, in steps.',
          default: RETIREMENT.throttle,
          items: section(
            'One step.',
            {
              from: day('First day.'),
              percent: {
                type: 'integer',
                minimum: 0,
                maximum: 100,
                description: 'Percentage of the rate limit that remains; at least one request.',
                examples: [50],
              },
            },
            ['from', 'percent'],
          ),
        },
        migrationGuide: {
          type: 'string',
          pattern: '^(/|https?://)[^<>\\s]*$',
          description: 'URL of a migration guide for clients.',
          default: RETIREMENT.migrationGuide,
        },
      }),
    }),
    rateLimits: section(
      'Rate limits per caller: the API key, otherwise the IP address (IPv6: its /64; a /56 has four times the limit in total, a /48 sixteen times). Counted per process.',
      {
        default: tier('Callers without a key, and keys of the default tier.', '50/min', '200/min', '200/min'),
        elevated: tier('Keys of the elevated tier.', '10/s', '20/s', '10/s'),
        status: rate('Status polling, by IP address even with a key.', '20/s'),
        quotesPerSecond: perSecond('Quotes'),
        statusPerSecond: perSecond('Status polls'),
        requestsPerSecond: perSecond('Listings of requests, old and new each,'),
        otherPerSecond: perSecond('Everything else'),
      },
    ),
    http: section('Limits of the HTTP server.', {
      maxHeaderBytes: count('Headers of a request, with its URL, in bytes; above, 431.', 16_384, 1_024, 1_048_576),
      requestWithin: duration('Time limit to receive a request; later, 408.', '30s'),
      answerWithin: duration('Time limit of a response; later, 503. Does not apply to operators.', '30s'),
      maxInProgress: count('Maximum concurrent requests; above, 503 with Retry-After.', 2_000, 1),
      maxLoopDelay: duration(
        'Maximum delay of the event loop, over about a second; above, 503 with Retry-After.',
        '1s',
      ),
      maxWebsockets: count('Maximum open websockets and event streams; above, 503.', 20_000, 1),
      maxWebsocketsPerAddress: count(
        'Maximum per IP address (IPv6: its /64; a /56 has four times that in total, a /48 sixteen times) without an API key; above, 429.',
        200,
        1,
      ),
      maxWebsocketsPerKeyedAddress: count(
        'Maximum per IP address and API key, sockets and streams together; above, 429.',
        2_000,
        1,
      ),
      resumePositions: count(
        'Number of feed positions that subscribers of a key or a user can go back to resume; earlier events are reported as a gap.',
        100_000,
        1_000,
        100_000_000,
      ),
    }),
    cors: section('Browser clients.', {
      origins: {
        type: 'array',
        items: { type: 'string' },
        description: 'Allowed origins; `*` for any.',
        default: ['*'],
      },
    }),
    trustedProxies: {
      type: 'array',
      items: { type: 'string' },
      description: 'Addresses or CIDR ranges of proxies whose X-Forwarded-For is trusted.',
      default: [],
    },
    logging: section('Logs, on standard output: one JSON object per line.', {
      level: {
        type: 'string',
        enum: ['debug', 'info', 'warn', 'error', 'silent'],
        description: 'Minimum level.',
        default: 'info',
      },
    }),
    stopWithin: duration('Time limit of a clean stop; after it the stop is forced.', '20s'),
  },
  ['network'],
);
