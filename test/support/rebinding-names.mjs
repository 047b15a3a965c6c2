// Loaded into a service under test before anything else: the name `rebinds.example` leads to a public address when it is
// looked up for the first time, and to this machine ever after, as a name server of somebody with bad intentions answers.
import dns from 'node:dns';
import { syncBuiltinESMExports } from 'node:module';

const NAME = 'rebinds.example';
const real = dns.lookup;
let asked = 0;

dns.lookup = (hostname, options, callback) => {
  if (hostname !== NAME) return real(hostname, options, callback);
  asked += 1;
  const found = { address: asked === 1 ? '93.184.215.14' : '127.0.0.1', family: 4 };
  const { all = false } = typeof options === 'object' ? options : {};
  const answer = typeof options === 'function' ? options : callback;
  process.nextTick(() => (all ? answer(null, [found]) : answer(null, found.address, found.family)));
};
syncBuiltinESMExports();
