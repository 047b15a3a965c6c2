import { expect } from 'vitest';
import type { RequestRecord, Rest } from '../../support/rest.js';
import type { Payment } from '../../support/senders/sender.js';
import { until } from '../../support/until.js';
import type { Row } from './address-rows.js';
import { type Asked, type Family, type Paid, type Played, paymentTo } from './address-world.js';

/** Of what is refunded, its transactions take less than a tenth here. */
const MIN_BACK_BPS = 9_000n;
/** Of what is delivered for transfers that were quoted one by one. */
const MIN_DELIVERED_BPS = 9_800n;

/** Nanotons that a jetton transfer brings its recipient. */
const JETTON_NOTICE = 1n;

export function endOf({ status, data }: RequestRecord): string {
  return [status, data.failReason, data.refundFailReason].filter((part) => part !== null).join(' ');
}

/** Requests that have a transfer: of a strict address its own first, then children. */
export async function requestsOf(
  rest: Rest,
  requestId: string,
  type: 'strict' | 'open',
): Promise<readonly RequestRecord[]> {
  const children = await rest.children(requestId);
  return type === 'strict' ? [await rest.request(requestId), ...children] : children;
}

type Wanted = Pick<Row, 'type' | 'ends' | 'back'>;

/** Waits until these are all ends that there are, in any order, and what goes back is on the chain. */
export async function endsAs(
  rest: Rest,
  { requestId }: Pick<Asked, 'requestId'>,
  { type, ends, back }: Wanted,
  ms = 100_000,
): Promise<readonly RequestRecord[]> {
  const wanted = [...ends].sort().join();
  let seen: readonly string[] = [];
  return until(
    `${requestId} ends as ${wanted}`,
    async () => {
      const found = await requestsOf(rest, requestId, type);
      seen = found.map(endOf).sort();
      const isBack = back === undefined || found.some(({ data }) => data.refundCurrencyData !== null);
      return isBack && seen.join() === wanted ? found : undefined;
    },
    { ms, every: 200, seen: () => seen },
  );
}

export function deliveredIn(records: readonly RequestRecord[]): bigint {
  const filled = records.filter(({ status }) => status === 'success');
  return sum(filled.map(({ data }) => BigInt(data.route.actual?.destination.outputCurrency?.amount ?? 0)));
}

export function paidInto(records: readonly RequestRecord[]): bigint {
  return sum(records.map(({ data }) => BigInt(data.route.actual?.origin.inputCurrency?.amount ?? 0)));
}

/** By the chains: what left, and that it is what the records say, to the unit. */
export async function judge(played: Played, records: readonly RequestRecord[]): Promise<void> {
  const { row, family, recipient, refundTo, recoveryAddress, amountOut } = played;
  const delivered = await family.to.balance(recipient, family.output);
  expect(delivered, 'delivered, by the record').toBe(deliveredIn(records));
  const whole = (amountOut * BigInt(row.delivered ?? 0)) / 100n;
  const afterExpiryMs = lastPaidMs(records) - Number(played.quote.details['expiresAt']);
  if (row.type === 'strict' && !row.isLate)
    expect(delivered, `delivered, paid ${afterExpiryMs} ms after the quote expired`).toBe(whole);
  else expectAbout(delivered, whole);

  const symbols = [family.coin, ...(family.token === undefined ? [] : [family.token])];
  const back = row.back && paymentTo(played, row.back);
  for (const symbol of symbols) {
    const [toRefund, toRecovery] = await Promise.all([
      family.side.balance(refundTo, symbol),
      family.side.balance(recoveryAddress, symbol),
    ]);
    const [right, wrong] = row.isBlocked ? [toRecovery, toRefund] : [toRefund, toRecovery];
    expect(wrong, `${symbol} to the other address`).toBe(0n);
    if (back?.symbol === symbol) {
      expect(right, `${symbol} refunded, by the record`).toBe(refundedIn(records, symbol));
      expectLessCosts(right, back.amount);
    } else expect(right).toBe(isNoticed(family, symbol, back) ? JETTON_NOTICE : 0n);
  }
  showsTransfers(played, played.paid, records);
}

/** On a busy machine a payment can come after its quote's 30 s, and is filled at the price of that time. */
function lastPaidMs(records: readonly RequestRecord[]): number {
  return Math.max(...records.flatMap(({ data }) => data.inTxs.map(({ timestamp }) => timestamp * 1_000)));
}

function isNoticed({ name, coin }: Family, symbol: string, back: Payment | undefined): boolean {
  return name === 'TON' && symbol === coin && back !== undefined;
}

function refundedIn(records: readonly RequestRecord[], symbol: string): bigint {
  const shown = records.map(({ data }) => data.refundCurrencyData);
  return sum(shown.map((one) => (one?.currency.symbol === symbol ? BigInt(one.amount) : 0n)));
}

/** The address, and who paid it with which transaction. */
function showsTransfers(
  { family, address, row }: Played,
  paid: readonly Paid[],
  records: readonly RequestRecord[],
): void {
  for (const { depositAddress } of records)
    expect(depositAddress).toMatchObject({ address: spelt(family, address), type: row.type });
  for (const { data } of records)
    expect(data.inTxs.map(({ status }) => status).filter((status) => status !== 'success')).toEqual([]);
  const payers = records.map(({ depositAddress }) => depositAddress?.depositor);
  expect(payers.sort()).toEqual(paid.map(({ payer }) => spelt(family, payer)).sort());
  const hashes = records.map(({ depositAddress }) => depositAddress?.depositTxHash);
  expect(new Set(hashes).size).toBe(paid.length);
  // On TON a payer knows the hash of its message, and the transfer is another account's transaction.
  if (family.name !== 'TON') expect(hashes.sort()).toEqual(paid.map(({ hash }) => hash).sort());
}

export function spelt({ name }: Family, address: string): string {
  return name === 'EVM' ? address.toLowerCase() : address;
}

export function expectAbout(delivered: bigint, quoted: bigint): void {
  expect(delivered).toBeLessThanOrEqual((quoted * 10_200n) / 10_000n);
  expect(delivered).toBeGreaterThanOrEqual((quoted * MIN_DELIVERED_BPS) / 10_000n);
}

function expectLessCosts(back: bigint, owed: bigint): void {
  expect(back).toBeLessThan(owed);
  expect(back).toBeGreaterThan((owed * MIN_BACK_BPS) / 10_000n);
}

function sum(amounts: readonly bigint[]): bigint {
  return amounts.reduce((all, one) => all + one, 0n);
}
