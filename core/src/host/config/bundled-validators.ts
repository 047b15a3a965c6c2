import { createHash } from 'node:crypto';
import type { ValidateFunction } from 'ajv/dist/2020.js';
import { fromBundle } from '../plugins/bundle.js';

type Schema = Readonly<Record<string, unknown>>;

/** Names the compiled form of a schema in the bundle. Equal for schemas that are equal as JSON, which is all that ajv reads. */
export function validatorName(schema: Schema): string {
  return `validator:${createHash('sha256').update(JSON.stringify(schema)).digest('hex')}`;
}

/** The compiled form of a schema, if this process runs from a bundle that has it (`core/build-validators.mjs`). */
export function bundledValidator(schema: Schema): ValidateFunction | undefined {
  return fromBundle(validatorName(schema)) as ValidateFunction | undefined;
}
