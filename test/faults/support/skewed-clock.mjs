// Loaded into a service under test before anything else: moves its wall clock by what a file says, while it runs.
// The monotonic clock stays as it is, as when an operator or a time server sets the time of a machine.
import { readFileSync, writeFileSync } from 'node:fs';

const file = process.env.CAUSEWAY_TEST_CLOCK;
const RealDate = Date;
let offset = 0;

/** Tells the test, in a file beside, that the clock now shows what it asked for. */
function read() {
  try {
    const wanted = readFileSync(file, 'utf8');
    if (wanted === '' || Number(wanted) === offset) return;
    offset = Number(wanted);
    writeFileSync(`${file}.shown`, wanted);
  } catch {
    // The file is being written.
  }
}

if (file) {
  read();
  setInterval(read, 20).unref();
  globalThis.Date = class extends RealDate {
    constructor(...args) {
      if (args.length === 0) super(RealDate.now() + offset);
      else super(...args);
    }

    static now() {
      return RealDate.now() + offset;
    }
  };
}
