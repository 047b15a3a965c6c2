export type Tone = 'good' | 'warn' | 'bad' | 'busy' | 'none';

const TONES: Readonly<Record<string, Tone>> = {
  success: 'good',
  delivered: 'good',
  active: 'good',
  healthy: 'good',
  refund: 'warn',
  expired: 'warn',
  paused: 'warn',
  held: 'warn',
  failure: 'bad',
  failed: 'bad',
  revoked: 'bad',
  disabled: 'bad',
  halted: 'bad',
  pending: 'busy',
  submitted: 'busy',
  depositing: 'busy',
};

export function Badge({ text, tone }: { readonly text: string; readonly tone?: Tone | undefined }) {
  return <span class={`badge ${tone ?? TONES[text] ?? 'none'}`}>{text}</span>;
}
