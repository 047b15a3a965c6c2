// Preloaded into a service: `rebinds.example` resolves to a public address first and to this machine afterwards (DNS
// rebinding).
import { Resolver } from 'node:dns/promises';

const NAME = 'rebinds.example';
const real = Resolver.prototype.resolve4;
let asked = 0;

Resolver.prototype.resolve4 = async function resolve4(hostname, ...rest) {
  if (hostname !== NAME) return real.call(this, hostname, ...rest);
  asked += 1;
  return [asked === 1 ? '93.184.215.14' : '127.0.0.1'];
};
