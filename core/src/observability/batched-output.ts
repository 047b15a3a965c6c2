const FLUSH_AT_CHARS = 16_384;

/**
 * Written once per event-loop turn: under load a system call per line costs more than the line. A SIGKILL may lose
 * the last turn's lines.
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
