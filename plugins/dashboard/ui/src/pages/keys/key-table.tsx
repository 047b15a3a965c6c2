import { useState } from 'preact/hooks';
import { call } from '../../api/client.js';
import type { ApiKey } from '../../generated/api.js';
import { Act } from '../../parts/act.js';
import { Badge } from '../../parts/badge.js';
import { ActionsHead, Scroll } from '../../parts/card.js';
import { Copy } from '../../parts/copy.js';
import { Time } from '../../parts/time.js';
import { href } from '../../state/router.js';

const DAY_S = 86_400;

/** By an operator, or by an integrator for its own. */
export interface KeyCommands {
  readonly rotate: 'POST /admin/keys/rotate' | 'POST /keys/rotate';
  readonly revoke: 'POST /admin/keys/revoke' | 'POST /keys/revoke';
}

interface Props {
  readonly keys: readonly ApiKey[];
  readonly commands: KeyCommands;
  /** Name of the integrator; absent where all keys have the same. */
  readonly ownerOf?: (id: string) => string;
  /** Of the key that the page is signed in with. */
  readonly current?: string | null;
  readonly onGrant?: (key: ApiKey) => void;
  readonly onSecret: (secret: string) => void;
  readonly onDone: () => void;
}

export function KeyTable({ keys, commands, ownerOf, current, onGrant, onSecret, onDone }: Props) {
  return (
    <Scroll label="Table of keys">
      <table>
        <thead>
          <tr>
            <th>Key</th>
            {ownerOf && <th>Integrator</th>}
            <th>State</th>
            <th>Rights</th>
            <th class="num">Created</th>
            <th class="num">Last used</th>
            <ActionsHead />
          </tr>
        </thead>
        <tbody>
          {keys.map((key) => (
            <tr key={key.id}>
              <td>
                {key.name ?? <span class="muted">no name</span>}{' '}
                {key.id === current && <span class="tag">of this session</span>}
                <span class="sub">
                  <span class="hash">
                    <code class="short">{key.id}</code>
                    <Copy value={key.id} what="key id" />
                  </span>
                </span>
              </td>
              {ownerOf && <td>{ownerOf(key.integratorId)}</td>}
              <td>
                <Badge text={key.state} />
                {key.replacedBy && <span class="sub">replaced by {key.replacedBy}</span>}
              </td>
              <td>
                {key.scopes.includes('*') ? 'everything' : key.scopes.join(', ')}
                <span class="sub">
                  {key.tier} tier{key.privateChains.length > 0 && `, ${key.privateChains.length} private chains`}
                </span>
              </td>
              <td class="num">
                <Time at={key.createdAt} />
                {key.expiresAt !== null && (
                  <span class="sub">
                    {key.expiresAt > Date.now() ? 'expires' : 'expired'} <Time at={key.expiresAt} />
                  </span>
                )}
              </td>
              <td class="num">
                {key.lastUsedAt === null ? <span class="muted">not yet</span> : <Time at={key.lastUsedAt} />}
              </td>
              <td>
                <div class="row end">
                  <a class="small" href={href('/requests', new URLSearchParams({ apiKey: key.id }))}>
                    Requests
                  </a>
                  {key.state === 'active' && (
                    <Actions of={key} commands={commands} onSecret={onSecret} onDone={onDone} onGrant={onGrant} />
                  )}
                </div>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </Scroll>
  );
}

interface ActionsProps {
  readonly of: ApiKey;
  readonly commands: KeyCommands;
  readonly onSecret: (secret: string) => void;
  readonly onDone: () => void;
  readonly onGrant: ((key: ApiKey) => void) | undefined;
}

function Actions({ of, commands, onSecret, onDone, onGrant }: ActionsProps) {
  const [days, setDays] = useState('1');
  return (
    <>
      {onGrant && (
        <button type="button" class="tight" onClick={() => onGrant(of)}>
          Rights
        </button>
      )}
      <Act
        label="Rotate"
        title={`Rotate ${of.name ?? of.id}`}
        act={async () => {
          const overlapSeconds = Math.round(Number(days) * DAY_S);
          onSecret((await call(commands.rotate, { body: { keyId: of.id, overlapSeconds } })).secret);
        }}
        onDone={onDone}
      >
        <div class="stack">
          <p>Makes a new key with the same rights. Both are valid for the overlap, then this one ends.</p>
          <label class="field">
            Overlap, in days (0 to 30)
            <input
              type="number"
              min="0"
              max="30"
              step="any"
              value={days}
              onInput={(event) => setDays(event.currentTarget.value)}
            />
          </label>
        </div>
      </Act>
      <Act
        label="Revoke"
        title={`Revoke ${of.name ?? of.id}`}
        danger
        act={() => call(commands.revoke, { body: { keyId: of.id } })}
        onDone={onDone}
      >
        It is refused within ten seconds and its websockets are closed. This cannot be undone.
      </Act>
    </>
  );
}
