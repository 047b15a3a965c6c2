import { useState } from 'preact/hooks';
import { call } from '../../api/client.js';
import type { Integrator } from '../../generated/api.js';
import { Act } from '../../parts/act.js';
import { ActionsHead, Card, Scroll } from '../../parts/card.js';
import { Hash } from '../../parts/copy.js';
import { TextField } from '../../parts/field.js';
import { Time } from '../../parts/time.js';

export function IntegratorsCard({
  integrators,
  onDone,
}: {
  readonly integrators: readonly Integrator[];
  readonly onDone: () => void;
}) {
  const [name, setName] = useState('');
  return (
    <Card
      title="Integrators"
      actions={
        <Act
          label="New integrator"
          title="New integrator"
          act={async () => {
            await call('POST /admin/integrators', { body: { name: name.trim() } });
            setName('');
          }}
          onDone={onDone}
        >
          <TextField
            label="Name"
            value={name}
            onText={setName}
            required
            hint="An integrator has keys, and owns the requests that were quoted with them."
          />
        </Act>
      }
    >
      <Scroll label="Table of integrators">
        <table>
          <thead>
            <tr>
              <th>Name</th>
              <th>Id</th>
              <th>Funding address</th>
              <th class="num">Created</th>
              <ActionsHead />
            </tr>
          </thead>
          <tbody>
            {integrators.map((one) => (
              <tr key={one.id}>
                <td>{one.name}</td>
                <td>
                  <Hash value={one.id} what="integrator id" />
                </td>
                <td>
                  {one.fundingAddress ? (
                    <Hash value={one.fundingAddress} what="funding address" />
                  ) : (
                    <span class="muted">none</span>
                  )}
                </td>
                <td class="num">
                  <Time at={one.createdAt} />
                </td>
                <td class="num">
                  <Link of={one} onDone={onDone} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </Scroll>
    </Card>
  );
}

function Link({ of, onDone }: { readonly of: Integrator; readonly onDone: () => void }) {
  const [address, setAddress] = useState(of.fundingAddress ?? '');
  const fundingAddress = address.trim() === '' ? null : address.trim();
  return (
    <Act
      label="Funding address"
      title={`Funding address of ${of.name}`}
      act={() => call('POST /admin/integrators/link', { body: { integratorId: of.id, fundingAddress } })}
      onDone={onDone}
    >
      <TextField
        label="Address"
        value={address}
        onText={setAddress}
        hint="Payments from here fund its app balance. Empty: none."
      />
    </Act>
  );
}
