import type { OptionsSchema } from '@causeway/core';

export interface ScreeningListOptions {
  /** Relative to the folder of the config. */
  readonly file: string;
}

export const optionsSchema: OptionsSchema = {
  type: 'object',
  additionalProperties: false,
  required: ['file'],
  properties: {
    file: {
      type: 'string',
      minLength: 1,
      description:
        'Text file of addresses that are blocked, one a line: a chain id or * for every chain, the address, and why, for operators. Lines that begin with # are remarks. Relative to this file. A change counts from the next question on; write a new file and rename it into place.',
      examples: ['./blocked.txt'],
    },
  },
};
