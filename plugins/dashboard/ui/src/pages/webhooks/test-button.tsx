import { useState } from 'preact/hooks';
import { call } from '../../api/client.js';
import { duration } from '../../format.js';
import type { Operations } from '../../generated/api.js';
import { Dialog } from '../../parts/dialog.js';
import { useAction } from '../../state/use-action.js';

type Result = Operations['POST /webhooks/endpoints/{id}/test']['answer'];

/** Posts a signed test event, and shows what came back. */
export function TestButton({ id }: { readonly id: string }) {
  const [result, setResult] = useState<Result>();
  const { run, busy, problem } = useAction(() => call('POST /webhooks/endpoints/{id}/test', { path: { id } }));
  return (
    <>
      <button type="button" class="tight" disabled={busy} onClick={async () => setResult(await run())}>
        {busy ? 'Posting…' : 'Test'}
      </button>
      {problem && (
        <span class="note bad" role="alert">
          {problem}
        </span>
      )}
      {result && (
        <Dialog title={result.delivered ? 'Delivered' : 'Not delivered'} onClose={() => setResult(undefined)}>
          <p class={`note ${result.delivered ? 'good' : 'bad'}`}>
            {result.delivered ? `Answered in ${duration(result.tookMs)}` : (result.reason ?? 'It did not answer')}
          </p>
          {result.answer && (
            <>
              <p>Status {result.answer.status}</p>
              {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard. */}
              <pre tabIndex={0}>{result.answer.body === '' ? '(empty body)' : result.answer.body}</pre>
            </>
          )}
          <div class="row">
            <button type="button" class="primary" onClick={() => setResult(undefined)}>
              Close
            </button>
          </div>
        </Dialog>
      )}
    </>
  );
}
