import { type Schema, section } from './schema-parts.js';

const whole = (description: string): Schema => ({
  type: 'string',
  pattern: '^\\d{1,40}(\\.\\d{1,30})?$',
  description: `${description} In whole units of the currency, as exact decimal text.`,
  examples: ['50000'],
});

export const inventory: Schema = section('How much the solver is to hold.', {
  targets: {
    type: 'array',
    description:
      'What the filling signer of a chain is to have of a currency: `causeway inventory` shows the difference, and `causeway rebalance` plans transfers between them.',
    default: [],
    items: section(
      'One currency of a chain.',
      {
        chainId: { type: 'integer', minimum: 1, description: 'A configured chain.', examples: [8453] },
        currency: {
          type: 'string',
          minLength: 1,
          description: 'Symbol or address of one of its currencies.',
          examples: ['USDC'],
        },
        target: whole('What is to be held.'),
        min: { ...whole('Below it the alert `inventory-low` is raised.'), default: '0' },
      },
      ['chainId', 'currency', 'target'],
    ),
  },
});
