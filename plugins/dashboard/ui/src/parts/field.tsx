import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';

interface FieldProps {
  readonly label: string;
  readonly hint?: string;
  readonly wrong?: string | undefined;
  readonly wide?: boolean;
  readonly children: (attributes: {
    readonly id: string;
    readonly 'aria-describedby'?: string;
    readonly 'aria-invalid'?: boolean;
  }) => ComponentChildren;
}

/** A labelled control with its hint, and what is wrong with it. */
export function Field({ label, hint, wrong, wide = false, children }: FieldProps) {
  const id = useId();
  const described = hint || wrong ? { 'aria-describedby': `${id}-d` } : {};
  return (
    <div class={wide ? 'field wide' : 'field'}>
      <label for={id}>{label}</label>
      {children({ id, ...described, ...(wrong ? { 'aria-invalid': true } : {}) })}
      {(hint || wrong) && (
        <span id={`${id}-d`} class={wrong ? 'wrong' : 'hint'}>
          {wrong ?? hint}
        </span>
      )}
    </div>
  );
}

interface TextProps {
  readonly label: string;
  readonly value: string;
  readonly onText: (text: string) => void;
  readonly hint?: string;
  readonly wrong?: string | undefined;
  readonly type?: 'text' | 'password' | 'url';
  readonly placeholder?: string;
  readonly wide?: boolean;
  readonly required?: boolean;
  readonly inputMode?: 'decimal' | 'numeric' | 'text';
}

export function TextField({ label, value, onText, hint, wrong, wide, type = 'text', ...more }: TextProps) {
  return (
    <Field label={label} {...(hint ? { hint } : {})} wrong={wrong} wide={wide ?? false}>
      {(attributes) => (
        <input
          {...attributes}
          {...more}
          // The types of each kind of input differ in attributes that none of these has.
          type={type as 'text'}
          autocomplete="off"
          spellcheck={false}
          value={value}
          onInput={(event) => onText(event.currentTarget.value)}
        />
      )}
    </Field>
  );
}

interface ChoiceProps {
  readonly label: string;
  readonly value: string;
  readonly onText: (text: string) => void;
  /** Pairs of value and words. */
  readonly options: readonly (readonly [string, string])[];
  readonly hint?: string;
  readonly wrong?: string | undefined;
}

export function Choice({ label, value, onText, options, hint, wrong }: ChoiceProps) {
  return (
    <Field label={label} {...(hint ? { hint } : {})} wrong={wrong}>
      {(attributes) => (
        <select {...attributes} value={value} onChange={(event) => onText(event.currentTarget.value)}>
          {options.map(([each, words]) => (
            <option key={each} value={each}>
              {words}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}

interface ChecksProps {
  readonly label: string;
  readonly options: readonly (readonly [string, string])[];
  readonly chosen: readonly string[];
  readonly onChosen: (chosen: readonly string[]) => void;
}

export function Checks({ label, options, chosen, onChosen }: ChecksProps) {
  return (
    <fieldset>
      <legend>{label}</legend>
      <div class="checks">
        {options.map(([value, words]) => (
          <label key={value}>
            <input
              type="checkbox"
              checked={chosen.includes(value)}
              onChange={(event) =>
                onChosen(event.currentTarget.checked ? [...chosen, value] : chosen.filter((one) => one !== value))
              }
            />
            {words}
          </label>
        ))}
      </div>
    </fieldset>
  );
}
