// Preloaded into a service: shifts its wall clock by the offset in a file, while it runs. The monotonic clock is
// unchanged, as when an operator or NTP sets the time.
import { readFileSync, writeFileSync } from 'node:fs';

const file = process.env.CAUSEWAY_TEST_CLOCK;
const RealDate = Date;
let offset = 0;

/** Confirms the applied offset in a second file. */
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
