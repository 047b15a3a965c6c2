import { BlockList, isIP } from 'node:net';
import type { IncomingMessage } from './http-types.js';

export interface ClientAddress {
  /** IP address of the client: the peer, or the nearest address before our own trusted proxies. */
  of(request: IncomingMessage): string;
}

/** @param trusted addresses or CIDR ranges whose `X-Forwarded-For` is believed. Throws on text that is neither. */
export function clientAddress(trusted: readonly string[]): ClientAddress {
  const proxies = new BlockList();
  for (const entry of trusted) addTo(proxies, entry);
  return {
    of: (request) => {
      const peer = plain(request.socket.remoteAddress ?? '');
      return trusted.length === 0 || !has(proxies, peer) ? peer : forwarded(request, proxies, peer);
    },
  };
}

function addTo(list: BlockList, entry: string): void {
  const [address = '', bits] = entry.split('/');
  const family = isIP(address) === 6 ? 'ipv6' : 'ipv4';
  if (isIP(address) === 0) throw new RangeError(`"${entry}" is not an IP address or CIDR range`);
  if (bits === undefined) list.addAddress(address, family);
  else list.addSubnet(address, Number(bits), family);
}

/** Read from the right: each proxy appends the peer it saw, and only what trusted ones appended is true. */
function forwarded(request: IncomingMessage, proxies: BlockList, peer: string): string {
  const header = request.headers['x-forwarded-for'];
  const hops = (Array.isArray(header) ? header.join(',') : (header ?? '')).split(',').map((hop) => plain(hop.trim()));
  let client = peer;
  for (const hop of hops.reverse()) {
    if (isIP(hop) === 0) break;
    client = hop;
    if (!has(proxies, hop)) break;
  }
  return client;
}

function has(list: BlockList, address: string): boolean {
  const family = isIP(address);
  return family !== 0 && list.check(address, family === 6 ? 'ipv6' : 'ipv4');
}

/**
 * What rates count by: the address, or its /64 where it is IPv6, because a single customer of a provider has at least
 * that many.
 */
export function networkOf(address: string): string {
  if (isIP(address) !== 6) return address;
  const [left = '', right] = (address.split('%')[0] ?? '').split('::');
  const groups = left === '' ? [] : left.split(':');
  if (right !== undefined) {
    const tail = right === '' ? [] : right.split(':');
    // A dotted end stands for two groups.
    const length = tail.length + (tail.at(-1)?.includes('.') ? 1 : 0);
    while (groups.length + length < 8) groups.push('0');
    groups.push(...tail);
  }
  const network = groups.slice(0, 4).map((group) => Number.parseInt(group, 16).toString(16));
  return `${network.join(':')}::/64`;
}

function plain(address: string): string {
  return address.startsWith('::ffff:') ? address.slice(7) : address;
}
