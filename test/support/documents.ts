export function codeBlocks(markdown: string, language: string): readonly string[] {
  const fence = new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)\\n\`\`\`$`, 'gm');
  return [...markdown.matchAll(fence)].map((match) => match[1] ?? '');
}
