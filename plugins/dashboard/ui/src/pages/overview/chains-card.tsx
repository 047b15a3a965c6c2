import { count } from '../../format.js';
import type { Overview } from '../../generated/api.js';
import { Badge } from '../../parts/badge.js';
import { ActionsHead, Card, Scroll } from '../../parts/card.js';
import { Time } from '../../parts/time.js';
import { chainName, useChains } from '../../state/chains.js';
import { href } from '../../state/router.js';
import { PROVIDER_TONES } from '../chains/provider-table.js';
import { PauseSwitch } from './pause-switch.js';

type Chain = Overview['chains'][number];

export function ChainsCard({ of: { chains, pauses }, onDone }: { readonly of: Overview; readonly onDone: () => void }) {
  const names = useChains();
  const paused = (scope: string) => pauses.find((one) => one.scope === scope);
  const all = paused('all');
  return (
    <Card
      title="Chains and providers"
      hint={all ? `all paused: ${all.reason ?? 'no reason given'}` : `${chains.length} served`}
      actions={<PauseSwitch scope="all" what="all chains" paused={all !== undefined} onDone={onDone} />}
    >
      <Scroll label="Table of chains">
        <table>
          <thead>
            <tr>
              <th>Chain</th>
              <th>State</th>
              <th class="num">Head</th>
              <th class="num">Read</th>
              <th class="num">Final</th>
              <th>Providers</th>
              <ActionsHead />
            </tr>
          </thead>
          <tbody>
            {chains.map((chain) => {
              const pause = paused(`chain:${chain.id}`);
              return (
                <tr key={chain.id}>
                  <td class="nowrap">
                    <a href={href('/chains')}>{chainName(names, chain.id)}</a>
                    <span class="sub">{chain.id}</span>
                  </td>
                  <td>
                    <Badge
                      text={pause || all ? 'paused' : chain.healthy ? 'healthy' : 'not healthy'}
                      {...(chain.healthy ? {} : { tone: 'bad' as const })}
                    />
                    {(pause?.reason ?? chain.reason) && <span class="sub">{pause?.reason ?? chain.reason}</span>}
                  </td>
                  <td class="num">
                    {chain.head ? count(chain.head.height) : '–'}
                    {chain.head && (
                      <span class="sub">
                        <Time at={chain.head.at} />
                      </span>
                    )}
                  </td>
                  <td class="num">
                    {chain.read ? count(chain.read.height) : '–'}
                    {chain.head && chain.read && <span class="sub">{lag(chain.head.height - chain.read.height)}</span>}
                  </td>
                  <td class="num">{chain.read ? count(chain.read.finalHeight) : '–'}</td>
                  <td>
                    <Providers of={chain.providers} />
                  </td>
                  <td class="num">
                    <PauseSwitch
                      scope={`chain:${chain.id}`}
                      what={chainName(names, chain.id)}
                      paused={pause !== undefined}
                      onDone={onDone}
                    />
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

const lag = (blocks: number): string => (blocks <= 0 ? 'no lag' : `${count(blocks)} behind`);

function Providers({ of }: { readonly of: Chain['providers'] }) {
  return (
    <>
      {of.map(({ name, state, reason, exchanges, failures }) => (
        <div key={name} class="small">
          <span class="row">
            <Badge text={state} tone={PROVIDER_TONES[state]} />
            <span class="nowrap">{name}</span>
            <span class="muted nowrap">
              {count(failures)} of {count(exchanges)} failed
            </span>
          </span>
          {reason && <span class="sub">{reason}</span>}
        </div>
      ))}
    </>
  );
}
