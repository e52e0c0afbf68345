// SPDX-License-Identifier: MIT
// The look of pages: colours for light and dark screens, one column on a phone.
#include "report/page.hpp"

namespace cli {

const char *page_style() {
  return R"css(:root {
  --paper: #ffffff; --ink: #1b1f24; --faint: #59636e; --rule: #d5dae0; --soft: #f3f5f8; --link: #0b57a4; --on: #ffe08a;
  --warn: #fff4d6; --warn-rule: #c98a00; --known: #b4bac2; --between: #8fc99a; --unseen: #f3ead0;
  --s0: #0b4f9e; --s1: #c2500a; --s2: #1b7a5a; --s3: #8338b3; --s4: #5b6470; --s5: #a8134f;
  --q0: #ffffff; --q1: #dfedf5; --q2: #bedceb; --q3: #9ecae1; --q4: #7ab2d5; --q5: #559ac9; --q6: #3182bd; --q7: #2367a2; --q8: #164b86;
  --q9: #08306b;
  --d0: #b35806; --d1: #cc761d; --d2: #e59434; --d3: #f4b566; --d4: #f9dab3; --d5: #ffffff; --d6: #b7d3e9; --d7: #6ea6d3; --d8: #3d7db5;
  --d9: #225690; --d10: #08306b;
}
@media (prefers-color-scheme: dark) {
  :root {
    --paper: #12171d; --ink: #e6eaef; --faint: #a3adb8; --rule: #36404b; --soft: #1b222b; --link: #8ec3ff; --on: #5c4a00;
    --warn: #33290d; --warn-rule: #e0aa2e; --known: #59636f; --between: #3f7d4e; --unseen: #2f2a1b;
    --s0: #7db8ff; --s1: #ffab6b; --s2: #6fd3ad; --s3: #d3a4f5; --s4: #b3bcc6; --s5: #ff8db4;
    --q0: #12171d; --q1: #16293c; --q2: #1b3c5a; --q3: #1f4e79; --q4: #2f6899; --q5: #3f81b9; --q6: #4f9bd9; --q7: #80b8e6; --q8: #b2d4f2;
    --q9: #e3f1ff;
    --d0: #ffb066; --d1: #dc9048; --d2: #b9702b; --d3: #8d541f; --d4: #563d26; --d5: #20262d; --d6: #264361; --d7: #2c6094; --d8: #4581be;
    --d9: #70a6df; --d10: #9ccbff;
  }
}
* { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; }
body { margin: 0 auto; max-width: 64rem; padding: 1rem clamp(0.75rem, 3vw, 2rem) 4rem; background: var(--paper); color: var(--ink);
  font: 1rem/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Liberation Sans", Arial, sans-serif; overflow-wrap: anywhere; }
h1 { font-size: 1.6rem; line-height: 1.25; margin: 0.5rem 0; }
h2 { font-size: 1.25rem; margin: 2.5rem 0 0.75rem; padding-top: 0.5rem; border-top: 1px solid var(--rule); }
h3 { font-size: 1rem; margin: 1rem 0 0.25rem; }
a { color: var(--link); }
nav { display: flex; flex-wrap: wrap; gap: 0.25rem 1rem; }
nav a { padding: 0.25rem 0; }
:focus-visible { outline: 3px solid var(--link); outline-offset: 2px; }
dl { display: grid; grid-template-columns: minmax(8rem, max-content) 1fr; gap: 0.25rem 1rem; margin: 0.75rem 0; }
dt { color: var(--faint); }
dd { margin: 0; }
@media (max-width: 30rem) { dl { grid-template-columns: 1fr; gap: 0; } dd { margin-bottom: 0.5rem; } }
pre { background: var(--soft); border: 1px solid var(--rule); border-radius: 6px; padding: 0.75rem; margin: 0.25rem 0 1rem;
  white-space: pre-wrap; }
pre span { display: inline-block; max-width: 100%; }
code { font-family: ui-monospace, "DejaVu Sans Mono", Menlo, Consolas, monospace; font-size: 0.9rem; }
.warning { background: var(--warn); border-left: 4px solid var(--warn-rule); padding: 0.5rem 1rem; margin: 1rem 0; }
.warning h3 { margin-top: 0.25rem; }
.warning ul { margin: 0.25rem 0; padding-left: 1.2rem; }
.unseen { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; margin: 0; }
.figures { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 26rem), 1fr)); gap: 0 2rem; }
figure { margin: 1rem 0; min-width: 0; }
figure.chart { max-width: 35rem; }
figure.map { max-width: 42rem; }
figure svg { display: block; width: 100%; height: auto; }
figcaption { font-weight: 600; margin-bottom: 0.25rem; }
.legend { list-style: none; display: flex; flex-wrap: wrap; gap: 0.25rem 1.25rem; margin: 0.25rem 0; padding: 0; font-size: 0.9rem; }
.legend li { display: flex; align-items: center; gap: 0.4rem; }
figure .legend svg { width: 28px; height: 14px; flex: none; }
.scale { display: flex; flex-wrap: wrap; align-items: center; gap: 0.4rem; margin: 0.25rem 0; font-size: 0.9rem; }
figure .scale svg { width: 9rem; height: 0.9rem; border: 1px solid var(--rule); }
.readout { min-height: 3em; margin: 0.25rem 0; font-size: 0.9rem; color: var(--faint); }
svg text { fill: var(--ink); font-family: inherit; font-size: 13px; }
svg .tick { fill: var(--faint); font-size: 12px; }
svg .small { font-size: 10px; }
svg .grid { stroke: var(--rule); fill: none; stroke-width: 1; }
svg .axis { stroke: var(--faint); fill: none; stroke-width: 1; }
svg .frame { stroke: var(--faint); fill: none; stroke-width: 1; }
svg .cells { shape-rendering: crispEdges; }
svg .line { fill: none; stroke-width: 2; stroke-linejoin: round; }
svg .dashed { fill: none; stroke-width: 2; stroke-dasharray: 7 4; }
svg .mark { stroke: var(--paper); stroke-width: 0.7; }
.s0 { stroke: var(--s0); } .s1 { stroke: var(--s1); } .s2 { stroke: var(--s2); } .s3 { stroke: var(--s3); } .s4 { stroke: var(--s4); }
.s5 { stroke: var(--s5); }
.s0.mark { fill: var(--s0); } .s1.mark { fill: var(--s1); } .s2.mark { fill: var(--s2); } .s3.mark { fill: var(--s3); }
.s4.mark { fill: var(--s4); } .s5.mark { fill: var(--s5); }
.q0 { fill: var(--q0); } .q1 { fill: var(--q1); } .q2 { fill: var(--q2); } .q3 { fill: var(--q3); } .q4 { fill: var(--q4); }
.q5 { fill: var(--q5); } .q6 { fill: var(--q6); } .q7 { fill: var(--q7); } .q8 { fill: var(--q8); } .q9 { fill: var(--q9); }
.d0 { fill: var(--d0); } .d1 { fill: var(--d1); } .d2 { fill: var(--d2); } .d3 { fill: var(--d3); } .d4 { fill: var(--d4); }
.d5 { fill: var(--d5); } .d6 { fill: var(--d6); } .d7 { fill: var(--d7); } .d8 { fill: var(--d8); } .d9 { fill: var(--d9); }
.d10 { fill: var(--d10); }
.known { fill: var(--known); } .between { fill: var(--between); } .hidden-site { fill: var(--unseen); }
.border { stroke: var(--ink); fill: none; stroke-dasharray: 4 3; }
.pair { fill: var(--s0); stroke: var(--paper); } .pair.far { fill: var(--s1); } .pair.unknown { fill: var(--paper); stroke: var(--ink); }
.here { fill: none; stroke: var(--ink); stroke-width: 2; }
.pair.on { fill: var(--s5); stroke: var(--ink); stroke-width: 2; }
.wild { fill: var(--ink); }
[data-map] { cursor: crosshair; touch-action: manipulation; }
table[data-map] { cursor: auto; }
.scroll { overflow: auto; max-height: 32rem; border: 1px solid var(--rule); border-radius: 6px; margin: 0.75rem 0; }
table { border-collapse: collapse; width: 100%; font-size: 0.9rem; font-variant-numeric: tabular-nums; overflow-wrap: normal; }
caption { text-align: left; padding: 0.5rem; color: var(--faint); }
caption span { display: inline-block; position: sticky; left: 0.5rem; max-width: min(58rem, calc(100vw - 4rem)); }
th, td { padding: 0.2rem 0.6rem; text-align: left; border-top: 1px solid var(--rule); white-space: nowrap; }
td.n { text-align: right; }
thead th { position: sticky; top: 0; background: var(--soft); padding: 0; }
th button { font: inherit; font-weight: 600; color: inherit; background: none; border: 0; padding: 0.4rem 0.6rem;
  width: 100%; text-align: left;
  cursor: pointer; }
th.n button { text-align: right; }
th button:focus-visible { outline-offset: -3px; }
th button::after { content: " \2195"; content: " \2195" / ""; color: var(--faint); font-weight: 400; }
th[aria-sort="ascending"] button::after { content: " \2191"; content: " \2191" / ""; }
th[aria-sort="descending"] button::after { content: " \2193"; content: " \2193" / ""; }
tr.on td { background: var(--on); }
details { margin: 0.5rem 0; }
summary { cursor: pointer; padding: 0.25rem 0; }
@media print { .scroll { max-height: none; } nav, .readout { display: none; } }
)css";
}

}  // namespace cli
