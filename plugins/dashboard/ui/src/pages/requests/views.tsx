import { useState } from 'preact/hooks';
import { href } from '../../state/router.js';

const KEY = 'causeway.views';
const MAX_VIEWS = 20;

/** Name and query of a search that this browser keeps. */
type View = readonly [string, string];

function stored(): readonly View[] {
  try {
    const value: unknown = JSON.parse(window.localStorage.getItem(KEY) ?? '[]');
    return Array.isArray(value)
      ? value
          .filter((one): one is View => Array.isArray(one) && one.every((text) => typeof text === 'string'))
          .slice(0, MAX_VIEWS)
      : [];
  } catch {
    return [];
  }
}

export function Views({ search }: { readonly search: string }) {
  const [views, setViews] = useState(stored);
  const [name, setName] = useState('');
  const keep = (next: readonly View[]) => {
    setViews(next);
    window.localStorage.setItem(KEY, JSON.stringify(next));
  };
  return (
    <div class="row small">
      <span class="muted">Saved views:</span>
      {views.length === 0 && <span class="muted">none yet</span>}
      {views.map(([title, query]) => (
        <span key={title} class="row">
          <a href={href('/requests', new URLSearchParams(query))}>{title}</a>
          <button
            type="button"
            class="quiet small"
            aria-label={`Forget the view ${title}`}
            onClick={() => keep(views.filter(([other]) => other !== title))}
          >
            ×
          </button>
        </span>
      ))}
      {search !== '' && views.length < MAX_VIEWS && (
        <form
          class="row"
          onSubmit={(event) => {
            event.preventDefault();
            if (name.trim() === '') return;
            keep([...views.filter(([other]) => other !== name.trim()), [name.trim(), search]]);
            setName('');
          }}
        >
          <input
            class="tight"
            aria-label="Name of this view"
            placeholder="Name of this view"
            maxLength={40}
            value={name}
            onInput={(event) => setName(event.currentTarget.value)}
          />
          <button type="submit" class="tight">
            Save
          </button>
        </form>
      )}
    </div>
  );
}
