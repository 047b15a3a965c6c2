import { call } from '../../api/client.js';
import { amountText, count, shortAmount } from '../../format.js';
import type { Overview } from '../../generated/api.js';
import { Act } from '../../parts/act.js';
import { Badge } from '../../parts/badge.js';
import { ActionsHead, Card, Scroll } from '../../parts/card.js';
import { Hash } from '../../parts/copy.js';
import { Empty } from '../../parts/states.js';
import { chainName, chainOf, explorerLink, useChains } from '../../state/chains.js';

type Lane = Overview['lanes'][number];

export function LanesCard({ lanes, onDone }: { readonly lanes: readonly Lane[]; readonly onDone: () => void }) {
  return (
    <Card title="Lanes" hint="Accounts that sign, one transaction after the other">
      {lanes.length === 0 ? (
        <Empty title="No lane yet" />
      ) : (
        <Scroll label="Table of lanes">
          <table>
            <thead>
              <tr>
                <th>Chain</th>
                <th>Signer</th>
                <th class="num">Position</th>
                <th class="num">In flight</th>
                <th class="num">Waiting</th>
                <th class="num">Gas balance</th>
                <th>State</th>
                <ActionsHead />
              </tr>
            </thead>
            <tbody>
              {lanes.map((lane) => (
                <Row key={lane.id} lane={lane} onDone={onDone} />
              ))}
            </tbody>
          </table>
        </Scroll>
      )}
    </Card>
  );
}

function Row({
  lane: { chainId, signer, sends, position, halted, inFlight, waiting, gas },
  onDone,
}: {
  readonly lane: Lane;
  readonly onDone: () => void;
}) {
  const chains = useChains();
  const chain = chainOf(chains, chainId);
  const low = gas.balance !== null && gas.reserve !== null && BigInt(gas.balance) < BigInt(gas.reserve);
  const units = (amount: string) => `${shortAmount(amountText(amount, gas.decimals))} ${chain?.currency.symbol ?? ''}`;
  return (
    <tr>
      <td class="nowrap">{chainName(chains, chainId)}</td>
      <td>
        <Hash value={signer} what="signer" link={explorerLink(chain, 'address', signer)} />
        <span class="sub">{sends.join(', ')}</span>
      </td>
      <td class="num">
        {position === null ? '–' : position.length > 18 ? <Hash value={position} what="position" /> : position}
      </td>
      <td class="num">{count(inFlight)}</td>
      <td class="num">{count(waiting)}</td>
      <td class="num">
        {gas.balance === null ? '–' : units(gas.balance)} {low && <Badge text="low" tone="bad" />}
        {gas.reserve !== null && <span class="sub">reserve {units(gas.reserve)}</span>}
      </td>
      <td>
        <Badge text={halted === null ? 'active' : 'halted'} />
        {halted !== null && <span class="sub">{halted}</span>}
      </td>
      <td class="num">
        {halted !== null && (
          <Act
            label="Resume"
            title="Let this lane sign again"
            act={() => call('POST /admin/lanes/resume', { body: { chainId, signer } })}
            onDone={onDone}
          >
            It was halted because the chain has seen more of it than the ledger. The service refuses until all that it
            sent is final.
          </Act>
        )}
      </td>
    </tr>
  );
}
