import { type AdminTarget, callAdmin } from './admin-client.js';
import { type Arguments, textFlag } from './arguments.js';
import { UsageError } from './command.js';
import type { ListedIntegrator } from './key-lines.js';

export async function integrators(target: AdminTarget): Promise<readonly ListedIntegrator[]> {
  return (await callAdmin<{ integrators: readonly ListedIntegrator[] }>(target, 'integrators')).integrators;
}

/** By id or name. @throws UsageError where several have the name. */
export function idOf(asked: string, known: readonly ListedIntegrator[]): string | undefined {
  const byId = known.find(({ id }) => id === asked);
  if (byId) return byId.id;
  const named = known.filter(({ name }) => name === asked);
  if (named.length > 1)
    throw new UsageError(
      `${asked} is the name of ${named.length} integrators: ${named.map(({ id }) => id).join(', ')}`,
    );
  return named[0]?.id;
}

/** Of `--integrator`. @throws UsageError where no integrator has that name or id. */
export function integratorIn(parsed: Arguments, known: readonly ListedIntegrator[]): string | undefined {
  const asked = textFlag(parsed, 'integrator');
  if (asked === undefined) return undefined;
  const id = idOf(asked, known);
  if (id === undefined) throw new UsageError(`no integrator is called ${asked}`);
  return id;
}
