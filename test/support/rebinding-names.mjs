// Loaded into a service under test before anything else: the name `rebinds.example` leads to a public address when it is
// looked up for the first time, and to this machine ever after, as a name server of somebody with bad intentions answers.
import { Resolver } from 'node:dns/promises';

const NAME = 'rebinds.example';
const real = Resolver.prototype.resolve4;
let asked = 0;

Resolver.prototype.resolve4 = async function resolve4(hostname, ...rest) {
  if (hostname !== NAME) return real.call(this, hostname, ...rest);
  asked += 1;
  return [asked === 1 ? '93.184.215.14' : '127.0.0.1'];
};
