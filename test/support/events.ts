import { once } from 'node:events';
import { WebSocket } from 'ws';
import { until } from './until.js';

export class StatusEvents {
  readonly statuses: string[] = [];
  /** First arrival of each (`performance.now()`). */
  readonly at = new Map<string, number>();

  private constructor(private readonly socket: WebSocket) {}

  /** Resolves once the current status has arrived. */
  static async of(baseUrl: string, requestId: string): Promise<StatusEvents> {
    const socket = new WebSocket(`${baseUrl.replace('http', 'ws')}/ws`);
    const events = new StatusEvents(socket);
    socket.on('message', (bytes) => {
      const { event, data } = JSON.parse(String(bytes)) as { event?: string; data?: { status?: string } };
      if (event !== 'request.status.updated' || data?.status === undefined) return;
      events.statuses.push(data.status);
      if (!events.at.has(data.status)) events.at.set(data.status, performance.now());
    });
    await once(socket, 'open');
    const filters = { id: requestId };
    socket.send(JSON.stringify({ type: 'subscribe', event: 'request.status.updated', filters }));
    await until('the first status', () => events.statuses.length > 0);
    return events;
  }

  /** Resolves once such an event has arrived. */
  async came(status: string): Promise<void> {
    await until(`an event of ${status}`, () => this.statuses.includes(status), { seen: () => this.statuses });
  }

  close(): void {
    this.socket.terminate();
  }
}
