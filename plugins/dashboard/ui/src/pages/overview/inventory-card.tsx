import { amountText, shortAmount, usdText } from '../../format.js';
import type { Overview } from '../../generated/api.js';
import { Badge } from '../../parts/badge.js';
import { Card, Scroll } from '../../parts/card.js';
import { Meter } from '../../parts/meter.js';
import { Empty } from '../../parts/states.js';
import { chainName, useChains } from '../../state/chains.js';

export function InventoryCard({ of: { inventory, limits } }: { readonly of: Overview }) {
  const chains = useChains();
  if (inventory.length === 0)
    return (
      <Card title="Inventory">
        <Empty title="Nothing is held" />
      </Card>
    );
  return (
    <Card title="Inventory" hint="By chain and currency, of all lanes together">
      <Scroll label="Table of inventory">
        <table>
          <thead>
            <tr>
              <th>Chain</th>
              <th>Currency</th>
              <th class="num">Held</th>
              <th class="num">Reserved</th>
              <th class="num">Available</th>
              <th class="num">Target</th>
              <th class="num">Not final yet</th>
            </tr>
          </thead>
          <tbody>
            {inventory.map((one) => {
              const { chainId, currency, symbol, decimals, held, reserved, available, unfinalUsd } = one;
              const units = (amount: string) => (
                <span title={amountText(amount, decimals)}>{shortAmount(amountText(amount, decimals))}</span>
              );
              return (
                <tr key={`${chainId}:${currency}`}>
                  <td class="nowrap">{chainName(chains, chainId)}</td>
                  <td title={currency}>{symbol}</td>
                  <td class="num">{units(held)}</td>
                  <td class="num">{units(reserved)}</td>
                  <td class="num">{units(available)}</td>
                  <td class="num">
                    <Target of={one} />
                  </td>
                  <td class="num">
                    {usdText(unfinalUsd)}
                    {limits.maxUnfinalUsd !== null && (
                      <Meter
                        label={`${symbol} not final, of its limit`}
                        value={Number(unfinalUsd)}
                        most={Number(limits.maxUnfinalUsd)}
                      />
                    )}
                  </td>
                </tr>
              );
            })}
          </tbody>
        </table>
      </Scroll>
    </Card>
  );
}

type Row = Overview['inventory'][number];

function Target({ of: { held, target, min, symbol, decimals } }: { readonly of: Row }) {
  if (target === null || min === null) return <span class="muted">none</span>;
  const units = (amount: string) => shortAmount(amountText(amount, decimals));
  return (
    <>
      {units(target)}
      <Meter label={`${symbol} held, of its target`} value={Number(held)} most={Number(target)} />
      {BigInt(held) < BigInt(min) && (
        <span class="sub">
          <Badge text={`below ${units(min)}`} tone="bad" />
        </span>
      )}
    </>
  );
}
