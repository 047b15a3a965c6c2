import type { ErrorObject } from 'ajv/dist/2020.js';

/** A failed choice repeats errors per branch and level; this keeps those of the best-fitting branch. */
export function dropNoise(errors: readonly ErrorObject[]): readonly ErrorObject[] {
  const choices = errors.filter(({ keyword }) => keyword === 'anyOf' || keyword === 'oneOf');
  const branching = new Set(['anyOf', 'oneOf', 'if', 'not', 'allOf']);
  const unfit = new Set(choices.flatMap((choice) => unfitting(choice, errors)));
  const plain = errors.filter(
    (error) =>
      !unfit.has(error) && (!branching.has(error.keyword) || (choices.includes(error) && isWhole(error, errors))),
  );
  const kept = plain.length > 0 ? plain : errors;
  const seen = new Set<string>();
  return kept
    .map((error) => withAllConstants(error, errors))
    .filter((error) => {
      const id = `${error.instancePath} ${error.keyword} ${JSON.stringify(error.params)}`;
      return !seen.has(id) && seen.add(id);
    });
}

function branchesOf(choice: ErrorObject, errors: readonly ErrorObject[]): readonly (readonly ErrorObject[])[] {
  const branches = new Map<string, ErrorObject[]>();
  for (const error of errors) {
    if (!error.schemaPath.startsWith(`${choice.schemaPath}/`)) continue;
    if (error.instancePath !== choice.instancePath && !error.instancePath.startsWith(`${choice.instancePath}/`))
      continue;
    const branch = error.schemaPath.slice(choice.schemaPath.length + 1).split('/')[0] ?? '';
    branches.set(branch, [...(branches.get(branch) ?? []), error]);
  }
  return [...branches.values()].sort((a, b) => compare(misfit(a, choice), misfit(b, choice)));
}

function isWhole(choice: ErrorObject, errors: readonly ErrorObject[]): boolean {
  const [best] = branchesOf(choice, errors);
  return best === undefined || fitsSeveral(choice) || (misfit(best, choice)[0] ?? 0) > 0;
}

function fitsSeveral({ params }: ErrorObject): boolean {
  return Array.isArray((params as { readonly passingSchemas?: unknown }).passingSchemas);
}

function unfitting(choice: ErrorObject, errors: readonly ErrorObject[]): readonly ErrorObject[] {
  if (isWhole(choice, errors)) return branchesOf(choice, errors).flat();
  const [best = [], ...others] = branchesOf(choice, errors);
  const reporting = best.filter((error) => reports(error, choice));
  return [...others.flat(), ...(reporting.length > 0 ? best.filter((error) => !reporting.includes(error)) : [])];
}

/** If no branch has the discriminating constant, lists the constants of all. */
function withAllConstants(error: ErrorObject, errors: readonly ErrorObject[]): ErrorObject {
  if (!isConstant(error)) return error;
  const same = errors.filter(({ keyword, instancePath }) => keyword === 'const' && instancePath === error.instancePath);
  if (same.length < 2) return error;
  return { ...error, keyword: 'enum', params: { allowedValues: same.map(({ params }) => params['allowedValue']) } };
}

function isConstant({ keyword }: ErrorObject): boolean {
  return keyword === 'const' || keyword === 'enum';
}

function reports(error: ErrorObject, { instancePath }: ErrorObject): boolean {
  return (
    isConstant(error) &&
    error.instancePath !== instancePath &&
    !error.instancePath.slice(instancePath.length + 1).includes('/')
  );
}

export function expectedOf(choice: ErrorObject): string {
  if (fitsSeveral(choice)) return 'one of several forms, and fits more than one';
  const branches = choice.schema as readonly {
    readonly const?: unknown;
    readonly enum?: unknown[];
    readonly type?: unknown;
  }[];
  const reported = branches.map(({ const: constant, enum: values, type }) => {
    if (constant !== undefined) return JSON.stringify(constant);
    return values === undefined ? article(type ?? 'value of another form') : values.join(', ');
  });
  return [...new Set(reported)].join(' or ');
}

export function article(type: unknown): string {
  const name = String(type);
  return /^[aeiou]/.test(name) ? `an ${name}` : `a ${name}`;
}

/**
 * Rank of a branch, worst first: wrong kind of value; wrong discriminating constant; missing or unknown keys; other
 * errors.
 */
function misfit(branch: readonly ErrorObject[], choice: ErrorObject): readonly number[] {
  const isHere = ({ instancePath }: ErrorObject) => instancePath === choice.instancePath;
  const keys = ['required', 'additionalProperties', 'unevaluatedProperties'];
  const counts = [
    (error: ErrorObject) => isHere(error) && (error.keyword === 'type' || isConstant(error)),
    (error: ErrorObject) => reports(error, choice),
    (error: ErrorObject) => isHere(error) && keys.includes(error.keyword),
    () => true,
  ];
  return counts.map((counted) => branch.filter(counted).length);
}

function compare(a: readonly number[], b: readonly number[]): number {
  const at = a.findIndex((count, index) => count !== b[index]);
  return at < 0 ? 0 : (a[at] ?? 0) - (b[at] ?? 0);
}
