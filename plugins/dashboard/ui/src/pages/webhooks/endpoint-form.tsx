import { useState } from 'preact/hooks';
import { call } from '../../api/client.js';
import type { Integrator, Operations, WebhookEndpoint } from '../../generated/api.js';
import { Dialog } from '../../parts/dialog.js';
import { Checks, Choice, TextField } from '../../parts/field.js';
import { FormFoot } from '../../parts/form-foot.js';
import { useChains } from '../../state/chains.js';
import { useAction } from '../../state/use-action.js';

type Body = Operations['POST /webhooks/endpoints']['body'];

const STATUSES = ['waiting', 'depositing', 'pending', 'submitted', 'success', 'failure', 'refund', 'fallback'] as const;
const SIGNATURES = [
  ['standard', 'Standard Webhooks'],
  ['timestamped', 'Timestamp and SHA-256'],
] as const;

interface Props {
  /** Null: a new one. */
  readonly of: WebhookEndpoint | null;
  /** To choose from; empty for those who have endpoints of their own alone. */
  readonly integrators: readonly Integrator[];
  readonly onClose: () => void;
  /** With a secret where there is a new one. */
  readonly onDone: (secret: string | undefined) => void;
}

export function EndpointForm({ of, integrators, onClose, onDone }: Props) {
  const chains = useChains();
  const [url, setUrl] = useState(of?.url ?? '');
  const [description, setDescription] = useState(of?.description ?? '');
  const [statuses, setStatuses] = useState<readonly string[]>(of?.statuses ?? []);
  const [chosenChains, setChains] = useState<readonly string[]>((of?.chains ?? []).map(String));
  const [signatures, setSignatures] = useState<readonly string[]>(of?.signatures ?? ['standard']);
  const [headers, setHeaders] = useState('');
  const [owner, setOwner] = useState(integrators[0]?.id ?? '');
  const { run, busy, problem, field } = useAction(async () => {
    const body = {
      url: url.trim(),
      description: description.trim() === '' ? null : description.trim(),
      statuses: statuses as NonNullable<Body['statuses']>,
      chains: chosenChains.map(Number),
      signatures: signatures as NonNullable<Body['signatures']>,
      ...(headers.trim() === '' ? {} : { headers: headersOf(headers) }),
    };
    if (of) return call('POST /webhooks/endpoints/{id}', { path: { id: of.id }, body });
    return call('POST /webhooks/endpoints', {
      body: { ...body, ...(integrators.length > 0 ? { integratorId: owner || (integrators[0]?.id ?? '') } : {}) },
    });
  });

  return (
    <Dialog title={of ? 'Change the endpoint' : 'New endpoint'} onClose={onClose}>
      <form
        class="stack"
        onSubmit={async (event) => {
          event.preventDefault();
          const answer = await run();
          if (answer) onDone(answer.secret);
        }}
      >
        {!of && integrators.length > 0 && (
          <Choice
            label="Integrator"
            value={owner || (integrators[0]?.id ?? '')}
            onText={setOwner}
            options={integrators.map(({ id, name }) => [id, name] as const)}
          />
        )}
        <TextField
          label="URL"
          type="url"
          value={url}
          onText={setUrl}
          required
          wrong={field === 'url' ? problem : undefined}
          hint="A public address behind https, unless the operator allows others"
        />
        <TextField label="Description" value={description} onText={setDescription} />
        <Checks
          label="Events (none chosen: all)"
          options={STATUSES.map((one) => [one, one] as const)}
          chosen={statuses}
          onChosen={setStatuses}
        />
        <Checks
          label="Chains (none chosen: all)"
          options={chains.map(({ id, displayName }) => [String(id), displayName] as const)}
          chosen={chosenChains}
          onChosen={setChains}
        />
        <Checks label="Signatures" options={SIGNATURES} chosen={signatures} onChosen={setSignatures} />
        <label class="field">
          Headers of each post, one “Name: value” a line; kept encrypted and never shown again
          <textarea value={headers} spellcheck={false} onInput={(event) => setHeaders(event.currentTarget.value)} />
        </label>
        <FormFoot
          problem={field !== 'url' && problem}
          label={of ? 'Save' : 'Register'}
          disabled={busy || url.trim() === ''}
          onCancel={onClose}
        />
      </form>
    </Dialog>
  );
}

function headersOf(text: string): Record<string, string> {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  return Object.fromEntries(
    lines.map((line) => {
      const at = line.indexOf(':');
      if (at < 1) throw new Error(`Headers: “${line.trim()}” has no colon`);
      return [line.slice(0, at).trim(), line.slice(at + 1).trim()];
    }),
  );
}
