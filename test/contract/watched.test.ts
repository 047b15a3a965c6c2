import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { ROOT, repositoryFiles } from '../support/repository.js';
import { alertRules, metricsIn, panels } from '../support/watched.js';

/** Names in core/docs/metrics.md, which another test compares with the code; `<plugin>` matches any. */
const KNOWN = [...readFileSync(`${ROOT}core/docs/metrics.md`, 'utf8').matchAll(/^\| `(causeway_[^`]+)` \|/gm)].map(
  ([, name = '']) => new RegExp(`^${name.replace('<plugin>', '(evm|bvm|svm|tonvm|prices_http)')}$`),
);
/** Of the client library for Node. */
const OF_LIBRARY = ['causeway_process_resident_memory_bytes', 'causeway_nodejs_eventloop_lag_p99_seconds'];

const unknown = (expression: string) =>
  metricsIn(expression).filter((name) => !OF_LIBRARY.includes(name) && !KNOWN.some((known) => known.test(name)));

const anchorsOf = (markdown: string) =>
  [...markdown.matchAll(/^#+ (.+)$/gm)].map(([, title = '']) => title.toLowerCase().replaceAll(' ', '-'));

describe('what is given to watch a service', () => {
  it('asks only for metrics that exist', () => {
    expect(KNOWN.length).toBeGreaterThan(50);
    expect(unknown('rate(causeway_engine_unheard_of_total[5m])')).toEqual(['causeway_engine_unheard_of_total']);
    for (const { alert, expr } of alertRules()) expect(unknown(expr), alert).toEqual([]);
    for (const { title, queries } of panels()) expect(queries.flatMap(unknown), title).toEqual([]);
    expect(panels().length).toBeGreaterThan(15);
  });

  it('names for each alert the part of a page that says what to do, and the page has no other', () => {
    const anchors = new Map(
      repositoryFiles(/^core\/docs\/[a-z-]+\.md$/).map(({ path, text }) => [path, anchorsOf(text)] as const),
    );
    for (const { alert, annotations, labels } of alertRules()) {
      const [page = '', anchor = ''] = annotations.runbook.split('#');
      expect(anchors.get(page), alert).toContain(anchor);
      expect(['page', 'ticket']).toContain(labels.severity);
    }
    const described = anchors.get('core/docs/alerts.md')?.filter((one) => one.startsWith('causeway'));
    expect(described?.sort()).toEqual(
      alertRules()
        .map(({ alert }) => alert.toLowerCase())
        .sort(),
    );
  });
});
