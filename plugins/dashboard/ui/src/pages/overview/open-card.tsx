import { call } from '../../api/client.js';
import type { Audit, Chain } from '../../generated/api.js';
import { Act } from '../../parts/act.js';
import { Badge } from '../../parts/badge.js';
import { ActionsHead, Card, Scroll } from '../../parts/card.js';
import { RequestLink } from '../../parts/request-link.js';
import { Empty } from '../../parts/states.js';
import { Time } from '../../parts/time.js';
import { chainName } from '../../state/chains.js';

interface Props {
  readonly audit: Audit;
  readonly chains: readonly Chain[];
  readonly onDone: () => void;
}

/** Requests that have value and are not done, each with what it waits for. */
export function OpenCard({ audit, chains, onDone }: Props) {
  return (
    <Card title="Under way" hint={`${audit.requests.length} requests, ${audit.unsettled} unsettled`}>
      {audit.requests.length === 0 ? (
        <Empty title="Nothing is under way" />
      ) : (
        <Scroll label="Table of open requests">
          <table>
            <thead>
              <tr>
                <th>Request</th>
                <th>Status</th>
                <th>Route</th>
                <th>Waits for</th>
                <th class="num">Since</th>
                <ActionsHead />
              </tr>
            </thead>
            <tbody>
              {audit.requests.map(({ id, status, since, originChainId, destinationChainId, why }) => (
                <tr key={id}>
                  <td>
                    <RequestLink id={id} />
                  </td>
                  <td>
                    <Badge text={status} />
                  </td>
                  <td class="nowrap">
                    {chainName(chains, originChainId)} → {chainName(chains, destinationChainId)}
                  </td>
                  <td>{why}</td>
                  <td class="num">
                    <Time at={since} />
                  </td>
                  <td class="num">
                    <Act
                      label="Refund"
                      title="Refund this request"
                      danger
                      act={() => call('POST /admin/refund', { body: { requestId: id } })}
                      onDone={onDone}
                    >
                      Gives the request up and pays it back once nothing that was sent for it can land. The service
                      refuses where that is not proven.
                    </Act>
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </Scroll>
      )}
    </Card>
  );
}
