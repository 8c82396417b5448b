/**
 * Code that detects whether tests are running, or that changes the tools of the tests while they run. It can pass
 * every test and behave differently in production, so a passing verdict proves little about it.
 */

const SCRIPT = /\.(?:[cm]?[jt]sx?|vue|svelte)$/i;

/** By file extension. Each pattern matches a bounded text, which is shown to the reviewer. */
const PROBES: readonly (readonly [RegExp, readonly RegExp[]])[] = [
  [
    SCRIPT,
    [
      /\b(?:JEST_WORKER_ID|VITEST(?:_WORKER_ID|_POOL_ID|_MODE)?|NODE_TEST_CONTEXT|PLAYWRIGHT_TEST|TEST_WORKER_INDEX|npm_lifecycle_event|CONDUCTOR_[A-Z_]+)\b/g,
      /\bNODE_ENV\b.{0,20}["'`]test["'`]/g,
      /\btypeof\s+(?:globalThis\.)?(?:describe|expect|jest|vi|mocha)\b/g,
      /\btypeof\s+(?:it|test)\s*[!=]==?\s*["']undefined/g,
      /(?:\bfrom|\brequire\s*\(|\bimport\s*\(|\bimport)\s*["'](?:vitest|@jest\/globals|node:test|mocha|bun:test|@playwright\/test)["']/g,
      /\b(?:globalThis|global|window)\.(?:expect|test|it|describe|assert|jest|vi)\s*=(?![=>])/g,
      /\b(?:assert(?:\.strict)?|expect|chai\.\w+)\.\w+\s*=(?![=>])/g,
      /\bObject\.(?:assign|definePropert(?:y|ies))\(\s*(?:assert|expect|chai)\b/g,
      /\basymmetricMatch\b/g,
      /\bprocess\.\w*[oO]n\w*\(\s*["'](?:exit|beforeExit|uncaughtException|unhandledRejection)["'][^;]{0,120}(?:exit\(\s*0?\s*\)|exitCode\s*=\s*0|\{\s*\})/g,
    ],
  ],
  [
    /\.pyi?$/i,
    [
      /\b(?:PYTEST_(?:CURRENT_TEST|VERSION|XDIST_WORKER)|CONDUCTOR_[A-Z_]+)\b/g,
      /["'](?:pytest|_pytest|unittest)["']\s+(?:not\s+)?in\s+sys\.modules/g,
      /\bsys\.modules(?:\.get\(|\[)\s*["'](?:pytest|_pytest|unittest)/g,
      /^[ \t]*(?:import|from)[ \t]+(?:_?pytest|unittest)\b/gm,
      /\bTestCase\.\w+\s*=(?!=)/g,
      /\b(?:builtins\.\w+|AssertionError)\s*=(?!=)/g,
      /\bdef __eq__\([^)\n]{0,80}\)[^:\n]{0,40}:\s{0,80}return True\b/g,
      /\batexit\.register\([^\n]{0,80}_exit/g,
    ],
  ],
  [
    /\.rs$/i,
    [
      /\bcfg!\(\s*(?:not\(\s*)?test\b/g,
      /#\[cfg(?:_attr)?\(\s*(?:not\(\s*test|test\s*,)/g,
      /\bRUST_TEST_THREADS\b/g,
    ],
  ],
  [
    /\.go$/i,
    [
      /\btesting\.Testing\(\)/g,
      /\bflag\.Lookup\(\s*"test\./g,
      /^\s*(?:import\s+)?"testing"\s*$/gm,
      /os\.Args\[0\].{0,40}\.test"/g,
    ],
  ],
  [/\.rb$/i, [/\bdefined\?\(?\s*(?:RSpec|Minitest|Test::Unit)\b/g, /\bRails\.env\.test\?/g]],
  [/\.php$/i, [/\bPHPUNIT_\w+\b/g, /\bPHPUnit\\/g, /\brunningUnitTests\(\)/g]],
];

/** Ends the process as soon as a test loads the code. In a new file it may be a standalone program. */
const EXITS_ON_LOAD: readonly (readonly [RegExp, RegExp])[] = [
  [SCRIPT, /^process\.(?:exit|reallyExit)\(\s*0?\s*\)/gm],
  [/\.py$/i, /^(?:os\._exit|sys\.exit|exit|quit)\(\s*0?\s*\)/gm],
];

export function mayProbeTests(path: string): boolean {
  return PROBES.some(([ending]) => ending.test(path));
}

/** The probes that the change adds to a file, as code excerpts. `base` is null for a new file. */
export function addedProbes(path: string, base: string | null, now: string): string[] {
  const patterns = [
    ...PROBES.filter(([ending]) => ending.test(path)).flatMap(([, each]) => each),
    ...(base === null ? [] : EXITS_ON_LOAD.filter(([ending]) => ending.test(path)).map(([, each]) => each)),
  ];
  return patterns.flatMap((pattern) => {
    const before = [...(base ?? '').matchAll(pattern)];
    const after = [...now.matchAll(pattern)];
    const added = after.length > before.length ? after.at(-1)?.[0] : undefined;
    return added === undefined ? [] : [shorten(added)];
  });
}

const MAX_SHOWN = 60;

function shorten(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim();
  return line.length > MAX_SHOWN ? `${line.slice(0, MAX_SHOWN)}…` : line;
}
