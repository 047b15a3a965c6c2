/** Escapes text for HTML content and attribute values. */
export function htmlText(text: string): string {
  return text.replaceAll(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`);
}

export function headings(text: string): readonly (readonly [anchor: string, title: string])[] {
  return [...text.matchAll(/^## (.+)$/gm)].map(([, title = '']) => [anchorOf(title), title]);
}

/** Supports headings, paragraphs, lists, code, and links within the service. */
export function prose(text: string): string {
  return text
    .split(/\n{2,}/)
    .filter((block) => block !== '')
    .map((block) => {
      const lines = block.split('\n');
      if (block.startsWith('## ')) return `<h2 id="${anchorOf(block.slice(3))}">${inline(block.slice(3))}</h2>`;
      if (lines.length > 2 && lines[0] === FENCE && lines.at(-1) === FENCE)
        return `<pre><code>${htmlText(lines.slice(1, -1).join('\n'))}</code></pre>`;
      return lines.every((line) => line.startsWith('- '))
        ? `<ul>${lines.map((line) => `<li>${inline(line.slice(2))}</li>`).join('')}</ul>`
        : `<p>${inline(lines.join(' '))}</p>`;
    })
    .join('');
}

const FENCE = '```';

function anchorOf(title: string): string {
  return `about-${title.toLowerCase().replaceAll(/\W+/g, '-')}`;
}

function inline(text: string): string {
  return htmlText(text)
    .replaceAll(/`([^`]+)`/g, '<code>$1</code>')
    .replaceAll(/\[([^\]]+)\]\(([\w./-]+)\)/g, '<a href="$2">$1</a>');
}
