// A reporter of Stryker that writes each outcome at once, so that they are known when its time is over.

import { readFileSync } from 'node:fs';
import { relative } from 'node:path';

class OutcomeReporter {
  #texts = new Map();

  onMutantTested({ status, fileName, location, replacement = '' }) {
    const text = this.#texts.get(fileName) ?? readFileSync(fileName, 'utf8');
    this.#texts.set(fileName, text);
    // Lines and columns count from 1.
    const { start, end } = location;
    const lines = text.split('\n').slice(start.line - 1, end.line);
    lines[lines.length - 1] = lines.at(-1)?.slice(0, end.column - 1) ?? '';
    const from = lines.join('\n').slice(start.column - 1);
    const outcome = { status, file: relative(process.cwd(), fileName), line: start.line, from, to: replacement };
    process.stdout.write(`stryker-outcome ${JSON.stringify(outcome)}\n`);
  }
}

export const strykerPlugins = [{ kind: 'Reporter', name: 'outcomes', injectableClass: OutcomeReporter }];
