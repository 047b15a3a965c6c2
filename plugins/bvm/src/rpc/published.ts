import { RpcError } from '@causeway/core/rpc';
import { ask, type Node } from './node.js';

interface Publication {
  readonly type: string;
  readonly address: string;
}

const LOOPBACK = /^(127\..*|localhost|\[::1\])$/;
const EVERYWHERE = /^(0\.0\.0\.0|\[::\]|\*)$/;

/**
 * Where a node says that it publishes its pool; undefined where it does not, does not say, or does so for its own machine
 * alone, which is another one. One that listens everywhere is reached where its RPC is.
 *
 * @param rpcUrl of the same node.
 */
export async function publishedAddress(node: Node, rpcUrl: string): Promise<string | undefined> {
  try {
    const told = await ask<readonly Publication[]>(node, 'getzmqnotifications');
    const address = told.find(({ type }) => type === 'pubsequence')?.address;
    if (address === undefined) return undefined;
    const [, host = '', port = ''] = /^tcp:\/\/(.+):(\d+)$/.exec(address) ?? [];
    const { hostname } = new URL(rpcUrl);
    if (EVERYWHERE.test(host)) return `tcp://${hostname}:${port}`;
    // Said by a node on another machine, it is a place there; here, somebody else may listen at it.
    return isHere(host, address) && !LOOPBACK.test(hostname) ? undefined : address;
  } catch (error) {
    // Builds without it do not know the method; some providers do not let it through.
    if (error instanceof RpcError) return undefined;
    throw error;
  }
}

function isHere(host: string, address: string): boolean {
  return LOOPBACK.test(host) || address.startsWith('ipc:');
}
