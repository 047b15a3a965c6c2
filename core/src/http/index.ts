/** For plugins that connect to others over HTTP: connections that do not lead into this machine's network. */
export { isInside, LEADS_INSIDE, lookupOutside } from './inside.js';
export { LEADS_NOWHERE, type NameSettings, Names, TOO_MANY_NAMES } from './names.js';
export type { ShareLimits } from './shares.js';
