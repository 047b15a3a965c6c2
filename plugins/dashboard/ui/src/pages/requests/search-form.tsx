import { useEffect, useState } from 'preact/hooks';
import { TextField } from '../../parts/field.js';
import { go, href } from '../../state/router.js';
import { FilterField } from './filter-field.js';
import { FIRST, type Filter, GROUPS, hiddenCount } from './filters.js';

/** Edits the query of the address. */
export function SearchForm({ search }: { readonly search: URLSearchParams }) {
  const text = search.toString();
  const [draft, setDraft] = useState(text);
  useEffect(() => setDraft(text), [text]);
  const values = new URLSearchParams(draft);
  const hidden = hiddenCount(search);

  const changed = (name: string, value: string): URLSearchParams => {
    const next = new URLSearchParams(draft);
    if (value === '') next.delete(name);
    else next.set(name, value);
    next.delete('continuation');
    return next;
  };
  const edit = (name: string, value: string) => setDraft(changed(name, value).toString());
  const field = (filter: Filter, apply: boolean) => (
    <FilterField
      key={filter.name}
      filter={filter}
      value={values.get(filter.name) ?? ''}
      onText={(value) => (apply ? go(href('/requests', changed(filter.name, value))) : edit(filter.name, value))}
    />
  );

  return (
    <search>
      <form
        class="stack"
        onSubmit={(event) => {
          event.preventDefault();
          const next = new URLSearchParams(draft);
          next.delete('continuation');
          go(href('/requests', next));
        }}
      >
        <div class="search">
          <TextField
            label="Search"
            wide
            value={values.get('term') ?? ''}
            onText={(value) => edit('term', value)}
            placeholder="Request id, wallet, deposit address or transaction hash"
          />
          {FIRST.map((filter) => field(filter, true))}
          <button type="submit" class="primary">
            Search
          </button>
        </div>
        <details class="card" open={hidden > 0}>
          <summary>More filters{hidden > 0 ? ` (${hidden} set)` : ''}</summary>
          <div class="body stack">
            {GROUPS.map(([title, filters]) => (
              <fieldset key={title}>
                <legend>{title}</legend>
                <div class="filters">{filters.map((filter) => field(filter, false))}</div>
              </fieldset>
            ))}
            <div class="row">
              <button type="submit">Search</button>
              {text !== '' && <a href={href('/requests')}>Clear all</a>}
            </div>
          </div>
        </details>
      </form>
    </search>
  );
}
