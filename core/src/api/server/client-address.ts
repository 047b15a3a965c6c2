import { BlockList, isIP } from 'node:net';
import type { IncomingMessage } from './http-types.js';

export interface ClientAddress {
  /** IP address of the client: the peer, or the nearest address before the trusted proxies. */
  of(request: IncomingMessage): string;
}

/** @param trusted addresses or CIDR ranges whose `X-Forwarded-For` is trusted. Throws on invalid text. */
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

/** Read from the right: each proxy appends the peer it saw, and only entries of trusted proxies are reliable. */
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

/** Unit of rate limits: the address, or its IPv6 /64, because one customer of a provider has at least that. */
export function networkOf(address: string): string {
  return isIP(address) === 6 ? network(address, 64) : address;
}

/** A network around the caller's own, and its allowance as a multiple of one caller's. */
export interface WiderNetwork {
  readonly network: string;
  readonly times: number;
}

/**
 * One customer may use any /64 of a /56 or /48, but a provider may have several customers in one, so each has more
 * than one caller's allowance. None for IPv4, whose addresses are scarce.
 */
export function widerNetworksOf(address: string): readonly WiderNetwork[] {
  return isIP(address) === 6 ? WIDER.map(({ bits, times }) => ({ network: network(address, bits), times })) : [];
}

const WIDER = [
  { bits: 56, times: 4 },
  { bits: 48, times: 16 },
] as const;

/** @param bits 48, 56 or 64. */
function network(address: string, bits: number): string {
  const [left = '', right] = (address.split('%')[0] ?? '').split('::');
  const groups = left === '' ? [] : left.split(':');
  if (right !== undefined) {
    const tail = right === '' ? [] : right.split(':');
    // A dotted IPv4 tail replaces two groups.
    const length = tail.length + (tail.at(-1)?.includes('.') ? 1 : 0);
    while (groups.length + length < 8) groups.push('0');
    groups.push(...tail);
  }
  const numbers = groups.slice(0, Math.ceil(bits / 16)).map((group) => Number.parseInt(group, 16));
  if (bits % 16 !== 0) numbers.push((numbers.pop() ?? 0) & (0xffff << (16 - (bits % 16))));
  return `${numbers.map((number) => number.toString(16)).join(':')}::/${bits}`;
}

function plain(address: string): string {
  return address.startsWith('::ffff:') ? address.slice(7) : address;
}
