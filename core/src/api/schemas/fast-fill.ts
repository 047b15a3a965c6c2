import { anyOf, number, object, text } from '../schema.js';

const AMOUNT = { pattern: '^[0-9]{1,78}$' };

export const FAST_FILL_BODY = object(
  { requestId: text({ maxLength: 256, description: 'A request of this integrator whose deposit was seen.' }) },
  {
    solverInputCurrencyAmount: text({
      ...AMOUNT,
      description: 'Minimum deposited amount, in the smallest unit of the origin currency.',
    }),
    maxFillAmountUsd: anyOf(
      text({ pattern: '^[0-9]{1,12}([.][0-9]{1,6})?$', description: 'Maximum value at risk, in US dollars.' }),
      number({ minimum: 0, maximum: 1_000_000_000 }),
    ),
  },
);
