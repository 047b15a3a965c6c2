import { list, mapOf, named, object, oneOf, text } from '../schema.js';

const FRAME = named(
  'CallRevertFrame',
  object(
    { type: text() },
    {
      address: text(),
      contract: text(),
      function: text(),
      selector: text(),
      error: text(),
      revertReason: text(),
      gasUsed: text({ description: 'Decimal.' }),
    },
  ),
);

export const CALL_REVERT = named(
  'CallRevert',
  object({
    topLevel: FRAME,
    innermost: FRAME,
    path: list(FRAME, { description: 'From the top to the innermost.' }),
    revert: object(
      {
        type: oneOf(['errorString', 'panic', 'customError', 'unknownCustomError', 'empty']),
        label: text(),
        message: text(),
      },
      { selector: text(), name: text(), args: mapOf(text()), rawArgsHex: text() },
    ),
  }),
);
