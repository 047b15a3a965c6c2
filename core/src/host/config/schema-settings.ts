import type { Options } from 'ajv/dist/2020.js';

/** How schemas of the config are compiled: at a start (`schema-validator.ts`), and for the bundle (`build-validators.mjs`). */
export const SCHEMA_SETTINGS = {
  allErrors: true,
  useDefaults: true,
  coerceTypes: true,
  strict: false,
  verbose: true,
} as const satisfies Options;
