import { Ajv2020 } from 'ajv/dist/2020.js';

const ajv = new Ajv2020({ allErrors: true, useDefaults: true, coerceTypes: true, strict: false });

/** Options as the host passes them to a plugin: validated, with defaults. */
export function filledOptions<T>(schema: object, options: object): T {
  const copy: unknown = structuredClone(options);
  const validate = ajv.compile<T>(schema);
  if (!validate(copy)) throw new Error(ajv.errorsText(validate.errors));
  return copy;
}
