import { call } from '../../api/client.js';
import { Badge } from '../../parts/badge.js';
import { Card } from '../../parts/card.js';
import { Show } from '../../parts/states.js';
import { Time } from '../../parts/time.js';
import { useLoad } from '../../state/use-load.js';

const REFRESH_INTERVAL_MS = 5_000;

/** What needs an operator now. */
export function AlertsCard() {
  const loaded = useLoad('alerts', (signal) => call('GET /admin/alerts', { signal }), REFRESH_INTERVAL_MS);
  return (
    <Card title="Alerts">
      <Show of={loaded} lines={1}>
        {({ alerts }) =>
          alerts.length === 0 ? (
            <div class="body row">
              <Badge text="No alert stands" tone="good" />
            </div>
          ) : (
            <ul class="alerts">
              {alerts.map(({ id, message, since }) => (
                <li key={id} class="note bad row">
                  <span class="grow">{message}</span>
                  <Time at={since} />
                </li>
              ))}
            </ul>
          )
        }
      </Show>
    </Card>
  );
}
