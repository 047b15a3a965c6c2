import type { EndpointRow } from '../../contract/delivery-rows.js';
import type { NotifierOutcome, OutboxEvent } from '../../contract/notifier.js';

/** Webhook endpoints of integrators, as notices of balances need them. */
export interface NoticeEndpoints {
  list(integratorId: string): Promise<readonly EndpointRow[]>;
  /** Undefined: it cannot be posted to by this process. */
  post(endpoint: EndpointRow, event: OutboxEvent): Promise<NotifierOutcome | undefined>;
}
