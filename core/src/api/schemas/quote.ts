import { anything, flag, integer, list, object, oneOf, type Shape, text } from '../schema.js';

const address = (description: string) => text({ minLength: 1, maxLength: 256, description });
const note = (description: string) => text({ maxLength: 1024, description });
const yes = (description: string) => flag({ description });
const names = (description: string) => list(text({ maxLength: 256 }), { maxItems: 256, description });
const count = (description: string) => integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER, description });
const chainId = (description: string) => count(description);
const microUsd = (description: string) =>
  text({ maxLength: 256, description: `${description} USD with six decimals.` });
/** Checked by quoting, because invalid values have an error code of their own. */
const slippage = (description: string) =>
  anything({ description: `${description} Basis points as an integer string from 0 to 10000.`, examples: ['50'] });
const textOrWhole = (rules: object): Shape<string | number> => ({ type: ['string', 'integer'], ...rules });

const REQUIRED = {
  user: address('Payer and signer, an address of the origin chain.'),
  originChainId: chainId('Where the payer pays.'),
  destinationChainId: chainId('Where the recipient is paid.'),
  originCurrency: address('What the payer pays; the native sentinel of the chain for its coin.'),
  destinationCurrency: address('What the recipient gets.'),
  amount: text({ maxLength: 256, description: 'Smallest unit of the side that `tradeType` fixes, decimal.' }),
  tradeType: oneOf(['EXACT_INPUT', 'EXACT_OUTPUT', 'EXPECTED_OUTPUT'], {
    description:
      'Which side `amount` fixes. `EXACT_OUTPUT` delivers exactly that, `EXPECTED_OUTPUT` that less the slippage tolerance.',
  }),
};

const PARTIES = {
  recipient: address('An address of the destination chain; `user` when absent.'),
  refundTo: address(
    'Where refunds go, an address of the origin chain; `user` when absent. The native sentinel means the same.',
  ),
  recoveryAddress: address(
    'Where what is paid to the deposit address goes if the recipient or the user is blocked later; on the origin.',
  ),
  referrer: note('Kept with the request; the listing filters by it. At most 256 bytes as JSON without an API key.'),
  referrerAddress: note('Checked, and of no effect.'),
  additionalData: object(
    {},
    { userPublicKey: note('Needed by chains whose addresses do not contain it; no effect on others.') },
  ),
};

const TERMS = {
  slippageTolerance: slippage('How much less than quoted still counts as a fill.'),
  latePaymentSlippageTolerance: slippage('The same for a deposit past the validity of the quote.'),
  ttl: integer({
    minimum: 1,
    maximum: 31_536_000,
    description: 'Seconds from the quote; what is not filled by then is refunded.',
  }),
  appFees: list(
    object({
      recipient: address('An account of the solver chain.'),
      fee: textOrWhole({ maxLength: 8, description: 'Basis points of the input.' }),
    }),
    { maxItems: 16, description: 'What the integrator takes.' },
  ),
  includeProtocolData: yes('Adds `protocol.v2.orderSignature`.'),
  originGasOverhead: textOrWhole({
    minimum: 0,
    maximum: Number.MAX_SAFE_INTEGER,
    maxLength: 15,
    pattern: '^[0-9]+$',
    description: 'Gas that a smart wallet adds to each transaction of the payer; counts in `fees.gas`.',
  }),
  refundOnOrigin: yes('Deprecated: refunds are always made on the origin chain.'),
  enableTrueExactOutput: yes(
    'What a swap of an exact output turns out not to take stays with the solver; else all of it is exchanged, and the recipient gets the surplus.',
  ),
  useFallbacks: yes(
    'Where the swap of a fill cannot be made, the recipient gets what the solver would have exchanged, and the status is `fallback`.',
  ),
  overridePriceImpact: yes('Allows any price impact of a swap; else much of it is `SWAP_IMPACT_TOO_HIGH`.'),
};

const CALLS = {
  txs: list(
    object(
      {
        to: address('Contract on the destination chain.'),
        value: note('Native coin, smallest unit: decimal, or hex after 0x. 0 where a token is delivered.'),
        data: text({ description: 'Calldata, hex after 0x.' }),
      },
      {
        originalTxValue: note(
          'Value of the call before a client rewrote it, as `value`: checked, and counted nowhere.',
        ),
      },
    ),
    {
      maxItems: 32,
      description:
        'Calls on the destination chain, made in order with what is delivered; what they leave goes to the recipient. All of it happens, or the deposit is paid back.',
    },
  ),
  txsGasLimit: count(
    'Most gas of all `txs` together: the fill is charged for it, and takes no more. Without it, what they are found to take counts.',
  ),
  gasLimitForDepositSpecifiedTxs: count('Gas limit of calls that a deposit names: not served unless 0.'),
  authorizationList: list(
    object({
      chainId: count('The destination chain, or 0 for any.'),
      address: address('Contract whose code the account has from then on.'),
      nonce: count("The account's nonce on the destination chain, as it is when the fill is sent."),
      yParity: count('Of the signature: 0 or 1.'),
      r: note('Of the signature: hex after 0x.'),
      s: note('Of the signature: hex after 0x.'),
    }),
    {
      maxItems: 64,
      description:
        'Authorizations (EIP-7702) that the fill carries on the destination chain, in effect before `txs` are made: at most 8, and only together with `txs`.',
    },
  ),
};

const EXECUTION = {
  useDepositAddress: yes(
    'A plain address to pay to, from anywhere: each transfer to it is quoted when it comes (open), unless `strict`.',
  ),
  strict: yes(
    'The deposit address is for this quote alone: a smaller transfer is refunded, as is the excess of a larger one. Needs `refundTo`.',
  ),
  usePermit: yes('Not served: must not be true.'),
  permitExpiry: count('Seconds; no effect without `usePermit`.'),
  explicitDeposit: yes(
    'False: the deposit is a transfer of the token itself to the depository, with the order id behind its calldata. Not for native coin, and only where the origin chain can carry it; no effect with `useDepositAddress`.',
  ),
  topupGas: yes('Native coin for the recipient in addition to the output. No effect where the output is native coin.'),
  topupGasAmount: microUsd('Its value, 2 USD where absent. No effect without `topupGas`.'),
  useExternalLiquidity: yes('Only through a liquidity source, however much the inventory has of what is asked for.'),
  forceSolverExecution: yes(
    'Within one chain, where users could execute it by themselves: the solver does, out of its inventory.',
  ),
  fixedRate: note(
    'With an API key, where the service fixes rates: the minimum rate to accept, output per input in whole units as in `details.rate`, with at most 18 digits after the point; `0` for any. The rate in `details.rate` then stays until `details.expiresAt`, whatever prices do.',
  ),
  depositFeePayer: address(
    'Account that pays the network fee of the deposit, another than `user`, where the origin chain distinguishes the two.',
  ),
  useSharedAccounts: yes('Hint for swaps of some chains; no effect on others.'),
  includeComputeUnitLimit: yes(
    'The deposit begins with a limit of its compute units, where the origin chain has such.',
  ),
  maxRouteLength: count('Most pools that a swap may pass; 0 or absent for any number.'),
};

const SPONSORSHIP = {
  subsidizeFees: yes('Not served: must not be true.'),
  subsidizeRent: yes('Not served: must not be true.'),
  sponsoredFeeComponents: list(oneOf(['execution', 'swap', 'relay', 'platform', 'app', 'rent']), {
    maxItems: 16,
    description: 'Not served unless empty.',
  }),
  maxSubsidizationAmount: microUsd('Most that may be sponsored; no effect without sponsorship.'),
};

const SWAPS = {
  includedSwapSources: names(
    'Liquidity sources that swaps may use, as `GET /swap-sources` names them; all of them where empty.',
  ),
  includedOriginSwapSources: names('The same of swaps on the origin chain.'),
  includedDestinationSwapSources: names('The same of swaps on the destination chain.'),
  excludedSwapSources: names('Liquidity sources that no swap may use.'),
  disableSwapProviderPreference: yes('Checked, and of no effect: no source is preferred.'),
  disableOriginSwaps: yes('Deposit what is paid as it is, or not at all: nothing is swapped on the origin chain.'),
};

/** Body of `POST /quote/v2`, `/quote` and `/price`. Unknown fields pass. */
export const QUOTE_BODY = object(REQUIRED, {
  ...PARTIES,
  ...TERMS,
  ...CALLS,
  ...EXECUTION,
  ...SPONSORSHIP,
  ...SWAPS,
});
