import type { Random } from '../../contract/clock.js';

const SANE = /^[A-Za-z0-9][A-Za-z0-9._:-]{0,63}$/;

/** The client's `X-Request-Id` if it is safe, else a new id of this process. */
export type RequestIds = (given: string | readonly string[] | undefined) => string;

export function createRequestIds(random: Pick<Random, 'hex'>): RequestIds {
  const run = random.hex(4).slice(2);
  let count = 0;
  return (given) => {
    if (typeof given === 'string' && SANE.test(given)) return given;
    count += 1;
    return `${run}-${count.toString(36)}`;
  };
}
