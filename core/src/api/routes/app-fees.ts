import { account, counter } from '../../domain/accounts.js';
import { valueMicroUsd } from '../../domain/money.js';
import type { FeeBalance } from '../../engine/index.js';
import { type ApiError, invalidRequest } from '../../errors/api-error.js';
import { amountView, currencyView } from '../../quoting/currency-view.js';
import type { ApiDeps } from '../api.js';
import { visibleChains } from '../catalog/visible-chains.js';
import { type Call, ok, type Route, route } from '../route.js';
import { APP_FEE_BALANCES, FEE_WALLET } from '../schemas/app-fees.js';

type Deps = Pick<ApiDeps, 'store' | 'chains' | 'prices' | 'engine'>;

export function appFeesRoute(deps: Deps): Route {
  return route({
    tags: ['Transactions'],
    rate: 'other',
    access: 'open',
    params: { wallet: FEE_WALLET },
    method: 'GET',
    path: '/app-fees/:wallet/balances',
    operationId: 'appFeeBalances',
    summary: 'App fees that are owed to a wallet',
    description:
      'Taken from deposits that were filled, in the currencies of the deposits, as the books have them. `amount` is all that is owed: ' +
      '`claimableAmount` of it can be claimed now, `pendingAmount` once the fills that earned it are final.',
    answers: { 200: APP_FEE_BALANCES },
    handle: ({ params, caller }) => balances(deps, params['wallet'] ?? '', caller),
  });
}

export function noWallet(): ApiError {
  return invalidRequest('wallet', 'is not an address of a chain that is served');
}

/** Canonical spellings on all chains: the books name recipients in the spelling of their chain. */
export function spellings({ chains }: Pick<ApiDeps, 'chains'>, wallet: string): readonly string[] {
  const parsed = [...chains.values()].map((chain) => chain.parseAddress(wallet));
  return [...new Set(parsed.flatMap((one) => (one.ok ? [one.value] : [])))];
}

async function balances(deps: Deps, wallet: string, caller: Call['caller']) {
  const { store, chains, prices, engine } = deps;
  const recipients = spellings(deps, wallet);
  if (recipients.length === 0) return noWallet();
  const owed: object[] = [];
  let [total, available] = [0n, 0n];
  for (const chain of visibleChains(chains, caller)) {
    for (const recipient of recipients) {
      const prefix = account.appFees(chain.facts.id, recipient, '');
      for (const pot of await store.pots(prefix)) {
        // A liability is negative. A currency that left the config is still owed, but cannot be shown.
        const amount = -pot.amount;
        const currency = chain.currency(pot.account.slice(prefix.length));
        if (amount <= 0n || !currency) continue;
        const price = prices.price(currency);
        const place = { chainId: chain.facts.id, wallet: recipient, currency: currency.address };
        const split = splitOf(amount, await engine.feeBalance(place));
        const view = amountView(currencyView(currency), amount, price.ok ? price.usd : null);
        owed.push({ ...view, ...split });
        if (!price.ok) continue;
        const usd = (units: bigint) => valueMicroUsd(units, currency.decimals, price.usd, 'floor');
        total += usd(amount);
        available += usd(BigInt(split.claimableAmount));
      }
    }
  }
  return ok({
    balances: owed,
    totalBalanceUsd: Number(total) / 1_000_000,
    outstandingFastFillBalanceUsd: Number(await atRisk(deps, recipients)) / 1_000_000,
    availableBalanceUsd: Number(available) / 1_000_000,
  });
}

/** Reserved for fast fills by the integrator whose funding address this is; micro-USD. */
async function atRisk({ store }: Deps, recipients: readonly string[]): Promise<bigint> {
  const pots = await store.pots(counter.fastFills(''));
  const some = pots.filter(({ amount }) => amount > 0n);
  if (some.length === 0) return 0n;
  const found = (await store.integrators()).find(
    ({ fundingAddress }) => fundingAddress !== null && recipients.includes(fundingAddress),
  );
  return some.find(({ account: name }) => found !== undefined && name === counter.fastFills(found.id))?.amount ?? 0n;
}

/** Splits what the books owe. Anything booked between the two reads is pending. */
function splitOf(owed: bigint, balance: FeeBalance | undefined) {
  const { claimable, until } = balance ?? { claimable: 0n, until: null };
  const now = claimable < owed ? claimable : owed;
  return {
    claimableAmount: now.toString(),
    pendingAmount: (owed - now).toString(),
    pendingUntil: until === null || now === owed ? null : new Date(until).toISOString(),
  };
}
