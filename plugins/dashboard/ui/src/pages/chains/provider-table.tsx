import { count } from '../../format.js';
import type { Overview } from '../../generated/api.js';
import { Badge, type Tone } from '../../parts/badge.js';
import { Scroll } from '../../parts/card.js';
import { Time } from '../../parts/time.js';

type Provider = Overview['chains'][number]['providers'][number];
type Testimony = NonNullable<Provider['testimony']>;

export const PROVIDER_TONES: Readonly<Record<Provider['state'], Tone>> = {
  ok: 'good',
  avoided: 'warn',
  down: 'bad',
  refused: 'bad',
  unchecked: 'none',
};

interface Props {
  readonly of: readonly Provider[];
  /** Whether several providers must report large deposits. */
  readonly asked: boolean;
  readonly label: string;
}

export function ProviderTable({ of, asked, label }: Props) {
  return (
    <Scroll label={label}>
      <table>
        <thead>
          <tr>
            <th>Provider</th>
            <th>State</th>
            <th class="num">Newest block</th>
            <th class="num">Behind</th>
            <th>On large deposits</th>
            <th class="num">Failed exchanges</th>
          </tr>
        </thead>
        <tbody>
          {of.map((one) => (
            <tr key={one.name}>
              <td class="nowrap">{one.name}</td>
              <td>
                <Badge text={one.state} tone={PROVIDER_TONES[one.state]} />
                {one.reason && <span class="sub">{one.reason}</span>}
              </td>
              <td class="num">
                {one.head ? count(one.head.height) : <span class="muted">not asked yet</span>}
                {one.head && (
                  <span class="sub">
                    <Time at={one.head.at} />
                  </span>
                )}
              </td>
              <td class="num">{behind(one)}</td>
              <td>
                {one.testimony ? (
                  <Says of={one.testimony} />
                ) : (
                  <span class="muted">{asked ? 'not asked yet' : 'never asked'}</span>
                )}
              </td>
              <td class="num nowrap">
                {count(one.failures)} of {count(one.exchanges)}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </Scroll>
  );
}

function behind({ head }: Provider): string {
  if (!head || head.behind === null) return '–';
  return head.behind === 0 ? 'no' : count(head.behind);
}

const WORDS: Readonly<Record<Testimony['says'], readonly [text: string, tone: Tone]>> = {
  same: ['agrees', 'good'],
  different: ['contradicts', 'bad'],
  nothing: ['does not have it', 'warn'],
};

function Says({ of: { says, since, at } }: { readonly of: Testimony }) {
  const [text, tone] = WORDS[says];
  return (
    <>
      <Badge text={text} tone={tone} />
      <span class="sub">
        since <Time at={since} />, last asked <Time at={at} />
      </span>
    </>
  );
}
