import { useState } from 'preact/hooks';
import type { ApiKey } from '../../generated/api.js';
import { Card } from '../../parts/card.js';
import { Empty, Show } from '../../parts/states.js';
import type { Loaded } from '../../state/use-load.js';
import { type KeyCommands, KeyTable } from './key-table.js';

interface Props {
  readonly of: Loaded<{ readonly keys: readonly ApiKey[] }>;
  readonly commands: KeyCommands;
  readonly ownerOf?: (id: string) => string;
  readonly current?: string | null;
  readonly onGrant?: (key: ApiKey) => void;
  readonly onSecret: (secret: string) => void;
}

/** Newest first; ended ones on demand. */
export function KeysCard({ of, ...rest }: Props) {
  const [all, setAll] = useState(false);
  return (
    <Card
      title="API keys"
      actions={
        <label class="row small">
          <input type="checkbox" checked={all} onChange={(event) => setAll(event.currentTarget.checked)} />
          with ended keys
        </label>
      }
    >
      <Show of={of}>
        {({ keys }) => {
          const shown = keys
            .filter(({ state }) => all || state === 'active')
            .toSorted((a, b) => b.createdAt - a.createdAt);
          return shown.length === 0 ? (
            <Empty title="No key yet" />
          ) : (
            <KeyTable keys={shown} onDone={of.reload} {...rest} />
          );
        }}
      </Show>
    </Card>
  );
}
