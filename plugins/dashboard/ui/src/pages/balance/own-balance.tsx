import { call } from '../../api/client.js';
import { microUsdText } from '../../format.js';
import { Card } from '../../parts/card.js';
import { Pager, useCursors } from '../../parts/pager.js';
import { Show } from '../../parts/states.js';
import { useLoad } from '../../state/use-load.js';
import { AppFees } from './app-fees.js';
import { Ledger } from './ledger.js';
import { LinkAddress } from './link-address.js';
import { Policies } from './policies.js';
import { TopUp } from './top-up.js';

const REFRESH_INTERVAL_MS = 15_000;

export function OwnBalance() {
  const loaded = useLoad('own', (signal) => call('GET /app-balance', { signal }), REFRESH_INTERVAL_MS);
  return (
    <Show of={loaded} lines={8}>
      {({ balance, reserved, available, fundingAddress, deposits, keys }) => (
        <>
          <div class="facts">
            <Figure label="Available" micro={available} />
            <Figure label="Reserved for requests under way" micro={reserved} />
            <Figure label="Balance" micro={balance} />
          </div>
          <div class="two">
            <div>
              <TopUp deposits={deposits} fundingAddress={fundingAddress} onDone={loaded.reload} />
            </div>
            <div>
              <LinkAddress linked={fundingAddress} onDone={loaded.reload} />
            </div>
          </div>
          <AppFees first={fundingAddress ?? ''} />
          <Policies keys={keys} onDone={loaded.reload} />
          {fundingAddress && <OwnLedger key={`${fundingAddress} ${balance}`} wallet={fundingAddress} />}
        </>
      )}
    </Show>
  );
}

function Figure({ label, micro }: { readonly label: string; readonly micro: string }) {
  return (
    <div>
      <div class="label">{label}</div>
      <div class="value">{microUsdText(micro)}</div>
    </div>
  );
}

const PAGE_SIZE = 25;

function OwnLedger({ wallet }: { readonly wallet: string }) {
  const cursors = useCursors();
  const cursor = cursors.current;
  const loaded = useLoad(`${wallet} ${cursor}`, (signal) =>
    call('GET /balance-events/{wallet}', {
      path: { wallet },
      query: { limit: PAGE_SIZE, ...(cursor === undefined ? {} : { cursor }) },
      signal,
    }),
  );
  return (
    <Card title="Ledger">
      <Show of={loaded}>{({ events }) => <Ledger events={events} />}</Show>
      <Pager cursors={cursors} next={loaded.data?.continuation} />
    </Card>
  );
}
