import { REQUEST_FEATURES } from '../../domain/features.js';
import { flag, integer, number, object, oneOf, type TypeOf, text } from '../schema.js';

const word = (description: string, rules = {}) => text({ minLength: 1, maxLength: 256, description, ...rules });
const chain = (description: string) => integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER, description });
const time = (description: string) => integer({ minimum: 0, maximum: 100_000_000_000, description });
const block = (description: string) => integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER, description });
const amount = (description: string) => number({ minimum: 0, description });
const words = (description: string) => text({ minLength: 1, maxLength: 8_192, description });

export const LISTED_STATUSES = ['success', 'failure', 'refund', 'pending', 'depositing'] as const;

const EITHER_TIME = 'Unix seconds, inclusive; bounds `createdAt`, or `updatedAt` when sorted by that.';

/** Query of `GET /requests/v3`. filter.ts checks values whose form depends on a chain or a table. */
export const LISTING_QUERY = object(
  {},
  {
    limit: integer({ minimum: 1, maximum: 50, default: 20, description: 'Page size.' }),
    continuation: text({ minLength: 1, maxLength: 1_024, description: 'Cursor of the previous answer.' }),
    user: word('Wallet: user, sender or depositor of a deposit address.'),
    term: word(
      'Request id, also of the parent, order id, wallet, deposit address or hash of any transaction. A hash also finds what is held of it.',
    ),
    id: word('Request id. The id of a quote that was never funded finds its child requests.'),
    orderId: word('Order id of the protocol.'),
    depositTxHash: word('Hash of a deposit.'),
    fillTxHash: word('Hash of a fill.'),
    refundTxHash: word('Hash of a refund.'),
    originChainId: chain('Chain of the deposit.'),
    destinationChainId: chain('Chain of the fill.'),
    chainId: chain('Either chain; not looked at when one of the two is named.'),
    privateChainsToInclude: words('UUIDs of private chains that the key was granted, separated by commas.'),
    depositAddress: word('Deposit address.'),
    recipient: word('Recipient.'),
    status: oneOf(LISTED_STATUSES, { description: 'Status; `refund` includes fallbacks.' }),
    failReason: word('Why the request failed; `N/A` for no reason.'),
    refundFailReason: word('Why the refund could not be paid; `N/A` for no reason.'),
    apiKey: words('Keys, or ids of keys of the caller’s own integrator, separated by commas; any of them.'),
    referrer: word('Exact; only together with `apiKey`, with keys of the caller.'),
    requestType: word('Type of request, in any case.'),
    currencyInChainId: chain('Chain of the input currency.'),
    currencyOutChainId: chain('Chain of the output currency.'),
    currencyInAddress: word('Address of the input currency.'),
    currencyOutAddress: word('Address of the output currency.'),
    currencyInSymbol: word('Symbol of the input currency on any chain, in any case.'),
    currencyOutSymbol: word('Symbol of the output currency on any chain, in any case.'),
    sortBy: oneOf(['createdAt', 'updatedAt', 'amountUsd'], {
      default: 'createdAt',
      description: 'Requests without an amount come last in either direction.',
    }),
    sortDirection: oneOf(['asc', 'desc'], { description: 'By default `desc` for times, `asc` for `amountUsd`.' }),
    startTimestamp: time(EITHER_TIME),
    endTimestamp: time(EITHER_TIME),
    startBlock: block('A transaction of the request is in this block or a later one; with `originChainId` one there.'),
    endBlock: block('The same transaction is in this block or an earlier one.'),
    amountUsdMin: amount('US dollars of the input, at quote time.'),
    amountUsdMax: amount('US dollars of the input, at quote time.'),
    appFeesAmountUsdMin: amount('US dollars of all app fees as quoted.'),
    appFeesAmountUsdMax: amount('US dollars of all app fees as quoted.'),
    fillTimeMin: amount('Seconds from the first sight of the deposit to the inclusion of the fill.'),
    fillTimeMax: amount('Seconds from the first sight of the deposit to the inclusion of the fill.'),
    features: words(`At least one of these, separated by commas: ${REQUEST_FEATURES.join(', ')}.`),
    includeAuthenticatedData: flag({
      default: false,
      description: 'Adds `referrer`, `platformFee` and `apiKeyName` to requests of the caller’s own integrator.',
    }),
    includeChildRequests: flag({ default: false, description: 'With `id`: also its child requests.' }),
    includeTotal: flag({ default: false, description: 'Adds the exact number of matches, whatever the page.' }),
    filters: text({
      minLength: 1,
      maxLength: 16_384,
      description:
        'JSON array of groups: fields of a group all hold, for one group. `not:` before a key negates; an array is any of ' +
        'its values; null means that the field is missing.',
    }),
  },
);

export type ListingQuery = TypeOf<typeof LISTING_QUERY>;
