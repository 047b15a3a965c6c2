import { call } from '../../api/client.js';
import { count, countOf } from '../../format.js';
import type { Overview } from '../../generated/api.js';
import { Badge } from '../../parts/badge.js';
import { Card } from '../../parts/card.js';
import { Empty, Show } from '../../parts/states.js';
import { Time } from '../../parts/time.js';
import { chainName, useChains } from '../../state/chains.js';
import { useTitle } from '../../state/title.js';
import { useLoad } from '../../state/use-load.js';
import { PauseSwitch } from '../overview/pause-switch.js';
import { ProviderTable } from './provider-table.js';

const REFRESH_INTERVAL_MS = 5_000;

type Chain = Overview['chains'][number];

/** What each provider of each chain says, and whether they agree. */
export function ChainsPage() {
  useTitle('Chains');
  const overview = useLoad('overview', (signal) => call('GET /admin/overview', { signal }), REFRESH_INTERVAL_MS);
  return (
    <>
      <div class="head">
        <h1>Chains</h1>
        {overview.data && (
          <span class="muted small">
            As of <Time at={overview.data.at} />
          </span>
        )}
      </div>
      <Show of={overview} lines={8}>
        {({ chains, pauses }) =>
          chains.map((chain) => (
            <ChainCard
              key={chain.id}
              of={chain}
              pause={pauses.find(({ scope }) => scope === `chain:${chain.id}` || scope === 'all')}
              onDone={overview.reload}
            />
          ))
        }
      </Show>
    </>
  );
}

interface Props {
  readonly of: Chain;
  readonly pause: Overview['pauses'][number] | undefined;
  readonly onDone: () => void;
}

function ChainCard({ of: chain, pause, onDone }: Props) {
  const names = useChains();
  const name = chainName(names, chain.id);
  const { head, read, healthy, quorum, providers } = chain;
  const why = pause ? pause.reason : chain.reason;
  return (
    <Card
      title={name}
      hint={`chain ${chain.id}`}
      actions={
        pause?.scope !== 'all' && (
          <PauseSwitch scope={`chain:${chain.id}`} what={name} paused={pause !== undefined} onDone={onDone} />
        )
      }
    >
      <dl class="rows body">
        <dt>State</dt>
        <dd class="row">
          <Badge
            text={pause ? 'paused' : healthy ? 'healthy' : 'not healthy'}
            {...(healthy ? {} : { tone: 'bad' as const })}
          />
          {why && <span>{why}</span>}
          {pause && (
            <span class="muted small">
              since <Time at={pause.since} />
            </span>
          )}
        </dd>
        <dt>Newest block</dt>
        <dd>
          {head ? (
            <>
              {count(head.height)}{' '}
              <span class="muted small">
                seen <Time at={head.at} />
              </span>
            </>
          ) : (
            'not known'
          )}
        </dd>
        <dt>Deposits</dt>
        <dd>
          {read
            ? `read up to block ${count(read.height)}, final up to ${count(read.finalHeight)}`
            : 'nothing has been read yet'}
        </dd>
        <dt>Quorum</dt>
        <dd>{quorumText(quorum, providers.length)}</dd>
      </dl>
      {providers.length === 0 ? (
        <Empty title="This chain reports no providers" />
      ) : (
        <ProviderTable of={providers} asked={quorum > 1} label={`Providers of ${name}`} />
      )}
    </Card>
  );
}

const quorumText = (quorum: number, of: number): string =>
  quorum <= 1
    ? 'one provider is enough for a deposit of any value'
    : `${quorum} of ${countOf(of, 'provider')} must report a large deposit`;
