import { REVERT_TYPES } from '../../contract/call-revert.js';
import { list, mapOf, named, object, oneOf, text } from '../schema.js';

export const REVERT_FRAME = named(
  'RevertFrame',
  object(
    { type: text({ description: "Kind of call, in the chain's terms.", examples: ['CALL'] }) },
    {
      address: text(),
      contract: text({ description: 'Name of the contract, if the service knows it.' }),
      function: text({ description: 'Name of the function, if its selector is known.' }),
      selector: text({ examples: ['0xa9059cbb'] }),
      error: text({ description: 'Error text of the node.' }),
      revertReason: text({ description: 'Reason given by the contract.' }),
      gasUsed: text({ pattern: '^[0-9]+$', description: "Decimal, in the chain's unit of work." }),
    },
  ),
);

export const DECODED_ERROR = named(
  'DecodedError',
  object(
    {
      type: oneOf(REVERT_TYPES),
      label: text({
        description:
          'A fail reason if the error corresponds to one, otherwise its name in the same style; `UNKNOWN_CUSTOM_ERROR_<selector>` for an unknown error.',
        examples: ['INVALID_SIGNATURE', 'UNKNOWN_CUSTOM_ERROR_0xdeadbeef'],
      }),
      message: text(),
    },
    {
      selector: text(),
      name: text({ examples: ['ERC20InsufficientBalance'] }),
      args: mapOf(text()),
      rawArgsHex: text({ description: 'Arguments that could not be decoded; long ones are truncated.' }),
    },
  ),
);

export const CALL_REVERT = named(
  'CallRevert',
  object({
    topLevel: REVERT_FRAME,
    innermost: REVERT_FRAME,
    path: list(REVERT_FRAME, { description: 'From the call itself to the call within it that failed first.' }),
    revert: DECODED_ERROR,
  }),
);
