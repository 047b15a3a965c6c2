import { RETIREMENT } from '../../api/index.js';
import { appBalances, assetsOf, dynamic, fixedRate, routeFee } from './fees-schema.js';
import { perSecond, rate, tier } from './rate-limits-schema.js';
import { bps, count, day, duration, keyReference, type Schema, section, usd } from './schema-parts.js';

const limit = (description: string): Schema =>
  usd(`${description} In US dollars; no limit when absent.`, { examples: ['10000'] });

export const SERVICE_SCHEMA: Schema = section(
  'What belongs to the service itself.',
  {
    network: {
      type: 'string',
      enum: ['mainnet', 'testnet', 'local'],
      description: 'The one kind of network that this process serves. Chains of another kind are a config error.',
      examples: ['mainnet'],
    },
    host: { type: 'string', minLength: 1, description: 'Address to listen on.', default: '127.0.0.1' },
    port: {
      type: 'integer',
      minimum: 0,
      maximum: 65_535,
      description: 'Port to listen on; 0 takes a free one.',
      default: 3000,
    },
    metricsPort: {
      type: 'integer',
      minimum: 0,
      maximum: 65_535,
      description:
        'Port of a listener of its own that serves /metrics and /lives without a key, such as to Prometheus on the same host; 0 takes a free one, which is logged. Without it there is none, and /metrics takes the admin key.',
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
      description: 'Where clients reach this service, when that is not host and port.',
      examples: ['https://solver.example.org'],
    },
    database: section('The embedded database, used unless a plugin brings a store.', {
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
          'Folder on a file system in memory that outlives the process, such as a tmpfs of the host. It is noted there what was ' +
          'signed last, so that a start can distinguish this file from an older copy; where it cannot, lanes rest until what ' +
          'a lost part may have signed has run out.',
        default: '/dev/shm',
      },
      leastFreeMb: count(
        'With less than this free on the disk of the database, in megabytes of 1,048,576 bytes, new quotes are answered 503, while what was quoted before is filled and refunded. Only where the store knows what is free, as the embedded one does. 0 to quote whatever is free.',
        512,
        0,
      ),
    }),
    solverChain: {
      type: 'string',
      description:
        'Name of the chain that orders name together with the solver; its accounts are those of recipients of app fees. The solver itself is the account of `orderSigner`, whatever the family of the chain. Default: the first chain.',
      examples: ['base'],
    },
    orderSigner: keyReference('Signs orders; holds no funds. Only `causeway dev` makes one where it is absent.', [
      'env:CAUSEWAY_ORDER_KEY',
      'file:./keys/order.key',
    ]),
    adminKey: keyReference('Opens /admin and /metrics. Without it both are closed.', ['env:CAUSEWAY_ADMIN_KEY']),
    endpointKeys: {
      type: 'array',
      maxItems: 10,
      uniqueItems: true,
      items: keyReference('Encrypts, the first, or reads.', ['env:CAUSEWAY_ENDPOINT_KEY']),
      description:
        'Encrypt the secrets of endpoints that integrators register (`/webhooks/endpoints`) in the database: the first encrypts, all of them read, and a start re-encrypts what the others encrypted. Without any, none can be registered. Each holds at least 32 characters, such as from `openssl rand -hex 32`.',
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
            description: 'Which rates it is held to. Counts when the key is first added.',
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
        'What this process does: serve the REST interface, watch and pay, pass events to notifiers. The embedded database serves one process, which then does everything.',
      default: ['api', 'worker', 'dispatcher'],
    },
    fees: section('What the service takes.', {
      bps: bps('Service fee in basis points of the input, where no route says otherwise.', 5),
      floorUsd: usd('Least service fee in US dollars.', { default: '0' }),
      routes: {
        type: 'array',
        items: routeFee,
        description: 'Exceptions; the first that matches counts.',
        default: [],
      },
      dynamic,
    }),
    slippageBps: bps('Slippage in basis points that quotes allow when the client names none.', 50),
    quotes: section(
      'Balances of payers in quotes. Nothing is decided upon them, and a quote that has none leaves it out.',
      {
        balancesPerSecond: count(
          "Most balances of payers that are looked up per second and chain, however many quotes there are; 0 for none. What is found is in the payer's later quotes.",
          5,
          0,
          1_000,
        ),
        balanceWaitMs: count('Longest that a quote itself waits for a balance, in milliseconds.', 0, 0, 100),
        unpaidPerPayer: count(
          'Most quotes for one pair of two assets that a payer may have valid and unpaid, as each process counts them; above, 429. 0 for no limit.',
          200,
          0,
        ),
        addressesPerDay: count(
          'Most deposit addresses that a caller (a key, or a network without one) is given in a UTC day, as each process counts them; above, 429. Every address is kept and watched for ever. 0 for no limit.',
          1_000,
          0,
        ),
        keepAnonymous: duration(
          'An unpaid quote of a caller without a key is kept whole for this long after its order may no longer be filled, at most 30 days, as those of callers with a key are; afterwards only whom a payment for it goes back to, for ever.',
          '6h',
        ),
        mostAnonymous: count(
          'Most unpaid quotes of callers without a key that are kept whole, all together; above, such callers are answered 503 and callers with a key are quoted. 0 for no limit.',
          200_000,
          0,
        ),
      },
    ),
    events: section('How changes of requests are delivered to endpoints.', {
      keepDeliveries: duration(
        'How long a delivery stays in the log of its endpoint after it was accepted or abandoned. Pending ones always stay.',
        '30d',
      ),
    }),
    spread: section(
      'Taken of pairs of two different assets for the risk that their price moves between a quote and its fill; shown in the fees. While the price moves by no more, a quote is kept to the unit; beyond, the fill pays what the price of then gives, and below `minimumAmount` the deposit is paid back.',
      {
        bps: bps('Taken in any case, in basis points of the input.', 10),
        perRootMinuteBps: bps(
          'Taken besides, times the square root of the minutes that the price is old and the quote is valid.',
          6,
        ),
        assets: assetsOf([{ groups: ['usd-coin', 'tether', 'dai'], bps: 3, perRootMinuteBps: 1 }]),
      },
    ),
    fixedRate: fixedRate,
    appBalances,
    swaps: section(
      'Swaps through liquidity sources.',
      {
        mostImpactBps: bps(
          'A swap that loses more than this to the price of the market is not quoted, unless the client accepts any (`overridePriceImpact`).',
          1000,
        ),
      },
      [],
    ),
    topUp: section('Native coin in addition to an output, so that its recipient can pay for gas.', {
      maxUsd: usd('Most that one request may ask for, in US dollars.', { default: '20' }),
    }),
    groups: section(
      'Currencies of one asset group are exchanged one to one: never for more than that, nor for more than what was paid in is worth.',
      {
        mostPartedBps: bps(
          'Members whose own prices part by more are not exchanged until they are together again, and an alert is raised.',
          100,
        ),
      },
    ),
    limits: section('Caps that are checked when a deposit is accepted.', {
      maxRequestUsd: limit('Largest single request.'),
      maxUnfinalUsd: limit('Most value acted upon before its deposits are final, per origin chain and currency.'),
      maxDailyUsd: limit('Most value accepted per UTC day.'),
      dustUsd: usd(
        'Transfers that nothing was promised for, or that are no use to their order, are kept below this value, in US dollars, without a request: paying them back would cost more.',
        { default: '0.10' },
      ),
    }),
    custodians: {
      type: 'array',
      description:
        'Accounts that hold the money of many, as exchanges do. What comes from one of them without an order is held and not paid back there, and no quote pays to one unless it needs no memo.',
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
              'They identify their customers by a memo. Payments have none, so such an address is refused as recipient and as recipient of refunds. `false` for addresses that belong to one customer each.',
          },
        },
        ['chainId', 'addresses'],
      ),
    },
    orders: section('Deadlines.', {
      ttl: duration(
        'An order may be filled until the end of its quote plus this. Longer than the finality of each chain that is paid out on.',
        '30m',
      ),
      deadlineMargin: duration(
        "No fill is signed nearer to its deadline than the destination's finality plus this.",
        '15s',
      ),
      confirmationTimeout: duration(
        "A deposit that waits in a public pool and is in no block after this, and past its order's deadline, fails its request; should it land all the same, it is paid back.",
        '24h',
      ),
      withdrawalTtl: duration('How long a signed withdrawal from a depository stays valid.', '1h'),
    }),
    fills: section('Sending.', {
      confirmations: count('Blocks that include a fill before the request is a success.', 1, 1),
      bumpAfterBlocks: count(
        'A transaction is replaced with a higher fee after this many blocks without inclusion.',
        3,
        1,
      ),
      inclusionWindow: duration('Without inclusion for this long, a transaction is closed with a no-op.', '5m'),
      gasReserveFills: count('Native coin that a signer keeps for gas, in fills; below it an alert is raised.', 20, 0),
      giveUpShortAfter: duration(
        'A fill that its signer holds too little for is given up after this, and its deposit paid back, unless what it lacks can still come from fills under way or from the depository. Longer than `orders.ttl`: it waits until its deadline.',
        '2m',
      ),
    }),
    collect: section('Moving settled deposits into inventory.', {
      every: duration('How often to look for deposits to collect.', '1m'),
      minUsd: usd('Least value in US dollars that is worth a collect transaction.', { default: '10' }),
    }),
    leaseTtl: {
      type: 'string',
      pattern: '^[1-9][0-9]*(s|m)$',
      description:
        'How long a process may work on a chain or lane without renewing its lease; renewed three times as often. After a crash, other processes of the same database wait this long before they take over.',
      default: '3s',
    },
    reconcileEvery: duration('How often open work is compared with what the chains prove.', '30s'),
    requests: section('Listing of requests.', {
      anonymousRead: {
        type: 'string',
        enum: ['off', 'by-user-or-id'],
        description: 'Whether callers without a key may list requests when they name a user or an id.',
        default: 'off',
      },
      retirement: section('How the older listings, GET /requests and /requests/v2, go. Days begin at 00:00 UTC.', {
        deprecatedAt: day('From this day on their answers carry a notice.', RETIREMENT.deprecatedAt),
        sunsetAt: day('From this day on they answer 410.', RETIREMENT.sunsetAt),
        throttle: {
          type: 'array',
          description: 'What is left of their rate, step by step.',
          default: RETIREMENT.throttle,
          items: section(
            'One step.',
            {
              from: day('First day.'),
              percent: {
                type: 'integer',
                minimum: 0,
                maximum: 100,
                description: 'Of the rate; at least one request.',
                examples: [50],
              },
            },
            ['from', 'percent'],
          ),
        },
        migrationGuide: {
          type: 'string',
          pattern: '^(/|https?://)[^<>\\s]*$',
          description: 'Where clients are sent to read how to move on.',
          default: RETIREMENT.migrationGuide,
        },
      }),
    }),
    rateLimits: section(
      'Per caller: the API key, else the IP address (IPv6: its /64; a /56 has four times as much in all, a /48 sixteen times). Counted by each process.',
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
    http: section('What the server puts up with.', {
      maxHeaderBytes: count('Headers of a request, with its URL, in bytes; above, 431.', 16_384, 1_024, 1_048_576),
      requestWithin: duration('A request that is not whole by then is answered 408.', '30s'),
      answerWithin: duration('An answer that takes longer is given up with 503; operators wait.', '30s'),
      maxInProgress: count('Requests in progress at once; above, 503 with Retry-After.', 2_000, 1),
      maxLoopDelay: duration('How late the event loop may be, over about a second; above, 503 with Retry-After.', '1s'),
      maxWebsockets: count('Websockets and event streams open at once; above, 503.', 20_000, 1),
      maxWebsocketsPerAddress: count('Of one IP address (IPv6: its /64), without an API key; above, 429.', 200, 1),
      maxWebsocketsPerKeyedAddress: count(
        'Of one IP address with one API key, sockets and streams together; above, 429.',
        2_000,
        1,
      ),
      resumePositions: count(
        'How many positions back in the event feed followers of a key or a user may resume; earlier events are reported as a gap.',
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
      description: 'Addresses or CIDR ranges of proxies whose X-Forwarded-For is believed.',
      default: [],
    },
    logging: section('Logs go to standard output, one JSON object a line.', {
      level: {
        type: 'string',
        enum: ['debug', 'info', 'warn', 'error', 'silent'],
        description: 'Least level.',
        default: 'info',
      },
    }),
    stopWithin: duration('A stop that takes longer is forced.', '20s'),
  },
  ['network'],
);
