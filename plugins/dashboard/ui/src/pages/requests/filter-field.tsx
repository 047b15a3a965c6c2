import { Choice, Field, TextField } from '../../parts/field.js';
import { useChains } from '../../state/chains.js';
import type { Filter } from './filters.js';

interface Props {
  readonly filter: Filter;
  readonly value: string;
  readonly onText: (value: string) => void;
}

export function FilterField({ filter, value, onText }: Props) {
  const chains = useChains();
  const { label, kind, hint } = filter;
  const more = hint ? { hint } : {};
  if (kind === 'text') return <TextField label={label} value={value} onText={onText} {...more} />;
  if (kind === 'number') return <TextField label={label} value={value} onText={onText} inputMode="decimal" {...more} />;
  if (kind === 'flag')
    return (
      <Choice
        label={label}
        value={value}
        onText={onText}
        options={[
          ['', 'No'],
          ['true', 'Yes'],
        ]}
        {...more}
      />
    );
  if (kind === 'chain')
    return (
      <Choice
        label={label}
        value={value}
        onText={onText}
        options={[['', 'Any'], ...chains.map(({ id, displayName }) => [String(id), displayName] as const)]}
        {...more}
      />
    );
  if (kind === 'time')
    return (
      <Field label={label} {...more}>
        {(attributes) => (
          <input
            {...attributes}
            type="datetime-local"
            step="1"
            value={localOf(value)}
            onChange={(event) => onText(secondsOf(event.currentTarget.value))}
          />
        )}
      </Field>
    );
  return <Choice label={label} value={value} onText={onText} options={kind} {...more} />;
}

/** Unix seconds as the value of a `datetime-local` input. */
function localOf(seconds: string): string {
  const ms = Number(seconds) * 1000;
  if (seconds === '' || !Number.isFinite(ms)) return '';
  const offset = new Date(ms).getTimezoneOffset() * 60_000;
  return new Date(ms - offset).toISOString().slice(0, 19);
}

function secondsOf(local: string): string {
  const ms = Date.parse(local);
  return Number.isFinite(ms) ? String(Math.floor(ms / 1000)) : '';
}
