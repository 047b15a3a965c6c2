/** Text as HTML text or attribute value. */
export function htmlText(text: string): string {
  return text.replaceAll(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`);
}

/** The little of Markdown that descriptions use, as HTML: paragraphs, lists, code, links inside the service. */
export function prose(text: string): string {
  return text
    .split(/\n{2,}/)
    .filter((block) => block !== '')
    .map((block) => {
      const lines = block.split('\n');
      return lines.every((line) => line.startsWith('- '))
        ? `<ul>${lines.map((line) => `<li>${inline(line.slice(2))}</li>`).join('')}</ul>`
        : `<p>${inline(lines.join(' '))}</p>`;
    })
    .join('');
}

function inline(text: string): string {
  return htmlText(text)
    .replaceAll(/`([^`]+)`/g, '<code>$1</code>')
    .replaceAll(/\[([^\]]+)\]\(([\w./-]+)\)/g, '<a href="$2">$1</a>');
}
