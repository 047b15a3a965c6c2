import type { AddressView } from '../../capabilities/deposit-addresses/record.js';
import { rateText } from '../../domain/percent.js';
import type { requestRecord } from '../record/request-record.js';
import type { TransactionView } from '../record/transactions.js';
import type { TypeOf } from '../schema.js';
import type { LEGACY_RECORD } from '../schemas/legacy-record.js';

type RequestRecord = ReturnType<typeof requestRecord> & {
  readonly data: { readonly referrer?: string | null };
};

/**
 * Derived from the v3 record, so that both agree. Fees are in the origin currency; the kinds `fixed` and `gateway` do
 * not exist.
 */
export function legacyRecord(record: RequestRecord): TypeOf<typeof LEGACY_RECORD> {
  const { data } = record;
  const { route, appFees } = data;
  const fees = data.fees.actual ?? data.fees.quoted;
  const delivered = route.actual?.origin.outputCurrency ? route.actual : null;
  const { origin, destination } = delivered ?? route.quoted;
  const [currencyIn, currencyOut] = [origin.inputCurrency, destination.outputCurrency ?? destination.inputCurrency];
  const rate = rateText(
    BigInt(currencyIn.amount),
    currencyIn.currency.decimals,
    BigInt(currencyOut.amount),
    currencyOut.currency.decimals,
  );
  const symbol = currencyIn.currency.symbol.toLowerCase();
  return {
    id: record.id,
    status: record.status,
    user: record.user,
    recipient: record.recipient,
    depositAddress: record.depositAddress && legacyAddress(record.depositAddress),
    data: {
      slippageTolerance: data.slippageTolerance,
      failReason: data.failReason ?? 'N/A',
      refundFailReason: data.refundFailReason ?? 'N/A',
      fees: { gas: fees.execution.amount, fixed: '0', price: fees.platform.amount, gateway: '0' },
      feesUsd: { gas: fees.execution.usd, fixed: '0', price: fees.platform.usd, gateway: '0' },
      inTxs: data.inTxs.map(transaction),
      outTxs: data.outTxs.map(transaction),
      currency: symbol,
      feeCurrency: symbol,
      feeCurrencyObject: data.fees.currency,
      appFees: appFees.quoted,
      paidAppFees: appFees.actual,
      feeSponsorship: { quoted: renamed(data.feeSponsorship.quoted), actual: renamed(data.feeSponsorship.actual) },
      metadata: {
        sender: record.sender ?? record.user,
        recipient: record.recipient,
        currencyIn,
        currencyOut,
        rate,
        route: { origin, destination },
      },
      price: currencyOut.amountFormatted,
      usesExternalLiquidity: data.usesExternalLiquidity,
      timeEstimate: data.timeEstimate,
    },
    referrer: data.referrer ?? null,
    createdAt: record.createdAt,
    updatedAt: record.updatedAt,
  };
}

/** Clients of this listing know the component `platform` as `relay`. */
function renamed(side: RequestRecord['data']['feeSponsorship']['quoted']) {
  const { platform: relay, ...components } = side.components as Readonly<Record<string, object>>;
  const selectedComponents = side.selectedComponents.map((name) => (name === 'platform' ? 'relay' : name));
  return { ...side, selectedComponents, components: { ...components, relay } };
}

function transaction({ txHash, feeUsd: _, ...entry }: TransactionView) {
  return { hash: txHash, ...entry };
}

function legacyAddress({ type, recoveryAddress: _, ...rest }: AddressView) {
  return { ...rest, depositAddressType: type };
}
