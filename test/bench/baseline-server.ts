import { serveBareQuotes } from './bare-quotes.js';

/** Baseline of quotes: validates the body and returns a small object. */
serveBareQuotes(() => ({ ok: true }));
