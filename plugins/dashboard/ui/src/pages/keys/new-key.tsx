import { useState } from 'preact/hooks';
import { call } from '../../api/client.js';
import type { Integrator } from '../../generated/api.js';
import { Dialog } from '../../parts/dialog.js';
import { Choice, TextField } from '../../parts/field.js';
import { FormFoot } from '../../parts/form-foot.js';
import { useAction } from '../../state/use-action.js';
import { PrivateChainsField, privateChainsOf, TierChoice, tierOf } from './grants.js';
import { type Scope, Scopes } from './scopes.js';

const DAY_S = 86_400;

interface Props {
  readonly integrators: readonly Integrator[];
  readonly onClose: () => void;
  readonly onMade: (secret: string) => void;
}

export function NewKey({ integrators, onClose, onMade }: Props) {
  const [integratorId, setIntegrator] = useState(integrators[0]?.id ?? '');
  const [name, setName] = useState('');
  const [scopes, setScopes] = useState<readonly Scope[]>(['*']);
  const [tier, setTier] = useState('default');
  const [days, setDays] = useState('');
  const [chains, setChains] = useState('');
  const { run, busy, problem, field } = useAction(() =>
    call('POST /admin/keys', {
      body: {
        integratorId,
        name: name.trim() === '' ? null : name.trim(),
        scopes,
        tier: tierOf(tier),
        ...(chains.trim() === '' ? {} : { privateChains: privateChainsOf(chains) }),
        ...(days.trim() === '' ? {} : { expiresInSeconds: Math.round(Number(days) * DAY_S) }),
      },
    }),
  );
  const wrong = (of: string) => (field === of ? problem : undefined);
  return (
    <Dialog title="New key" onClose={onClose}>
      <form
        class="stack"
        onSubmit={async (event) => {
          event.preventDefault();
          const made = await run();
          if (made) onMade(made.secret);
        }}
      >
        <Choice
          label="Integrator"
          value={integratorId}
          onText={setIntegrator}
          options={integrators.map(({ id, name: title }) => [id, title] as const)}
          wrong={wrong('integratorId')}
        />
        <TextField
          label="Name"
          value={name}
          onText={setName}
          hint="For people; up to 100 characters"
          wrong={wrong('name')}
        />
        <Scopes chosen={scopes} onChosen={setScopes} />
        <TierChoice value={tier} onText={setTier} />
        <TextField
          label="Expires in days"
          value={days}
          onText={setDays}
          inputMode="decimal"
          hint="Empty: never"
          wrong={wrong('expiresInSeconds')}
        />
        <PrivateChainsField value={chains} onText={setChains} wrong={wrong('privateChains')} />
        <FormFoot
          problem={problem}
          label="Make the key"
          disabled={busy || integratorId === '' || scopes.length === 0}
          onCancel={onClose}
        />
      </form>
    </Dialog>
  );
}
