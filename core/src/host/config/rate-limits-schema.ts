import { RATE_PATTERN } from './rates.js';
import { type Schema, section } from './schema-parts.js';

export const rate = (description: string, value: string): Schema => ({
  type: 'string',
  pattern: RATE_PATTERN,
  description: `${description} A number per \`s\`, \`min\` or \`h\`, or \`off\`.`,
  default: value,
});
export const tier = (description: string, quotes: string, requests: string, legacyRequests: string): Schema =>
  section(description, {
    quotes: rate('Quotes and prices.', quotes),
    requests: rate('Listing of requests.', requests),
    legacyRequests: rate('The older listings of requests, together.', legacyRequests),
    other: rate('Everything else.', '200/min'),
  });
export const perSecond = (what: string): Schema => ({
  type: 'integer',
  minimum: 0,
  description: `${what} per second, instead of the tiers' rates; 0: no limit.`,
  examples: [20],
});
