import { isMap, isNode, isPair, isScalar, isSeq, LineCounter, type Node, parseDocument, visit } from 'yaml';

export type ConfigPath = readonly (string | number)[];

export interface Place {
  readonly line: number;
  readonly column: number;
}

export interface YamlProblem extends Place {
  readonly message: string;
}

/** YAML or JSON with the place of every key. Numbers that a float cannot hold stay text. */
export class YamlSource {
  readonly problems: readonly YamlProblem[];
  readonly #document: ReturnType<typeof parseDocument>;
  readonly #lines = new LineCounter();

  constructor(text: string) {
    this.#document = parseDocument(text, { lineCounter: this.#lines, prettyErrors: false });
    this.problems = this.#document.errors.map((error) => ({
      ...this.#place(error.pos[0]),
      message: error.message.replace(/\s+/g, ' '),
    }));
    visit(this.#document, { Scalar: (_, node) => void keepExact(node) });
  }

  mapText(change: (text: string, path: ConfigPath) => string | undefined): void {
    visit(this.#document, {
      Scalar: (key, node, ancestors) => {
        if (key === 'key' || typeof node.value !== 'string') return;
        const changed = change(node.value, pathOf(ancestors, node));
        if (changed !== undefined) node.value = changed;
      },
    });
  }

  value(): unknown {
    return this.#document.toJS({ maxAliasCount: 100 });
  }

  place(path: ConfigPath, key = false): Place {
    let node: unknown = this.#document.contents;
    let offset = start(node);
    for (const [index, part] of path.entries()) {
      if (isMap(node)) {
        const pair = node.items.find((item) => isScalar(item.key) && String(item.key.value) === String(part));
        if (!pair) break;
        const atKey = start(pair.key);
        node = pair.value;
        const last = index === path.length - 1;
        offset = (last && key) || isMap(node) || isSeq(node) || !isNode(node) ? atKey : start(node);
      } else if (isSeq(node)) {
        const item: unknown = node.items[Number(part)];
        if (item === undefined) break;
        node = item;
        offset = start(node);
      } else break;
    }
    return this.#place(offset);
  }

  #place(offset: number): Place {
    const { line, col } = this.#lines.linePos(offset);
    return { line: Math.max(line, 1), column: Math.max(col, 1) };
  }
}

function start(node: unknown): number {
  return (isNode(node) && node.range?.[0]) || 0;
}

/** Keeps unquoted 0x addresses, and numbers beyond float precision, as text. */
function keepExact(node: { value: unknown; source?: string }): void {
  if (typeof node.value !== 'number' && typeof node.value !== 'bigint') return;
  const source = node.source ?? String(node.value);
  if (/^0x/i.test(source) || String(node.value) !== source) node.value = source;
}

function pathOf(ancestors: readonly unknown[], node: Node): ConfigPath {
  const path: (string | number)[] = [];
  const chain = [...ancestors, node];
  for (const [index, ancestor] of chain.entries()) {
    const child = chain[index + 1];
    if (isPair(ancestor) && isScalar(ancestor.key)) path.push(String(ancestor.key.value));
    if (isSeq(ancestor)) path.push(ancestor.items.indexOf(child));
  }
  return path;
}

/** `chains[0].rpc` */
export function formatPath(path: ConfigPath): string {
  return path.reduce<string>(
    (text, part) => (typeof part === 'number' ? `${text}[${part}]` : text === '' ? part : `${text}.${part}`),
    '',
  );
}

export function parsePath(text: string): ConfigPath {
  const parts = text.startsWith('/')
    ? text
        .slice(1)
        .split('/')
        .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
    : text.replace(/\[(\d+)]/g, '.$1').split('.');
  return parts.filter((part) => part !== '').map((part) => (/^\d+$/.test(part) ? Number(part) : part));
}
