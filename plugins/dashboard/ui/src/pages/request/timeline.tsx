import { amountText, duration } from '../../format.js';
import type { Timeline as Story, TimelineEntry } from '../../generated/api.js';
import { Hash } from '../../parts/copy.js';
import { Time } from '../../parts/time.js';
import { chainName, chainOf, explorerLink, useChains } from '../../state/chains.js';
import { shown } from './entries.js';

/** What was decided, in order, each with its evidence. */
export function Timeline({ of }: { readonly of: Story }) {
  const begin = of.entries[0]?.at ?? 0;
  return (
    <>
      {of.waitsFor && (
        <div class="body">
          <p class="note warn">Waits for: {of.waitsFor}</p>
        </div>
      )}
      <ol class="timeline">
        {of.entries.map((entry, n) => (
          <Entry key={n} entry={entry} begin={begin} />
        ))}
      </ol>
      {of.truncated && <p class="body muted">There is more: the newest entries are left out.</p>}
    </>
  );
}

function Entry({ entry, begin }: { readonly entry: TimelineEntry; readonly begin: number }) {
  const chains = useChains();
  const { title, tone, hash, facts } = shown(entry);
  const chain = hash && chainOf(chains, hash.chainId);
  const native = entry.attempt && chainOf(chains, entry.attempt.chainId)?.currency;
  return (
    <li class={tone}>
      <div class="what">
        <span title={entry.text}>{title}</span>
        <span class="small muted row">
          {entry.at > begin && <span>+{duration(entry.at - begin)}</span>}
          <Time at={entry.at} />
        </span>
      </div>
      {hash && (
        <div class="small row">
          <span class="muted">{chainName(chains, hash.chainId)}</span>
          <Hash value={hash.value} what="transaction hash" link={explorerLink(chain, 'transaction', hash.value)} />
        </div>
      )}
      {(facts.length > 0 || entry.attempt?.fee) && (
        <dl class="rows">
          {facts.map(([label, value]) => [<dt key={label}>{label}</dt>, <dd key={`${label}-v`}>{value}</dd>])}
          {entry.attempt?.fee && native && (
            <>
              <dt>Network fee</dt>
              <dd>
                {amountText(entry.attempt.fee, native.decimals)} {native.symbol}
              </dd>
            </>
          )}
        </dl>
      )}
    </li>
  );
}
