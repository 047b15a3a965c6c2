import { RpcError } from '@causeway/core/rpc';
import { ask, type Node } from './node.js';

interface Publication {
  readonly type: string;
  readonly address: string;
}

const LOOPBACK = /^(127\..*|localhost|\[::1\])$/;
const EVERYWHERE = /^(0\.0\.0\.0|\[::\]|\*)$/;

/**
 * The node's ZMQ endpoint; undefined if unknown, absent, or local to another machine. A wildcard address is replaced
 * by the host of the RPC.
 *
 * @param rpcUrl of the same node.
 */
export async function publishedAddress(node: Node, rpcUrl: string): Promise<string | undefined> {
  try {
    const reported = await ask<readonly Publication[]>(node, 'getzmqnotifications');
    const address = reported.find(({ type }) => type === 'pubsequence')?.address;
    if (address === undefined) return undefined;
    const [, host = '', port = ''] = /^tcp:\/\/(.+):(\d+)$/.exec(address) ?? [];
    const { hostname } = new URL(rpcUrl);
    if (EVERYWHERE.test(host)) return `tcp://${hostname}:${port}`;
    // A remote node's loopback address is not this machine's, on which another service may listen.
    return isHere(host, address) && !LOOPBACK.test(hostname) ? undefined : address;
  } catch (error) {
    // The node was built without this method, or its provider blocks it.
    if (error instanceof RpcError) return undefined;
    throw error;
  }
}

function isHere(host: string, address: string): boolean {
  return LOOPBACK.test(host) || address.startsWith('ipc:');
}
