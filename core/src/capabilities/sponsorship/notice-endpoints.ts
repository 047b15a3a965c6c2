import type { EndpointRow } from '../../contract/delivery-rows.js';
import type { NotifierOutcome, OutboxEvent } from '../../contract/notifier.js';

/** Access to integrators' webhook endpoints, for notices of low balances. */
export interface NoticeEndpoints {
  list(integratorId: string): Promise<readonly EndpointRow[]>;
  /** Undefined: this process cannot post to it. */
  post(endpoint: EndpointRow, event: OutboxEvent): Promise<NotifierOutcome | undefined>;
}
