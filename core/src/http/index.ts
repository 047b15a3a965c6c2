export { type BoundedAnswer, type BoundedRequest, boundedFetch, NoAnswerError } from './bounded-fetch.js';
export { isInside, LEADS_INSIDE, lookupOutside } from './inside.js';
export { LEADS_NOWHERE, type NameSettings, Names, TOO_MANY_NAMES } from './names.js';
export type { ShareLimits } from './shares.js';
export { readStaticFiles, type StaticFiles, type StaticFilesOptions } from './static-files.js';
