const NAME = 'causeway_dashboard';
const PATH = '/dashboard';

/**
 * The session token among the cookies; undefined: none. Two of the name are one too many: another service of this host
 * can add one, and must not choose which session is used.
 */
export function tokenIn(header: string | undefined): string | undefined {
  const values = (header ?? '')
    .split(';')
    .map((pair) => pair.trim().split('='))
    .filter(([name]) => name === NAME)
    .map(([, ...value]) => value.join('='));
  // guard: dashboard-one-cookie
  return new Set(values).size > 1 ? '' : values[0];
}

/** @param isSecure false only where the service is reached by http, on a local build. */
export function sessionCookie(token: string, maxAgeS: number, isSecure: boolean): string {
  const flags = ['HttpOnly', 'SameSite=Strict', ...(isSecure ? ['Secure'] : [])];
  return [`${NAME}=${token}`, `Path=${PATH}`, `Max-Age=${maxAgeS}`, ...flags].join('; ');
}
