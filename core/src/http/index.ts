/** For plugins that ask, or tell, others over HTTP: connections that do not lead into the network of this machine. */
export { isInside, LEADS_INSIDE, lookupOutside, lookupOutsideBut } from './inside.js';
