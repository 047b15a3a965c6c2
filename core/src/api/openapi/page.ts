import { createHash } from 'node:crypto';
import type { Schema } from '../schema.js';
import type { OpenApiDocument } from './document.js';
import { exampleHtml } from './page-example.js';
import { schemaHtml, typeOf } from './page-schema.js';
import { STYLE } from './page-style.js';
import { headings, htmlText, prose } from './prose.js';

export interface Operation {
  readonly operationId: string;
  readonly summary: string;
  readonly description?: string;
  readonly tags: readonly string[];
  readonly deprecated?: boolean;
  readonly security: readonly Schema[];
  readonly parameters?: readonly {
    readonly name: string;
    readonly in: string;
    readonly required?: boolean;
    readonly description?: string;
    readonly schema: Schema;
    readonly example?: unknown;
  }[];
  readonly requestBody?: { readonly content: Content };
  readonly responses: Readonly<Record<string, { readonly description: string; readonly content: Content }>>;
}

type Content = Readonly<Record<string, { readonly schema: Schema; readonly example?: unknown }>>;

export interface Placed {
  readonly method: string;
  readonly path: string;
  readonly operation: Operation;
}

/** Only the page's own style may load or run. */
export const PAGE_POLICY = [
  "default-src 'none'",
  `style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}'`,
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** No scripts, fonts or images, so that it works offline. */
export function descriptionPage(document: OpenApiDocument): string {
  const all = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, one]): Placed => {
      return { method: method.toUpperCase(), path, operation: one as unknown as Operation };
    }),
  );
  const chapters = document.tags.map(({ name, description }) => ({
    name,
    description,
    operations: all.filter(({ operation }) => operation.tags.includes(name)),
  }));
  const schemas = Object.entries(document.components['schemas'] ?? {});
  const { title, version, description } = document.info;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${htmlText(title)} ${htmlText(version)}</title>
<style>${STYLE}</style>
</head>
<body>
<input type="checkbox" id="contents"><label for="contents">Contents</label>
<nav aria-label="Contents">
<ul>${headings(description)
    .map(([anchor, words]) => `<li><a href="#${htmlText(anchor)}">${htmlText(words)}</a></li>`)
    .join('')}</ul>
${chapters.map((chapter) => `<strong>${htmlText(chapter.name)}</strong><ul>${chapter.operations.map(link).join('')}</ul>`).join('\n')}
<strong>Schemas</strong><ul>${schemas.map(([name]) => `<li><a href="#schema-${htmlText(name)}">${htmlText(name)}</a></li>`).join('')}</ul>
</nav>
<main>
<h1>${htmlText(title)} ${htmlText(version)}</h1>
<p><a href="openapi.json">openapi.json</a> · <a href="asyncapi.json">asyncapi.json</a> · the search of the browser finds what is folded, too</p>
${prose(description)}
${chapters.map((chapter) => `<h2>${htmlText(chapter.name)}</h2>${prose(chapter.description)}${chapter.operations.map(operationHtml).join('\n')}`).join('\n')}
<h2>Schemas</h2>
${schemas.map(([name, schema]) => `<section id="schema-${htmlText(name)}"><h3>${htmlText(name)}</h3>${schemaHtml(schema)}</section>`).join('\n')}
</main>
</body>
</html>
`;
}

function link({ path, operation }: Placed): string {
  const old = operation.deprecated ? ' class="old"' : '';
  return `<li><a${old} href="#${htmlText(operation.operationId)}" title="${htmlText(path)}">${htmlText(operation.summary)}</a></li>`;
}

function operationHtml(placed: Placed): string {
  const { method, path, operation } = placed;
  const { operationId, summary, description, deprecated, parameters = [], requestBody, responses } = operation;
  return `<section id="${htmlText(operationId)}">
<h3><a href="#${htmlText(operationId)}">${htmlText(summary)}</a></h3>
<p><span class="method">${method}</span><code>${htmlText(path)}</code>${deprecated ? ' <span class="old">deprecated</span>' : ''} · ${keys(operation.security)}</p>
${description === undefined ? '' : prose(description)}
${parameters.length === 0 ? '' : `<div class="wide"><table><tr><th>Parameter</th><th>In</th><th>Is</th></tr>${parameters.map(parameter).join('')}</table></div>`}
${exampleHtml(placed)}
${requestBody ? `<details><summary>Body</summary>${contentHtml(requestBody.content)}</details>` : ''}
${Object.entries(responses)
  .map(([status, { description: words, content }]) => {
    const [title = '', ...more] = words.split('\n\n');
    return `<details><summary><code>${status}</code> ${htmlText(title)}</summary>${prose(more.join('\n\n'))}${contentHtml(content)}</details>`;
  })
  .join('')}
</section>`;
}

function parameter(one: NonNullable<Operation['parameters']>[number]): string {
  const mark = one.required ? '' : ' <span class="optional">optional</span>';
  const words = one.description === undefined ? '' : prose(one.description);
  return `<tr><td><code>${htmlText(one.name)}</code>${mark}</td><td>${one.in}</td><td>${typeOf(one.schema)}${words}</td></tr>`;
}

function contentHtml(content: Content): string {
  return Object.entries(content)
    .map(([type, { schema }]) => `<p><code>${htmlText(type)}</code></p>${schemaHtml(schema)}`)
    .join('');
}

function keys(security: readonly Schema[]): string {
  const names = security.flatMap((one) => Object.keys(one));
  const admin = names.includes('adminKey');
  if (security.some((one) => Object.keys(one).length === 0))
    return admin ? 'this machine, or admin key' : 'API key optional';
  return admin ? 'admin key' : 'API key';
}
