import { Choice, TextField } from '../../parts/field.js';

interface Props {
  readonly value: string;
  readonly onText: (value: string) => void;
  readonly wrong?: string | undefined;
}

export function TierChoice({ value, onText }: Props) {
  return (
    <Choice
      label="Tier"
      value={value}
      onText={onText}
      options={[
        ['default', 'default'],
        ['elevated', 'elevated: higher rate limits'],
      ]}
    />
  );
}

export function PrivateChainsField(props: Props) {
  return <TextField label="Private chains" hint="UUIDs, separated by commas" {...props} />;
}

export function tierOf(value: string): 'default' | 'elevated' {
  return value === 'elevated' ? 'elevated' : 'default';
}

export function privateChainsOf(text: string): readonly string[] {
  return text
    .split(',')
    .map((one) => one.trim())
    .filter((one) => one !== '');
}
