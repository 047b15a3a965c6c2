import { useState } from 'preact/hooks';
import { call } from '../../api/client.js';
import { microUsdText, toSmallest } from '../../format.js';
import type { Operations, SponsorPolicy } from '../../generated/api.js';
import { ActionsHead, Card, Scroll } from '../../parts/card.js';
import { Dialog } from '../../parts/dialog.js';
import { TextField } from '../../parts/field.js';
import { FormFoot } from '../../parts/form-foot.js';
import { useAction } from '../../state/use-action.js';

type KeyPolicy = Operations['GET /app-balance']['answer']['keys'][number];

const LIMITS = [
  ['maxPerCall', 'Per call'],
  ['maxPerUser', 'Per user and day'],
  ['maxPerDay', 'Per day'],
  ['maxPerMonth', 'Per month'],
] as const;

export function Policies({ keys, onDone }: { readonly keys: readonly KeyPolicy[]; readonly onDone: () => void }) {
  const [editing, setEditing] = useState<KeyPolicy>();
  return (
    <Card title="What keys may sponsor" hint="Limits in US dollars; days and months are UTC">
      <Scroll label="Table of limits">
        <table>
          <thead>
            <tr>
              <th>Key</th>
              {LIMITS.map(([name, words]) => (
                <th key={name} class="num">
                  {words}
                </th>
              ))}
              <th class="num">Used today</th>
              <th class="num">Used this month</th>
              <ActionsHead />
            </tr>
          </thead>
          <tbody>
            {keys.map((one) => (
              <tr key={one.keyId}>
                <td>
                  <code>{one.keyId}</code>
                  {one.policy?.targets && <span class="sub">{one.policy.targets.length} contracts alone</span>}
                </td>
                {LIMITS.map(([name]) => (
                  <td key={name} class="num">
                    {one.policy?.[name] === undefined ? <span class="muted">–</span> : microUsdText(one.policy[name])}
                  </td>
                ))}
                <td class="num">{microUsdText(one.used.day)}</td>
                <td class="num">{microUsdText(one.used.month)}</td>
                <td class="num">
                  <button type="button" class="tight" onClick={() => setEditing(one)}>
                    Limits
                  </button>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </Scroll>
      {editing && (
        <Edit
          of={editing}
          onClose={() => setEditing(undefined)}
          onDone={() => {
            setEditing(undefined);
            onDone();
          }}
        />
      )}
    </Card>
  );
}

function Edit({
  of: { keyId, policy },
  onClose,
  onDone,
}: {
  readonly of: KeyPolicy;
  readonly onClose: () => void;
  readonly onDone: () => void;
}) {
  const [limits, setLimits] = useState<Readonly<Record<string, string>>>(() =>
    Object.fromEntries(
      LIMITS.map(([name]) => [
        name,
        policy?.[name] === undefined ? '' : microUsdText(policy[name]).replace(/[$,]/g, ''),
      ]),
    ),
  );
  const { run, busy, problem } = useAction(() => {
    // What this form does not show stays as it is.
    const next: Record<string, unknown> = { ...policy };
    for (const [name, words] of LIMITS) {
      const text = limits[name]?.trim() ?? '';
      const micro = toSmallest(text, 6);
      if (text !== '' && micro === undefined) throw new Error(`${words}: dollars with at most six decimals`);
      if (micro === undefined) delete next[name];
      else next[name] = micro;
    }
    return call('POST /app-balance/policy', {
      body: { keyId, policy: Object.keys(next).length === 0 ? null : (next as SponsorPolicy) },
    });
  });
  return (
    <Dialog title={`Limits of ${keyId}`} onClose={onClose}>
      <form
        class="stack"
        onSubmit={async (event) => {
          event.preventDefault();
          if (await run()) onDone();
        }}
      >
        {LIMITS.map(([name, words]) => (
          <TextField
            key={name}
            label={`${words} (USD)`}
            value={limits[name] ?? ''}
            onText={(text) => setLimits({ ...limits, [name]: text })}
            inputMode="decimal"
            hint="Empty: no limit"
          />
        ))}
        <FormFoot problem={problem} label="Save" disabled={busy} onCancel={onClose} />
      </form>
    </Dialog>
  );
}
