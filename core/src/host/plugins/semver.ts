type Version = readonly [major: number, minor: number, patch: number];

function parse(text: string): Version | undefined {
  const match = /^v?(\d+)(?:\.(\d+|x|\*))?(?:\.(\d+|x|\*))?(?:[-+].*)?$/.exec(text.trim());
  if (!match) return undefined;
  const part = (value: string | undefined) => (value === undefined || /[x*]/.test(value) ? 0 : Number(value));
  return [Number(match[1]), part(match[2]), part(match[3])];
}

function compare(a: Version, b: Version): number {
  return a[0] - b[0] || a[1] - b[1] || a[2] - b[2];
}

function ceiling(operator: string, text: string, [major, minor, patch]: Version): Version {
  const parts = text.split('.').filter((part) => !/[x*]/.test(part)).length;
  if (operator === '~') return parts > 1 ? [major, minor + 1, 0] : [major + 1, 0, 0];
  if (operator === '^') {
    if (major > 0 || parts === 1) return [major + 1, 0, 0];
    if (minor > 0 || parts === 2) return [0, minor + 1, 0];
    return [0, 0, patch + 1];
  }
  if (parts === 3) return [major, minor, patch + 1];
  return parts === 2 ? [major, minor + 1, 0] : [major + 1, 0, 0];
}

function meets(version: Version, comparator: string): boolean | undefined {
  if (comparator === '*' || comparator === 'x') return true;
  const match = /^(\^|~|>=|<=|>|<|=)?(.+)$/.exec(comparator);
  const bound = match?.[2] === undefined ? undefined : parse(match[2]);
  if (!match?.[2] || !bound) return undefined;
  const operator = match[1] ?? '=';
  const order = compare(version, bound);
  if (operator === '>=') return order >= 0;
  if (operator === '<') return order < 0;
  if (operator === '<=') return compare(version, ceiling('=', match[2], bound)) < 0;
  if (operator === '>') return compare(version, ceiling('=', match[2], bound)) >= 0;
  return order >= 0 && compare(version, ceiling(operator, match[2], bound)) < 0;
}

/**
 * Comparators (`^ ~ >= <= > < =`, `*`) joined by spaces (all) and `||` (any), as in npm. Undefined for an unreadable
 * range. Pre-release tags are ignored.
 */
export function satisfies(version: string, range: string): boolean | undefined {
  const parsed = parse(version);
  if (!parsed || range.trim() === '') return undefined;
  const alternatives = range.split('||').map((alternative) => {
    const comparators = alternative
      .trim()
      .replace(/([<>=^~])\s+/g, '$1')
      .split(/\s+/);
    const results = comparators.map((comparator) => meets(parsed, comparator));
    return results.includes(undefined) ? undefined : results.every(Boolean);
  });
  return alternatives.includes(undefined) ? undefined : alternatives.some(Boolean);
}
