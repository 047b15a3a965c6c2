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
      'Which side `amount` fixes. `EXACT_OUTPUT` delivers exactly that amount, `EXPECTED_OUTPUT` at least that amount less the slippage tolerance.',
  }),
};

const PARTIES = {
  recipient: address('An address of the destination chain; `user` when absent.'),
  refundTo: address(
    'Recipient of refunds on the origin chain. Absent, or the native sentinel: `user`; with `useDepositAddress` no account, so what cannot be filled is held.',
  ),
  recoveryAddress: address(
    'Recipient on the origin chain of payments to the deposit address, if the recipient or the user is blocked later.',
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
    description: 'Seconds from the quote; a deposit that is not filled by then is refunded.',
  }),
  appFees: list(
    object({
      recipient: address('An account of the solver chain.'),
      fee: textOrWhole({ maxLength: 8, description: 'Basis points of the input.' }),
    }),
    { maxItems: 16, description: 'App fees of the integrator.' },
  ),
  includeProtocolData: yes('Adds `protocol.v2.orderSignature`.'),
  originGasOverhead: textOrWhole({
    minimum: 0,
    maximum: Number.MAX_SAFE_INTEGER,
    maxLength: 15,
    pattern: '^[0-9]+$',
    description: 'Gas that a smart wallet adds to each transaction of the payer; included in `fees.gas`.',
  }),
  refundOnOrigin: yes('Deprecated: refunds are always made on the origin chain.'),
  enableTrueExactOutput: yes(
    'True: input that a swap with an exact output does not need stays with the solver. Otherwise all of it is swapped, and the recipient receives the surplus.',
  ),
  useFallbacks: yes(
    'True: if the swap of a fill fails, the recipient receives the currency that would have been swapped, and the status is `fallback`.',
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
          'Value of the call before a client rewrote it, in the format of `value`: validated, otherwise without effect.',
        ),
      },
    ),
    {
      maxItems: 32,
      description:
        'Calls on the destination chain, executed in order with the delivered funds; the rest goes to the recipient. All succeed, or the deposit is refunded.',
    },
  ),
  txsGasLimit: count(
    'Maximum gas of all `txs`: the quote charges it, and the fill uses no more. Absent: the simulated gas.',
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
        'Authorizations (EIP-7702) in the fill on the destination chain, in effect before `txs`: at most 8, and only with `txs`.',
    },
  ),
};

const EXECUTION = {
  useDepositAddress: yes(
    'Returns a plain address that anyone can pay: each transfer to it is quoted when it arrives (open), unless `strict`.',
  ),
  strict: yes(
    'The deposit address is for this quote only: a smaller transfer is refunded, as is the excess of a larger one. Requires `refundTo`.',
  ),
  usePermit: yes(
    'The payer signs its deposit, and the service sends it: for tokens, without a deposit address, and within one chain only where the app balance pays the `execution` (`subsidizeFees`). Its gas is in `fees.relayerGas`.',
  ),
  permitExpiry: count(
    'Seconds from the quote until the permit expires, 30 to 3600, and never after the order (`details.deadlineAt`); 600 where absent.',
  ),
  explicitDeposit: yes(
    'False: the deposit is a plain transfer of the token to the depository, with the order id appended to its calldata. Not for native coin, and only if the origin chain supports it; no effect with `useDepositAddress`.',
  ),
  useNonceMapping: yes(
    'The payer signs which of its transactions is the deposit: the steps are that signature for `POST /authorize` and a plain transfer of the token that names no order. Not for native coin, not with other ways to deposit, and only if the origin chain supports it.',
  ),
  depositNonce: count(
    "Nonce of that transaction; absent: of the payer's next one. No effect without `useNonceMapping`.",
  ),
  topupGas: yes('Native coin for the recipient in addition to the output. No effect where the output is native coin.'),
  topupGasAmount: microUsd('Its value, 2 USD where absent. No effect without `topupGas`.'),
  useExternalLiquidity: yes('Only through a liquidity source, however much the inventory has of what is asked for.'),
  forceSolverExecution: yes(
    'For a transfer within one chain that users could execute themselves: the solver executes it from its inventory.',
  ),
  fixedRate: note(
    'With an API key, if the service offers fixed rates: the minimum acceptable rate, output per input in whole units as in `details.rate`, with at most 18 decimal places; `0`: any. The rate in `details.rate` is then fixed until `details.expiresAt`.',
  ),
  depositFeePayer: address(
    'Account, other than `user`, that pays the network fee of the deposit, if the origin chain supports fee payers.',
  ),
  useSharedAccounts: yes('Hint for swaps of some chains; no effect on others.'),
  includeComputeUnitLimit: yes('The deposit sets a limit of compute units, if the origin chain has them.'),
  maxRouteLength: count('Most pools that a swap may pass; 0 or absent for any number.'),
};

const SPONSORSHIP = {
  subsidizeFees: yes(
    'The app balance of the API key pays the fees of `sponsoredFeeComponents`. Requires a key with the scope `execute` and a linked funding address; not for open deposit addresses.',
  ),
  subsidizeRent: yes('Older form of the component `rent`; also alone.'),
  sponsoredFeeComponents: list(oneOf(['execution', 'swap', 'relay', 'platform', 'app', 'rent']), {
    maxItems: 16,
    description:
      'Fees that `subsidizeFees` pays. Absent: `execution`, `swap`, `relay` and `app`. `platform` is the same as `relay`. The gas of a top-up is never sponsored; the loss of swaps is not sponsored with `overridePriceImpact`.',
  }),
  maxSubsidizationAmount: microUsd(
    'Maximum that the app balance pays; the user pays the rest. No effect without sponsorship.',
  ),
};

const SWAPS = {
  includedSwapSources: names(
    'Liquidity sources that swaps may use, by their names in `GET /swap-sources`. Empty: all.',
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
