import { useState } from 'preact/hooks';
import { shortHash } from '../format.js';
import { Icon } from './icons.js';

const SHOWN_MS = 1_500;

export function Copy({ value, what }: { readonly value: string; readonly what: string }) {
  const [done, setDone] = useState(false);
  const copy = async () => {
    await navigator.clipboard.writeText(value);
    setDone(true);
    window.setTimeout(() => setDone(false), SHOWN_MS);
  };
  return (
    <button
      type="button"
      class="icon"
      onClick={() => void copy().catch(() => {})}
      title={`Copy ${what}`}
      aria-label={done ? `Copied ${what}` : `Copy ${what}`}
    >
      <Icon name={done ? 'done' : 'copy'} />
    </button>
  );
}

interface HashProps {
  readonly value: string;
  /** What it is, in words: `transaction hash`. */
  readonly what: string;
  /** Of an explorer. */
  readonly link?: string | undefined;
  readonly whole?: boolean;
}

/** A hash, id or address: short, with the whole as a title and to copy. */
export function Hash({ value, what, link, whole = false }: HashProps) {
  return (
    <span class="hash">
      <code title={value} {...(whole ? {} : { class: 'short' })}>
        {whole ? value : shortHash(value)}
      </code>
      <Copy value={value} what={what} />
      {link && (
        <a href={link} target="_blank" rel="noreferrer noopener" class="small" aria-label={`${what} in the explorer`}>
          ↗
        </a>
      )}
    </span>
  );
}
