import { type LookupOptions, lookup } from 'node:dns';
import { BlockList, isIP, type LookupFunction } from 'node:net';

/** Loopback, private and reserved networks. */
const NETWORKS: readonly (readonly [string, number])[] = [
  ...(['0.0.0.0/8', '10.0.0.0/8', '100.64.0.0/10', '127.0.0.0/8', '169.254.0.0/16', '172.16.0.0/12'] as const),
  ...(['192.0.0.0/24', '192.168.0.0/16', '198.18.0.0/15', '224.0.0.0/4', '240.0.0.0/4', '::/127'] as const),
  ...(['fc00::/7', 'fe80::/10', 'ff00::/8', '64:ff9b::/96', '64:ff9b:1::/48', 'fec0::/10', '2002::/16'] as const),
].map((network) => {
  const [address = '', bits] = network.split('/');
  return [address, Number(bits)] as const;
});

const INSIDE = new BlockList();
for (const [address, bits] of NETWORKS) INSIDE.addSubnet(address, bits, isIP(address) === 6 ? 'ipv6' : 'ipv4');

/** Also for IPv4 addresses mapped into IPv6. */
export function isInside(address: string): boolean {
  const family = isIP(address);
  return family === 0 || INSIDE.check(address, family === 6 ? 'ipv6' : 'ipv4');
}

export const LEADS_INSIDE = 'ELEADSINSIDE';

/**
 * Refuses names with any internal address. Checked for each connection, which then uses a checked address. Third
 * parties' names: `Names`.
 */
export const lookupOutside: LookupFunction = (hostname, options, callback) => {
  const all: LookupOptions & { readonly all: true } = { ...options, all: true };
  lookup(hostname, all, (error, addresses) => {
    if (error) return callback(error, '', 0);
    const [first] = addresses;
    if (first === undefined || /* guard: internal-addresses */ addresses.some(({ address }) => isInside(address)))
      return callback(
        Object.assign(new Error('the name leads to an address of this network'), { code: LEADS_INSIDE }),
        '',
        0,
      );
    if (options.all) return callback(null, addresses);
    return callback(null, first.address, first.family);
  });
};
