/** Follows the reader's choice of light or dark. */
export const STYLE = `
:root { color-scheme: light dark; --line: #8884; --soft: #8881; --quiet: #595959; --accent: #0a5bb0; --old: #a34817; }
@media (prefers-color-scheme: dark) { :root { --quiet: #b0b0b0; --accent: #6cb4ff; --old: #ffb07a; } }
* { box-sizing: border-box; }
html { scroll-padding-top: 1rem; }
body { margin: 0; font: 16px/1.55 system-ui, sans-serif; display: grid; grid-template-columns: 18rem minmax(0, 1fr); }
nav { position: sticky; top: 0; height: 100vh; overflow: auto; padding: 1rem; border-right: 1px solid var(--line); }
nav ul { list-style: none; margin: 0 0 1rem; padding: 0; }
nav a { display: block; padding: .2rem 0; overflow-wrap: anywhere; }
#contents, label { display: none; }
a:focus-visible, summary:focus-visible, #contents:focus-visible + label { outline: 2px solid var(--accent); outline-offset: 2px; }
main { padding: 1rem 2rem 6rem; max-width: 62rem; min-width: 0; }
a { color: var(--accent); text-decoration: none; }
a:hover { text-decoration: underline; }
h1, h2, h3 { line-height: 1.25; overflow-wrap: anywhere; }
h2 { margin-top: 3rem; border-bottom: 1px solid var(--line); }
h3 a { color: inherit; }
section { margin: 1.5rem 0; padding: 0 1rem 1rem; border: 1px solid var(--line); border-radius: .5rem; }
section:target { border-color: var(--accent); }
code, pre { font: 14px/1.5 ui-monospace, monospace; }
code { background: var(--soft); border-radius: .2rem; padding: 0 .2rem; overflow-wrap: anywhere; }
pre { background: var(--soft); border-radius: .4rem; padding: .7rem; overflow: auto; max-height: 30rem; }
pre code { background: none; padding: 0; overflow-wrap: normal; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; }
th, td { text-align: left; vertical-align: top; padding: .3rem .6rem .3rem 0; border-top: 1px solid var(--line); }
td p { margin: 0; }
summary { cursor: pointer; padding: .5rem 0; }
.fields { list-style: none; margin: .2rem 0; padding-left: 1rem; border-left: 1px solid var(--line); overflow-wrap: anywhere; }
.fields p { display: inline; margin: 0 0 0 .4rem; }
.type, .optional { color: var(--quiet); }
.optional { font-size: 14px; }
.method { font: 600 14px ui-monospace, monospace; margin-right: .5rem; color: var(--accent); }
.old { color: var(--old); }
@media (max-width: 50rem) {
  body { display: block; }
  #contents { display: block; position: fixed; opacity: 0; }
  label { display: block; position: sticky; top: 0; z-index: 1; padding: .75rem 1rem; background: Canvas; border-bottom: 1px solid var(--line); font-weight: 600; cursor: pointer; }
  label::after { content: ' \\25BE'; }
  nav { display: none; position: static; height: auto; border: 0; border-bottom: 1px solid var(--line); }
  #contents:checked ~ nav { display: block; }
  nav a, summary { padding: .65rem 0; min-height: 2.75rem; }
  main { padding: 1rem; }
  section { padding: 0 .75rem .75rem; }
  html { scroll-padding-top: 4rem; }
  tr, td { display: block; }
  tr { padding: .5rem 0; border-top: 1px solid var(--line); }
  td { border: 0; padding: .1rem 0; }
  tr:first-child, td:nth-child(2) { display: none; }
}
`;
