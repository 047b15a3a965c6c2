import { useState } from 'preact/hooks';
import { call } from '../../api/client.js';
import type { Session } from '../../api/session.js';
import type { Quote } from '../../generated/api.js';
import { Card } from '../../parts/card.js';
import { href } from '../../state/router.js';
import { useTitle } from '../../state/title.js';
import { useAction } from '../../state/use-action.js';
import { useLoad } from '../../state/use-load.js';
import { testAccounts } from './devnet.js';
import { QuoteCard } from './quote-card.js';
import { QuoteForm } from './quote-form.js';
import { type Sent, StepsCard } from './steps-card.js';
import { Watch } from './watch.js';

/** A transfer from the quote to its end; the quote is open to those without a key, too. */
export function TryPage({ session }: { readonly session: Session | null }) {
  useTitle('Try it');
  const [quote, setQuote] = useState<Quote>();
  const [sent, setSent] = useState<readonly Sent[]>([]);
  const accounts = useLoad(`accounts ${session === null}`, async (signal) => (session ? testAccounts(signal) : []));
  const ask = useAction(call<'POST /quote/v2'>);
  const requestId = quote?.steps.find((step) => step.requestId)?.requestId;

  return (
    <>
      <div class="head">
        <h1>Try it</h1>
        <span class="muted">Ask for a quote, send its steps, watch what happens.</span>
        <div class="actions">
          <a class="button" href="/docs" target="_blank" rel="noreferrer noopener">
            Interface
          </a>
        </div>
      </div>
      <Card title="Ask">
        <QuoteForm
          accounts={accounts.data ?? []}
          busy={ask.busy}
          problem={ask.problem}
          field={ask.field}
          onAsk={async (body) => {
            const answer = await ask.run('POST /quote/v2', { body });
            if (!answer) return;
            setSent([]);
            setQuote(answer);
          }}
        />
      </Card>
      {quote && (
        <>
          <QuoteCard quote={quote} />
          <div class="two">
            <div>
              <StepsCard
                key={requestId}
                quote={quote}
                accounts={accounts.data ?? []}
                sent={sent}
                onSent={(one) => setSent((all) => [...all, one])}
              />
            </div>
            <div>{requestId && <Watch key={requestId} requestId={requestId} />}</div>
          </div>
          {requestId && session && (
            <p>
              <a href={href(`/requests/${requestId}`)}>The page of this request</a>
            </p>
          )}
        </>
      )}
    </>
  );
}
