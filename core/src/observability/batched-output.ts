const FLUSH_AT_CHARS = 16_384;

/**
 * Standard output, written once per turn of the event loop instead of once per line: under load a system call per
 * request would cost more than the line itself. Nothing is lost at a normal end; a SIGKILL may take the last turn's lines.
 */
export function batchedOutput(
  write: (text: string) => void = (text) => void process.stdout.write(text),
): (line: string) => void {
  let waiting = '';
  let scheduled = false;
  const flush = () => {
    scheduled = false;
    if (waiting === '') return;
    const text = waiting;
    waiting = '';
    write(text);
  };
  process.on('exit', flush);
  return (line) => {
    waiting += line;
    if (waiting.length >= FLUSH_AT_CHARS) return flush();
    if (scheduled) return;
    scheduled = true;
    setImmediate(flush);
  };
}
