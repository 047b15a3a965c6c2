import { amountText, shortAmount } from '../../format.js';
import type { Audit, Chain } from '../../generated/api.js';
import { Badge } from '../../parts/badge.js';
import { Card, Scroll } from '../../parts/card.js';
import { Hash } from '../../parts/copy.js';
import { chainName, chainOf, currencyOf, useChains } from '../../state/chains.js';

type Pot = Audit['pots'][number];

/** The books compared with the chains: accounts that differ, each with what is missing or not booked yet. */
export function BooksCard({ of }: { readonly of: Audit }) {
  const chains = useChains();
  const differ = of.pots.filter(({ difference, drift }) => (difference ?? '0') !== '0' || (drift ?? '0') !== '0');
  const explained = of.pots.every(({ drift }) => (drift ?? '0') === '0');
  const orphans = of.orphans.filter((one) => one.count > 0);
  return (
    <Card title="Books" hint={`${of.pots.length} accounts`}>
      <div class="body row">
        {of.balanced ? (
          <Badge text="Books and chains agree to the last unit" tone="good" />
        ) : of.covered ? (
          <Badge text="Covered: arrivals are not booked yet" tone="busy" />
        ) : explained ? (
          <Badge text="Every difference is explained by what is under way" tone="busy" />
        ) : (
          <Badge text="Books and chains differ" tone="bad" />
        )}
        {orphans.map(({ what, count }) => (
          <Badge key={what} text={`${count} ${what} without an owner`} tone="bad" />
        ))}
      </div>
      {differ.length > 0 && (
        <Scroll label="Table of differences">
          <table>
            <thead>
              <tr>
                <th>Account</th>
                <th class="num">In the books</th>
                <th class="num">On chain, less books</th>
                <th class="num">Not explained</th>
              </tr>
            </thead>
            <tbody>
              {differ.map((pot) => (
                <Row key={pot.account} pot={pot} chains={chains} />
              ))}
            </tbody>
          </table>
        </Scroll>
      )}
    </Card>
  );
}

/** `inventory:CHAIN:OWNER:CURRENCY` or `depository:CHAIN:CURRENCY`. */
function Row({
  pot: { account, ledger, difference, drift },
  chains,
}: {
  readonly pot: Pot;
  readonly chains: readonly Chain[];
}) {
  const [kind = '', chain = '', ...rest] = account.split(':');
  const currency = rest.at(-1) ?? '';
  const known = currencyOf(chainOf(chains, Number(chain)), currency);
  const units = (amount: string | null) =>
    amount === null ? '–' : known ? `${shortAmount(amountText(amount, known.decimals))} ${known.symbol}` : amount;
  return (
    <tr>
      <td>
        {chainName(chains, Number(chain))}, {kind} {rest.length > 1 && <Hash value={rest[0] ?? ''} what="account" />}
      </td>
      <td class="num">{units(ledger)}</td>
      <td class="num">{units(difference)}</td>
      <td class="num">{units(drift)}</td>
    </tr>
  );
}
