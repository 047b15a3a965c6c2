import type {
  ChainAdapter,
  ChainCapabilities,
  ChainFacts,
  CostEstimate,
  Currency,
  DepositStep,
  DestinationCall,
  Hex,
  LegCheck,
} from '../../../src/contract/index.js';
import { EVERY_LEG } from '../../../src/contract/legs.js';

export const BURN = `0x${'0'.repeat(36)}dead`;
export const NATIVE = `0x${'0'.repeat(40)}`;
export const address = (digit: string): string => `0x${digit.repeat(40)}`;
export const TOKEN = address('a');
export const OTHER_TOKEN = address('b');
export const CHECKED_TOKEN = address('c');

export const INVENTORY = `0x${'fa'.repeat(20)}`;
export const EXECUTOR = `0x${'ec'.repeat(20)}`;

export interface ChainState {
  healthy: boolean;
  fill: CostEstimate | undefined;
  collect: CostEstimate | undefined;
  deposit: CostEstimate | undefined;
  check: () => Promise<LegCheck>;
  refuseFill: ChainAdapter['refuseFill'];
  balance: () => Promise<bigint>;
  oversize: { readonly bytes: number; readonly limit: number } | undefined;
  /** Cost of a fill with calls or its refusal; undefined without calls. */
  calls: NonNullable<ChainAdapter['fillCost']> | undefined;
  /** Undefined without authorizations. */
  authorizations: ChainCapabilities['authorizations'];
  feePayers: boolean;
  transferDeposits: ChainCapabilities['transferDeposits'];
  depositAddresses: ChainCapabilities['depositAddresses'];
  verifies: ChainCapabilities['verifyMessage'];
  ownMoney: ChainAdapter['isDepositorsMoney'];
  /** Undefined without calls for others. */
  rawCalls: ChainCapabilities['rawCalls'];
  nonceMappings: ChainCapabilities['nonceMappings'];
  /** Undefined without deposits by permit. */
  permits: ChainCapabilities['permits'];
  readonly hints: string[];
}

export interface ChainDouble {
  readonly adapter: ChainAdapter;
  readonly state: ChainState;
  reset(): void;
}

const HEX_ADDRESS = /^0x[0-9a-f]{40}$/;

/** As long as a real chain's encoding. */
function encodeCall({ to, value, data }: DestinationCall): Hex {
  const words = [to.slice(2), '0', value.toString(16), '0', '0'].map((word) => word.padStart(64, '0'));
  return `0x${words.join('')}${data.slice(2)}`;
}

/** The signer is in the last 20 bytes of `r`. */
const readAuthorization: NonNullable<ChainCapabilities['authorizations']>['read'] = ({ address: code, r }) =>
  /^0x[0-9a-f]{64}$/.test(r)
    ? { ok: true, encoded: r as Hex, account: `0x${r.slice(-40)}`, code: code.toLowerCase() }
    : { ok: false, field: 'r', reason: 'must be 32 bytes of hex' };

/** Cached data of a chain. I/O throws, so that a quote that asks the chain fails its test. */
export function chainDouble(id: number, name: string): ChainDouble {
  const start = () => ({
    healthy: true,
    fill: { native: 100_000_000_000_000n, at: 0 },
    collect: { native: 50_000_000_000_000n, at: 0 },
    deposit: { native: 60_000_000_000_000n, at: 0 },
    check: () => Promise.reject(new Error('no test may query the chain')),
    balance: () => Promise.reject(new Error('no test may query the chain')),
    refuseFill: undefined,
    oversize: undefined,
    calls: async () => ({ native: 200_000_000_000_000n, work: 300_000n, at: 0 }),
    authorizations: { read: readAuthorization },
    feePayers: false,
    transferDeposits: undefined,
    depositAddresses: undefined,
    verifies: undefined,
    ownMoney: undefined,
    rawCalls: undefined,
    permits: undefined,
    nonceMappings: undefined,
  });
  const state: ChainState = { ...start(), hints: [] };
  const currency = (text: string, symbol: string, decimals: number, group: string, more = {}): Currency => ({
    chainId: id,
    address: text,
    symbol,
    name: `${symbol} on ${name}`,
    decimals,
    isNative: text === NATIVE,
    group,
    verified: true,
    ...more,
  });
  const currencies = [
    currency(NATIVE, 'ETH', 18, 'ether'),
    currency(TOKEN, 'USDC', 6, 'usd-coin', { logoURI: 'https://logo.example/usdc.png' }),
    currency(OTHER_TOKEN, 'DAI', 18, 'dai'),
    currency(CHECKED_TOKEN, 'BLK', 6, 'block', { transferCheck: true }),
  ];
  const native = currencies[0] as Currency;
  const byAddress = new Map(currencies.map((one) => [one.address, one]));
  const parse = (text: string) =>
    HEX_ADDRESS.test(text.toLowerCase())
      ? ({ ok: true, value: text.toLowerCase() } as const)
      : ({ ok: false, reason: 'must be 20 bytes of hex' } as const);
  const facts: ChainFacts = {
    id,
    vmType: 'evm',
    name,
    displayName: name.toUpperCase(),
    network: 'local',
    currency: native,
    explorerUrl: 'https://explorer.example',
    explorerName: 'Explorer',
    explorerPaths: { transaction: '/tx/{hash}', address: '/address/{address}', token: '/token/{address}' },
    publicRpcUrl: `http://${name}.example`,
    publicWsUrl: '',
    iconUrl: '',
    depository: address('d'),
    router: address('e'),
    guarantees: { fillOnce: true, withdrawOnce: true, fillDeadline: true },
    contracts: { depository: address('d') },
    blockTimeMs: 1_000,
    finalityMs: 2_000,
    quoteValidityMs: 30_000,
    burnAddresses: [BURN],
  };
  const refuse = (method: string) => () => {
    throw new Error(`${method} does I/O`);
  };
  const adapter: ChainAdapter = {
    facts,
    get capabilities(): ChainCapabilities {
      const { authorizations, calls, depositAddresses, feePayers, permits, rawCalls, transferDeposits, verifies } =
        state;
      const { nonceMappings } = state;
      return {
        ...(calls
          ? {
              destinationCalls: {
                encode: encodeCall,
                account: (orderId: string) => `0x${orderId.slice(2, 42)}`,
                carriesTopUp: true as const,
              },
            }
          : {}),
        ...(authorizations ? { authorizations } : {}),
        ...(feePayers ? { depositFeePayer: true } : {}),
        ...(transferDeposits ? { transferDeposits } : {}),
        ...(depositAddresses ? { depositAddresses } : {}),
        ...(rawCalls ? { rawCalls } : {}),
        ...(permits ? { permits } : {}),
        ...(nonceMappings ? { nonceMappings } : {}),
        ...(verifies ? { verifyMessage: verifies } : {}),
      };
    },
    // No extra event-loop turn: a fake clock may expire at once.
    fillCost: (wish) => (wish.calls && state.calls ? state.calls(wish) : Promise.resolve(undefined)),
    get isDepositorsMoney() {
      return state.ownMoney as NonNullable<ChainAdapter['isDepositorsMoney']>;
    },
    refuseFill: (wish) => state.refuseFill?.(wish),
    parseAddress: parse,
    addressBytes: (text) => Buffer.from(text.slice(2), 'hex'),
    isTokenContract: (text) => text !== NATIVE && byAddress.has(text),
    currency: (text) => byAddress.get(text.toLowerCase()),
    currencies: () => currencies,
    orderExtraData: () => `0x${address('e').slice(2).padStart(64, '0')}` as Hex,
    status: () => ({ healthy: state.healthy, reason: state.healthy ? null : 'no provider answers', head: null }),
    legCost: (kind) => (kind === 'fill' ? state.fill : state.collect),
    // 1 gwei for the wallet's extra gas.
    depositCost: (_, overhead = 0n) =>
      state.deposit && { ...state.deposit, native: state.deposit.native + overhead * 1_000_000_000n },
    laneBalance: () => undefined,
    userBalance: () => state.balance(),
    potBalance: refuse('potBalance'),
    depositSteps: ({ payer, currency: token, amount, orderId, ...asked }): readonly DepositStep[] => {
      const data = (to: string, call: string, value: bigint) => ({
        data: { from: payer, to, data: call, value: value.toString(), chainId: id },
      });
      const deposit: DepositStep = {
        id: 'deposit',
        action: 'Deposit',
        description: 'Deposit funds',
        items: [{ data: { ...data(facts.depository, orderId, token === NATIVE ? amount : 0n).data, ...asked } }],
      };
      if (token === NATIVE || asked.byTransfer) return [deposit];
      return [{ id: 'approve', action: 'Approve', description: 'Approve', items: [data(token, '0x', 0n)] }, deposit];
    },
    oversize: () => state.oversize,
    watchDeposits: refuse('watchDeposits'),
    hint: (hash) => void state.hints.push(hash),
    acceptDepth: () => 0,
    quorum: () => 1,
    witness: refuse('witness'),
    get lanes() {
      const executor = { signer: EXECUTOR, sends: ['call'] } as const;
      return [{ signer: INVENTORY, sends: EVERY_LEG }, ...(state.rawCalls ? [executor] : [])];
    },
    keys: {
      by: 'position',
      lanePosition: refuse('lanePosition'),
      positionAhead: refuse('positionAhead'),
      keysBetween: refuse('keysBetween'),
      spenderOf: refuse('spenderOf'),
    },
    paidBy: refuse('paidBy'),
    check: () => state.check(),
    prepare: refuse('prepare'),
    sign: refuse('sign'),
    send: refuse('send'),
    look: refuse('look'),
    unfilledForGood: refuse('unfilledForGood'),
    describeTransaction: refuse('describeTransaction'),
    useKey: refuse('useKey'),
  };
  return { adapter, state, reset: () => void Object.assign(state, start()) };
}
