import type { OptionsSchema } from '@causeway/core';

export interface DashboardOptions {
  readonly sessionMs: number;
  readonly triesPerQuarterHour: number;
}

export const optionsSchema: OptionsSchema = {
  type: 'object',
  additionalProperties: false,
  properties: {
    sessionMs: {
      type: 'integer',
      minimum: 60_000,
      maximum: 604_800_000,
      default: 43_200_000,
      description: 'How long a sign-in lasts, in milliseconds.',
    },
    triesPerQuarterHour: {
      type: 'integer',
      minimum: 1,
      maximum: 1_000,
      default: 10,
      description: 'Wrong keys and links that one address (of IPv6: its /64) may try in 15 minutes.',
    },
  },
};
