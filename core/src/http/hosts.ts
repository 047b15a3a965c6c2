import { readFile } from 'node:fs/promises';
import { isIP } from 'node:net';

const HOSTS_FILE = '/etc/hosts';
const LOOPBACK = ['127.0.0.1', '::1'];

/** `localhost` and its subdomains, which are never sent to name servers (RFC 6761, section 6.3). */
export function isLoopbackName(name: string): boolean {
  return /(^|\.)localhost\.?$/i.test(name);
}

/** Addresses from this machine's hosts file; `localhost` always resolves. */
export async function addressesOfHost(name: string): Promise<readonly string[]> {
  const text = await readFile(HOSTS_FILE, 'utf8').catch(() => '');
  const wanted = name.toLowerCase();
  const found = text.split('\n').flatMap((line) => {
    const [address = '', ...names] = line.replace(/#.*/, '').trim().split(/\s+/);
    return isIP(address) !== 0 && names.some((one) => one.toLowerCase() === wanted) ? [address] : [];
  });
  return found.length === 0 && isLoopbackName(name) ? LOOPBACK : found;
}
