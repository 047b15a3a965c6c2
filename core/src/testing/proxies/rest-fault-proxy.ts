import type { IncomingMessage, ServerResponse } from 'node:http';
import { bytesOf, FaultServer } from './fault-server.js';
import { type CallPlan, type FaultCall, faultPlans, type HttpFault } from './faults.js';

export interface RestCall extends FaultCall {
  /** With its query. */
  readonly path: string;
  readonly body: string;
}

export interface RestReply {
  readonly status: number;
  readonly body: string;
}

export type RestFault =
  | HttpFault
  /** Passed on; the caller gets the rewritten reply. */
  | { readonly rewrite: (reply: RestReply, call: RestCall) => RestReply }
  /** Passed on as another path, whose answer the caller gets. */
  | { readonly ask: string };

export type RestPlan = CallPlan<RestCall, RestFault>;

export const restFaults = faultPlans<RestCall, RestFault>();

/**
 * A proxy before a path-based HTTP server that records every request and plays a plan's faults.
 *
 * ```ts
 * const { first, only: those } = restFaults;
 * const proxy = await restFaultProxy('http://127.0.0.1:4700');
 * proxy.plan = those('POST /transactions', first(2, 'dropAfter')); // sent, but the reply is lost, twice
 * ```
 */
export class RestFaultProxy extends FaultServer<RestCall, RestFault> {
  protected async serve(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const [verb, path] = [incoming.method ?? 'GET', incoming.url ?? '/'];
    const method = `${verb} ${/^\/[^/?]*/.exec(path)?.[0] ?? '/'}`;
    const call = this.record({ method, path, body: (await bytesOf(incoming)).toString() });
    const { fault } = call;
    await this.play([fault], incoming, outgoing, async () => {
      const asked = typeof fault === 'object' && 'ask' in fault ? fault.ask : path;
      const { status, body } = await this.forward(verb, asked, call.body);
      const reply = { status, body: body.toString() };
      return typeof fault === 'object' && 'rewrite' in fault ? fault.rewrite(reply, call) : reply;
    });
  }
}

/** Starts a proxy on loopback before `target`, an `http:` URL. Close it when done. */
export async function restFaultProxy(
  target: string,
  options: { readonly port?: number } = {},
): Promise<RestFaultProxy> {
  const proxy = new RestFaultProxy(target);
  await proxy.listen(options.port);
  return proxy;
}
