/** What the service answered where it did not do what was asked. */
export class Failure extends Error {
  constructor(
    /** HTTP status; 0: no answer. */
    readonly status: number,
    readonly code: string,
    message: string,
    /** Field of the body or the query that is at fault. */
    readonly field: string | undefined,
  ) {
    super(message);
  }
}

export async function failureOf(answer: Response): Promise<Failure> {
  const body: unknown = await answer.json().catch(() => ({}));
  const { message, errorCode, errorData } = body as {
    readonly message?: unknown;
    readonly errorCode?: unknown;
    readonly errorData?: { readonly field?: unknown };
  };
  const field = errorData?.field;
  return new Failure(
    answer.status,
    typeof errorCode === 'string' ? errorCode : `HTTP ${answer.status}`,
    typeof message === 'string' ? message : `The service answered ${answer.status}`,
    typeof field === 'string' ? field : undefined,
  );
}

/** In words for people. */
export function wordsOf(error: unknown): string {
  if (error instanceof Failure && error.status === 0) return 'The service does not answer.';
  return error instanceof Error ? error.message : String(error);
}
