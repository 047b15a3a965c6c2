import type { Hash, Hex } from 'viem';
import type { TestChain } from '../support/chain.js';
import { sleep, until } from '../support/until.js';
import type { Order, World } from '../support/world.js';

/** For slow machines; a play that goes well never waits this long. */
export const TIMEOUT_MS = 60_000;

interface Audit {
  readonly balanced: boolean;
  readonly unsettled: number;
  readonly pots: readonly { readonly account: string; readonly drift: string | null }[];
  readonly holds: readonly { readonly id: string; readonly requestId: string }[];
}

/** A script's view of the world while the service stops and starts. */
export class Scene {
  mining = true;
  /** What still insists does nothing more: the next play has the same chains. */
  isOver = false;

  /** @param stopService graceful stop with a restart; resolves when the next process is starting. */
  constructor(
    readonly world: World,
    readonly stopService: () => Promise<void>,
  ) {}

  status({ requestId }: Pick<Order, 'requestId'>): Promise<string | undefined> {
    return this.statusOf(requestId);
  }

  async statusOf(requestId: string): Promise<string | undefined> {
    try {
      return (await this.world.rest.status(requestId)).status;
    } catch {
      return undefined;
    }
  }

  async mayBecome(order: Order, status: string, ms = 1_500): Promise<void> {
    const deadline = performance.now() + ms;
    while (performance.now() < deadline && (await this.status(order)) !== status) await sleep(25);
  }

  async awake(): Promise<void> {
    await this.insist('it answers', () => this.world.rest.call('GET', '/lives'));
  }

  readonly insist = async <T>(what: string, ask: () => Promise<T>): Promise<T> => {
    const asked = async () => {
      if (this.isOver) throw new Error('the play is over');
      return { answer: await ask() };
    };
    return until(what, asked, { every: 40, ms: TIMEOUT_MS }).then(({ answer }) => answer);
  };

  /** Repeated until done. Blocks are made meanwhile: some commands wait for finality. */
  async admin(command: string, parameters: Readonly<Record<string, unknown>>): Promise<void> {
    const { baseUrl, adminKey } = this.world.rest;
    const headers = { 'content-type': 'application/json', 'x-admin-key': adminKey };
    const body = JSON.stringify(parameters);
    await this.insist(command, async () => {
      const response = await fetch(`${baseUrl}/admin/${command}`, { method: 'POST', headers, body });
      if (response.status === 200) return;
      await Promise.all(this.world.chains.map((chain) => chain.mine()));
      throw new Error(`${command} answered ${response.status}: ${await response.text()}`);
    });
  }

  async audit(): Promise<Audit> {
    const { baseUrl, adminKey } = this.world.rest;
    const response = await fetch(`${baseUrl}/admin/audit`, { headers: { 'x-admin-key': adminKey } });
    if (response.status !== 200) throw new Error(`the audit answered ${response.status}`);
    return (await response.json()) as Audit;
  }

  async pool(chain: TestChain): Promise<readonly { readonly hash: Hash; readonly to: string | null }[]> {
    const { pending, queued } = await chain.client.getTxpoolContent();
    const solver = this.world.keys.fill.address.toLowerCase();
    return Object.entries({ ...pending, ...queued })
      .filter(([sender]) => sender.toLowerCase() === solver)
      .flatMap(([, byNonce]) => Object.values(byNonce))
      .map(({ hash, to }) => ({ hash, to: to?.toLowerCase() ?? null }));
  }

  async filled(order: Order): Promise<boolean> {
    return (await order.to.balance(order.recipient, order.output)) === order.amountOut;
  }

  async refunded(order: Order, symbol = order.input, chain = order.from): Promise<boolean> {
    return (await chain.balance(order.refundTo, symbol)) > 0n;
  }

  async fillOf(order: Order): Promise<Hash> {
    return this.insist(`the fill of ${order.orderId}`, async () => {
      if (this.mining) await order.to.nudge();
      const logs = await order.to.client.getLogs({ address: order.to.router, fromBlock: 0n });
      const hash = logs.find((log) => log.topics[1] === order.orderId)?.transactionHash;
      if (!hash) throw new Error('there is none');
      return hash;
    });
  }

  async bytesOf(chain: TestChain, hash: Hash): Promise<Hex> {
    return chain.client.request<{ Method: 'eth_getRawTransactionByHash'; Parameters: [Hash]; ReturnType: Hex }>({
      method: 'eth_getRawTransactionByHash',
      params: [hash],
    });
  }
}
