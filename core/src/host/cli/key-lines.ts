export interface ListedIntegrator {
  readonly id: string;
  readonly name: string;
  readonly fundingAddress: string | null;
}

/** Times are Unix milliseconds. */
export interface ListedKey {
  readonly id: string;
  readonly name: string | null;
  readonly prefix: string;
  readonly integratorId: string;
  readonly state: string;
  readonly scopes: readonly string[];
  readonly tier: string;
  readonly privateChains: readonly string[];
  readonly expiresAt: number | null;
  readonly revokedAt: number | null;
  readonly replacedBy: string | null;
}

export function integratorLine({ id, name, fundingAddress }: ListedIntegrator): string {
  return `${id}  ${name}  ${fundingAddress ?? 'no funding address'}`;
}

/** `key_1  app / laptop  active until 2026-12-01T…  scopes *  default rates`. */
export function keyLine(key: ListedKey, integrators: readonly ListedIntegrator[]): string {
  const integrator = integrators.find(({ id }) => id === key.integratorId)?.name ?? key.integratorId;
  const time = (at: number) => new Date(at).toISOString();
  const since = key.revokedAt ?? key.expiresAt;
  const until = key.state === 'active' ? (since === null ? 'active' : `active until ${time(since)}`) : key.state;
  const parts = [
    key.id,
    key.name === null ? integrator : `${integrator} / ${key.name}`,
    until,
    `scopes ${key.scopes.join(',')}`,
    `${key.tier} rates`,
    ...(key.privateChains.length === 0 ? [] : [`private chains ${key.privateChains.join(',')}`]),
    ...(key.replacedBy === null ? [] : [`replaced by ${key.replacedBy}`]),
  ];
  return parts.join('  ');
}
