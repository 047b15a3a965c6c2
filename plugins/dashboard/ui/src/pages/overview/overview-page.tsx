import { call } from '../../api/client.js';
import { count, usdText } from '../../format.js';
import type { Overview } from '../../generated/api.js';
import { Meter } from '../../parts/meter.js';
import { Show } from '../../parts/states.js';
import { Time } from '../../parts/time.js';
import { useChains } from '../../state/chains.js';
import { useTitle } from '../../state/title.js';
import { useLoad } from '../../state/use-load.js';
import { AlertsCard } from './alerts-card.js';
import { BooksCard } from './books-card.js';
import { ChainsCard } from './chains-card.js';
import { HoldsCard } from './holds-card.js';
import { InventoryCard } from './inventory-card.js';
import { LanesCard } from './lanes-card.js';
import { OpenCard } from './open-card.js';
import { StatisticsCard } from './statistics-card.js';

const REFRESH_INTERVAL_MS = 5_000;
/** It reads every balance from the chains. */
const AUDIT_EVERY_MS = 60_000;

export function OverviewPage() {
  useTitle('Overview');
  const chains = useChains();
  const overview = useLoad('overview', (signal) => call('GET /admin/overview', { signal }), REFRESH_INTERVAL_MS);
  const audit = useLoad('audit', (signal) => call('GET /admin/audit', { signal }), AUDIT_EVERY_MS);
  const reload = () => {
    overview.reload();
    audit.reload();
  };
  return (
    <>
      <div class="head">
        <h1>Overview</h1>
        {overview.data && (
          <span class="muted small">
            As of <Time at={overview.data.at} />
          </span>
        )}
        <div class="actions">
          <button type="button" onClick={reload} disabled={overview.loading || audit.loading}>
            Refresh
          </button>
        </div>
      </div>
      <AlertsCard />
      <Show of={overview} lines={8}>
        {(known) => (
          <>
            <Figures of={known} />
            <StatisticsCard />
            <ChainsCard of={known} onDone={reload} />
            <Show of={audit}>
              {(audited) => (
                <>
                  <OpenCard audit={audited} chains={chains} onDone={reload} />
                  <HoldsCard audit={audited} chains={chains} onDone={reload} />
                </>
              )}
            </Show>
            <LanesCard lanes={known.lanes} onDone={reload} />
            <InventoryCard of={known} />
            {audit.data && <BooksCard of={audit.data} />}
          </>
        )}
      </Show>
    </>
  );
}

function Figures({ of: { queues, limits, pauses } }: { readonly of: Overview }) {
  const posts = queues.deliveries.reduce((sum, { open }) => sum + open, 0);
  return (
    <div class="facts">
      <Figure label="Not settled" value={count(queues.unsettled)} />
      <Figure label="Open holds" value={count(queues.openHolds)} />
      <Figure label="Deliveries to post" value={count(posts)} />
      <Figure label="Pauses" value={count(pauses.length)} />
      <Figure
        label="Accepted today (UTC)"
        value={usdText(limits.volumeTodayUsd)}
        used={limits.volumeTodayUsd}
        most={limits.maxDailyUsd}
      />
      <Figure
        label="Most per request"
        value={limits.maxRequestUsd === null ? 'no limit' : usdText(limits.maxRequestUsd).replace(/\.00$/, '')}
      />
    </div>
  );
}

interface FigureProps {
  readonly label: string;
  readonly value: string;
  /** US dollars. */
  readonly used?: string;
  /** US dollars; null: no limit. */
  readonly most?: string | null;
}

function Figure({ label, value, used, most }: FigureProps) {
  return (
    <div>
      <div class="label">{label}</div>
      <div class="value">{value}</div>
      {used !== undefined && most && (
        <>
          <Meter label={`${label}, of its limit`} value={Number(used)} most={Number(most)} />
          <div class="label">of {usdText(most)}</div>
        </>
      )}
    </div>
  );
}
