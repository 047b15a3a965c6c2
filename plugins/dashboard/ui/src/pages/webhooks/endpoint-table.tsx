import { call } from '../../api/client.js';
import type { WebhookEndpoint } from '../../generated/api.js';
import { Act } from '../../parts/act.js';
import { Badge } from '../../parts/badge.js';
import { ActionsHead, Scroll } from '../../parts/card.js';
import { Time } from '../../parts/time.js';
import { chainName, useChains } from '../../state/chains.js';
import { ReplayRange } from './replay-range.js';
import { TestButton } from './test-button.js';

interface Props {
  readonly endpoints: readonly WebhookEndpoint[];
  readonly onEdit: (endpoint: WebhookEndpoint) => void;
  readonly onSecret: (secret: string) => void;
  readonly onDone: () => void;
}

export function EndpointTable({ endpoints, onEdit, onSecret, onDone }: Props) {
  const chains = useChains();
  return (
    <Scroll label="Table of endpoints">
      <table>
        <thead>
          <tr>
            <th>URL</th>
            <th>State</th>
            <th>Events</th>
            <th class="num">Changed</th>
            <ActionsHead />
          </tr>
        </thead>
        <tbody>
          {endpoints.map((one) => (
            <tr key={one.id}>
              <td>
                <code class="break">{one.url}</code>
                <span class="sub">{one.description ?? one.id}</span>
              </td>
              <td>
                <Badge text={one.state} />
                {one.reason && <span class="sub">{one.reason}</span>}
                {one.failingSince !== null && (
                  <span class="sub">
                    failing since <Time at={one.failingSince} />
                  </span>
                )}
              </td>
              <td>
                {one.statuses.length === 0 ? 'all' : one.statuses.join(', ')}
                <span class="sub">
                  {one.chains.length === 0 ? 'all chains' : one.chains.map((id) => chainName(chains, id)).join(', ')}
                </span>
              </td>
              <td class="num">
                <Time at={one.updatedAt} />
              </td>
              <td>
                <div class="row end">
                  <TestButton id={one.id} />
                  <button type="button" class="tight" onClick={() => onEdit(one)}>
                    Change
                  </button>
                  {one.state === 'disabled' && (
                    <Act
                      label="Enable"
                      title="Enable the endpoint"
                      act={() =>
                        call('POST /webhooks/endpoints/{id}', { path: { id: one.id }, body: { enabled: true } })
                      }
                      onDone={onDone}
                    >
                      What it missed while it was disabled is posted now.
                    </Act>
                  )}
                  <ReplayRange id={one.id} onDone={onDone} />
                  <Act
                    label="Rotate"
                    title="Give the endpoint a new secret"
                    act={async () =>
                      onSecret(
                        (await call('POST /webhooks/endpoints/{id}/rotate', { path: { id: one.id }, body: {} })).secret,
                      )
                    }
                    onDone={onDone}
                  >
                    Bodies are signed with both secrets for a day, so that a receiver knows the old one until it has the
                    new one.
                  </Act>
                  <Act
                    label="Remove"
                    title="Remove the endpoint permanently"
                    danger
                    act={() => call('POST /webhooks/endpoints/{id}/remove', { path: { id: one.id } })}
                    onDone={onDone}
                  >
                    Nothing more is posted to it, its secrets are erased, and its undelivered events are abandoned.
                  </Act>
                </div>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </Scroll>
  );
}
