import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { ConfigError, type ConfigProblem } from './problems.js';
import type { SchemaFinding } from './schema-validator.js';
import { type ConfigPath, formatPath, YamlSource } from './yaml-source.js';

export class ConfigFile {
  readonly file: string;
  readonly source: YamlSource;

  /** @throws ConfigError when it cannot be read or is not YAML. */
  constructor(path: string) {
    this.file = resolve(path);
    this.source = new YamlSource(read(this.file));
    const broken = this.source.problems.map((problem) => ({ file: this.file, path: '', ...problem }));
    if (broken.length > 0) throw new ConfigError(broken);
  }

  problem(where: ConfigPath, message: string, advice?: string, atKey = false): ConfigProblem {
    const place = this.source.place(where, atKey);
    return { file: this.file, ...place, path: formatPath(where), message, ...(advice === undefined ? {} : { advice }) };
  }

  finding({ path, message, advice, atKey }: SchemaFinding, base: ConfigPath = []): ConfigProblem {
    return this.problem([...base, ...path], message, advice, atKey);
  }

  optionProblem(index: number, plugin: string, finding: SchemaFinding): ConfigProblem {
    const placed = this.finding(finding, ['plugins', index, 'options']);
    return { ...placed, path: formatPath(['options', ...finding.path]), plugin };
  }
}

function read(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? 'unreadable';
    const message = `cannot be read (${code})`;
    throw new ConfigError([{ file, line: 0, column: 0, path: '', message, advice: 'name an existing config file' }]);
  }
}
