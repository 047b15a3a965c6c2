import { Checks } from '../../parts/field.js';

/** With what a key may do. */
const SCOPES = [
  ['*', 'everything'],
  ['quote', 'quote'],
  ['requests', 'requests'],
  ['execute', 'execute'],
  ['webhooks', 'webhooks'],
  ['balance', 'balance'],
] as const;

export type Scope = (typeof SCOPES)[number][0];

export function Scopes({
  chosen,
  onChosen,
}: {
  readonly chosen: readonly string[];
  readonly onChosen: (chosen: readonly Scope[]) => void;
}) {
  return (
    <Checks
      label="Scopes"
      options={SCOPES}
      chosen={chosen}
      onChosen={(next) => {
        // Everything includes each: the two exclude each other.
        const everything = next.includes('*') && !chosen.includes('*');
        onChosen((everything ? ['*'] : next.filter((one) => one !== '*' || next.length === 1)) as readonly Scope[]);
      }}
    />
  );
}
