import type { Operation, Placed } from './page.js';
import { htmlText } from './prose.js';

export function exampleHtml(placed: Placed): string {
  const answers = Object.entries(placed.operation.responses).flatMap(([status, { content }]) =>
    Object.values(content).flatMap(({ example }) => (example === undefined ? [] : [{ status, example }])),
  );
  const shown = answers.map(({ status, example }) => {
    const text = typeof example === 'string' ? example : JSON.stringify(example, null, 2);
    return `<p><code>${htmlText(status)}</code></p><pre><code>${htmlText(text)}</code></pre>`;
  });
  return `<details><summary>Example</summary><pre><code>${htmlText(callOf(placed))}</code></pre>${shown.join('')}</details>`;
}

function callOf({ method, path, operation }: Placed): string {
  const { parameters = [], requestBody } = operation;
  const given = parameters.filter((one) => one.example !== undefined);
  const value = (name: string) => encodeURIComponent(String(given.find((one) => one.name === name)?.example));
  const search = given.filter((one) => one.in === 'query').map(({ name }) => `${name}=${value(name)}`);
  const address = `${path.replaceAll(/\{(\w+)\}/g, (_, name: string) => value(name))}${search.length === 0 ? '' : '?'}`;
  const body = requestBody?.content['application/json']?.example;
  return [
    `curl -s ${method === 'GET' || body !== undefined ? '' : `-X ${method} `}"$SERVICE${address}${search.join('&')}"`,
    ...keyOf(operation),
    ...(body === undefined
      ? []
      : ["-H 'content-type: application/json'", `-d ${quoted(JSON.stringify(body, null, 2))}`]),
  ].join(' \\\n  ');
}

function keyOf({ security }: Operation): readonly string[] {
  return security.every((one) => Object.keys(one).length > 0) ? ['-H "x-admin-key: $ADMIN_KEY"'] : [];
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
