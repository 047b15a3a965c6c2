import type { EndpointChannel, NotifierOutcome, OutboxEvent, RegisteredEndpoint } from '../../../src/contract/index.js';

export class ChannelDouble implements EndpointChannel {
  readonly id = 'posts';
  readonly reported: { readonly event: OutboxEvent; readonly endpoint: RegisteredEndpoint }[] = [];
  outcome: NotifierOutcome = { outcome: 'delivered', answer: { status: 204, body: '' } };
  answering: Promise<void> = Promise.resolve();
  #secrets = 0;

  newSecret(): string {
    this.#secrets += 1;
    return `secret-${this.#secrets}`;
  }

  async refuse({ url }: Pick<RegisteredEndpoint, 'url'>): ReturnType<EndpointChannel['refuse']> {
    return url.includes('inside') ? { field: 'url', reason: 'leads inside' } : undefined;
  }

  async deliver(event: OutboxEvent, endpoint: RegisteredEndpoint): Promise<NotifierOutcome> {
    this.reported.push({ event, endpoint });
    await this.answering;
    return this.outcome;
  }
}
