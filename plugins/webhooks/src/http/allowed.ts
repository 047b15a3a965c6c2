import { BlockList, isIP } from 'node:net';
import { isInside } from '@causeway/core/http';

export type IsAllowed = (address: string) => boolean;

/** @throws TypeError naming the entry that is neither address nor network. */
export function allowedOf(allow: readonly string[]): IsAllowed {
  const list = new BlockList();
  for (const entry of allow) {
    const [address = '', bits] = entry.split('/');
    const family = isIP(address);
    const most = family === 6 ? 128 : 32;
    const length = bits === undefined ? most : Number(bits);
    if (family === 0 || !Number.isInteger(length) || length < 0 || length > most)
      throw new TypeError(`${entry} is neither an address nor a network, such as 10.1.0.0/16`);
    list.addSubnet(address, length, family === 6 ? 'ipv6' : 'ipv4');
  }
  return (address) => list.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4');
}

export interface Rules {
  readonly isAllowed: IsAllowed;
  readonly ports: { has(port: number): boolean };
  /** Allows addresses of this machine, and plain HTTP to any name. */
  readonly isLocal: boolean;
}

/** Undefined if allowed. Judges the URL alone; resolved addresses are checked per connection. */
export function refusalOf(text: string, { isAllowed, ports, isLocal }: Rules): string | undefined {
  if (!URL.canParse(text)) return 'is no URL';
  const url = new URL(text);
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return 'is no URL of https or http';
  if (url.username !== '' || url.password !== '') return 'must not hold a name or a password: use headers';
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const allowed = isIP(host) !== 0 && isAllowed(host);
  if (url.protocol === 'http:' && !allowed && !isLocal) return 'must use https';
  const port = Number(url.port || (url.protocol === 'https:' ? 443 : 80));
  if (!ports.has(port)) return `uses port ${port}, which \`ports\` does not have`;
  if (isIP(host) !== 0 && isInside(host) && !allowed)
    return 'is an address of a private network, which `allow` does not have';
  return undefined;
}
