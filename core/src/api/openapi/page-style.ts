/** The whole look of the description; follows the reader's choice of light or dark. */
export const STYLE = `
:root { color-scheme: light dark; --line: #8884; --soft: #8881; --accent: #0a66c2; --old: #b3541e; }
@media (prefers-color-scheme: dark) { :root { --accent: #6cb4ff; --old: #ffb07a; } }
* { box-sizing: border-box; }
body { margin: 0; font: 15px/1.5 system-ui, sans-serif; display: grid; grid-template-columns: 17rem minmax(0, 1fr); }
nav { position: sticky; top: 0; height: 100vh; overflow: auto; padding: 1rem; border-right: 1px solid var(--line); }
nav ul { list-style: none; margin: 0 0 1rem; padding: 0; }
nav a { display: block; padding: .1rem 0; overflow-wrap: anywhere; }
main { padding: 1rem 2rem 6rem; max-width: 62rem; }
a { color: var(--accent); text-decoration: none; }
a:hover { text-decoration: underline; }
h1, h2, h3 { line-height: 1.2; }
h2 { margin-top: 3rem; border-bottom: 1px solid var(--line); }
section { margin: 1.5rem 0; padding: 0 1rem 1rem; border: 1px solid var(--line); border-radius: .5rem; }
code, pre { font: 13px/1.5 ui-monospace, monospace; }
code { background: var(--soft); border-radius: .2rem; padding: 0 .2rem; overflow-wrap: anywhere; }
pre { background: var(--soft); border-radius: .4rem; padding: .7rem; overflow: auto; }
pre code { background: none; padding: 0; }
table { border-collapse: collapse; width: 100%; }
th, td { text-align: left; vertical-align: top; padding: .3rem .6rem .3rem 0; border-top: 1px solid var(--line); }
td p { margin: 0; }
summary { cursor: pointer; padding: .2rem 0; }
.fields { list-style: none; margin: .2rem 0; padding-left: 1rem; border-left: 1px solid var(--line); }
.fields p { display: inline; margin: 0 0 0 .4rem; opacity: .8; }
.type { opacity: .85; }
.optional { font-size: 12px; opacity: .6; }
.method { font: 600 13px ui-monospace, monospace; margin-right: .5rem; color: var(--accent); }
.old { color: var(--old); }
@media (max-width: 50rem) { body { display: block; } nav { position: static; height: auto; border: 0; } main { padding: 1rem; } }
`;
