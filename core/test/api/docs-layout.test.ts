import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { typeOf } from '../../src/api/openapi/page-schema.js';
import { STYLE } from '../../src/api/openapi/page-style.js';
import { type RunningApi, runningApi } from './support/running-api.js';

let api: RunningApi;
let page: string;

beforeAll(async () => {
  api = await runningApi();
  page = (await api.call('GET', '/docs')).body as string;
});
afterAll(() => api.close());

const PHONE = '@media (max-width: 50rem)';
const phone = STYLE.slice(STYLE.indexOf(PHONE));
const common = STYLE.slice(0, STYLE.indexOf(PHONE));

function rule(style: string, selector: string): string {
  const name = selector.replaceAll(/[.*+?^$()|[\]\\]/g, '\\$&');
  return new RegExp(`^\\s*${name} \\{([^}]*)\\}`, 'm').exec(style)?.[1] ?? '';
}

/** WCAG 2, 1.4.3: contrast of two opaque colours. */
function contrast(a: string, b: string): number {
  const luminance = (colour: string) => {
    const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
      const part = Number.parseInt(colour.slice(at, at + 2), 16) / 255;
      return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  };
  const [low = 0, high = 0] = [luminance(a), luminance(b)].sort((x, y) => x - y);
  return (high + 0.05) / (low + 0.05);
}

describe('the page on a phone', () => {
  it('is as wide as the screen: nothing in it has a width of its own', () => {
    expect(page).toContain('<meta name="viewport" content="width=device-width, initial-scale=1">');
    expect(STYLE).not.toMatch(/[^-]width:\s*\d+(px|rem|em|vw)/);
    expect(page).not.toMatch(/\s(width|style|nowrap)="/);
    expect(rule(phone, 'body')).toContain('display: block');
  });

  it('scrolls wide code and tables by themselves, and breaks long names', () => {
    expect(rule(common, 'pre')).toContain('overflow: auto');
    expect(rule(common, 'code')).toContain('overflow-wrap: anywhere');
    expect(rule(common, '.wide')).toContain('overflow-x: auto');
    const tables = [...page.matchAll(/<table>/g)];
    expect(tables.length).toBeGreaterThan(10);
    expect([...page.matchAll(/<div class="wide"><table>/g)]).toHaveLength(tables.length);
    expect(rule(phone, 'tr, td')).toContain('display: block');
  });

  it('folds the contents behind something that can be tapped, without a script', () => {
    expect(page).toContain('<input type="checkbox" id="contents"><label for="contents">Contents</label>\n<nav');
    expect(rule(phone, 'nav')).toContain('display: none');
    expect(rule(phone, '#contents:checked ~ nav')).toContain('display: block');
    expect(rule(common, '#contents, label')).toContain('display: none');
    // 44 px of 16 (WCAG 2.5.5).
    expect(rule(phone, 'nav a, summary')).toContain('min-height: 2.75rem');
  });
});

describe('the page', () => {
  it('has each anchor once, and each title links to its own', () => {
    const ids = [...page.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id);
    expect(ids.filter((id, index) => ids.indexOf(id) !== index)).toEqual([]);
    const sections = [...page.matchAll(/<section id="(?!schema-)([^"]+)">\n<h3><a href="#([^"]+)">/g)];
    expect(sections.length).toBeGreaterThan(60);
    for (const [, id, target] of sections) expect(target).toBe(id);
    expect([...page.matchAll(/<section id="(?!schema-)/g)]).toHaveLength(sections.length);
  });

  it('can be read in both schemes', () => {
    const [light = '', dark = ''] = [...STYLE.matchAll(/:root \{([^}]*)\}/g)].map(([, text]) => text);
    for (const [text, ground] of [
      [light, '#ffffff'],
      [dark, '#121212'],
    ] as const) {
      const colours = [...text.matchAll(/--(quiet|accent|old): (#[0-9a-f]{6})/g)];
      expect(colours).toHaveLength(3);
      for (const [, name, colour = ''] of colours) expect(contrast(colour, ground), name).toBeGreaterThanOrEqual(4.5);
    }
    expect(STYLE).not.toContain('opacity: .');
  });

  it('says limits in plain words', () => {
    expect(typeOf({ type: 'string', minLength: 1, maxLength: 256 })).toBe('string, 1 to 256 characters');
    expect(typeOf({ type: 'string', maxLength: 8 })).toBe('string, at most 8 characters');
    expect(typeOf({ type: 'integer', minimum: 0, maximum: Number.MAX_SAFE_INTEGER })).toBe('integer, at least 0');
    expect(typeOf({ type: 'integer', minimum: 1, maximum: 50, default: 20 })).toBe('integer, 1 to 50, default 20');
  });
});
