import type { CodeLanguage, CodeText } from './code-text.ts';
import type { ContentNote } from './content-note.ts';
import { excerptAt } from './stubs.ts';

/** Names of test cases, and what keeps them from running, read from the text of a test file. */

const JS_CASE =
  /\b[xf]?(?:it|test|specify|scenario)(?:\.\w+(?:\([^()]{0,2000}\)|`[^`]{0,2000}`)?)*\s*(?:<[^<>()]*>)?\(\s*(?:"((?:[^"\\\n]|\\.)+)"|'((?:[^'\\\n]|\\.)+)'|`((?:[^`\\]|\\.)+)`)/g;
const JVM_CASE =
  /@(?:Test|ParameterizedTest|RepeatedTest|TestFactory)\b(?:\([^()]*\))?[^{};]{0,300}?\b(?:void|fun|def)\s+(`[^`\n]+`|\w+)\s*\(/g;

/**
 * Each pattern captures the name in one of its groups. Matched on text without comments: a commented-out case
 * doesn't run.
 */
const CASES: Readonly<Record<CodeLanguage['name'], readonly RegExp[]>> = {
  js: [JS_CASE],
  go: [/^func\s+((?:Test|Fuzz|Example)\w*)\s*\(/gm, /\bt\.Run\s*\(\s*"((?:[^"\\\n]|\\.)+)"/g],
  rust: [/#\[\s*(?:\w+\s*::\s*)*(?:test|rstest|test_case)\b[^\]]{0,300}\][^{};]{0,300}?\bfn\s+(\w+)/g],
  java: [JVM_CASE],
  c: [/\b(?:TEST|TEST_F|TEST_P|TEST_CASE|BOOST_AUTO_TEST_CASE)\s*\(\s*([^(){};]{1,200}?)\s*\)/g],
  csharp: [
    /\[\s*(?:Fact|Theory|Test|TestMethod|TestCase)\b[^\]]{0,300}\][^{};]{0,300}?\b(?:void|Task)\s+(\w+)\s*\(/g,
  ],
  php: [/\bfunction\s+(test\w+)\s*\(/g, /\b(?:it|test)\s*\(\s*'((?:[^'\\\n]|\\.)+)'/g],
  swift: [/\bfunc\s+(test\w*)\s*\(/g],
  python: [/^[ \t]*(?:async\s+)?def\s+(test\w*)\s*\(/gm],
  ruby: [
    /^[ \t]*[xf]?(?:it|specify|scenario|test|example)\b[ \t(]*(?:"((?:[^"\\\n]|\\.)+)"|'((?:[^'\\\n]|\\.)+)')/gm,
    /^[ \t]*def\s+(test_\w+)/gm,
  ],
  shell: [
    /^[ \t]*@test\s+(?:"((?:[^"\\\n]|\\.)+)"|'([^'\n]+)')/gm,
    /^[ \t]*(?:function\s+)?(test_\w+)\s*\(\)/gm,
  ],
};

const JS_SUITE = '(?:it|test|describe|context|suite|specify|scenario)';

/** Matched on text without comments and string literals. */
const SKIPS: Readonly<Record<CodeLanguage['name'], readonly RegExp[]>> = {
  js: [
    new RegExp(`\\b${JS_SUITE}(?:\\.\\w+)*\\.(?:skip|skipIf|runIf|todo|fixme|only|failing|fails)\\b`, 'g'),
    /\b(?:x(?:it|test|describe|context|specify)|f(?:it|test|describe|context))\s*\(/g,
    /\b(?:t|this|ctx|context|test)\.(?:skip|todo)\s*\(/g,
    /\b(?:skip|todo|only)\s*:\s*(?:true\b|["'`])/g,
  ],
  go: [/\b[tbf]\.Skip(?:f|Now)?\s*\(/g],
  rust: [/#\[\s*ignore\b/g, /#\[\s*cfg\s*\(\s*(?:any|all)\s*\(\s*\)\s*\)/g],
  java: [/@(?:Disabled\w*|Ignore|EnabledIf\w*)\b/g, /\bassume(?:True|False|That|Not)\w*\s*\(/g],
  c: [/\bGTEST_SKIP\s*\(|\bDISABLED_\w+/g],
  csharp: [/\bSkip\s*=|\[\s*(?:Ignore|Explicit)\b/g],
  php: [/\bmarkTest(?:Skipped|Incomplete)\s*\(|->skip\s*\(|->todo\s*\(/g],
  swift: [/\bXCTSkip(?:If|Unless)?\b|\.disabled\s*\(/g],
  python: [
    /\bpytest\.mark\.(?:skip|skipif|xfail)\b|\bpytest\.(?:skip|xfail|importorskip)\s*\(/g,
    /\bunittest\.(?:skip\w*|expectedFailure)\b|\bself\.skipTest\s*\(|\bSkipTest\b|\b__test__\s*=\s*False\b/g,
    /^[ \t]*@(?:skip\w*|xfail)\b/gm,
  ],
  ruby: [
    /^[ \t]*(?:x(?:it|describe|context|specify)|f(?:it|describe|context)|pending|skip)\b/gm,
    /[, ](?:skip|pending|focus):|:(?:skip|pending|focus)\b/g,
  ],
  shell: [/^[ \t]*skip\b/gm],
};

/** Names of the cases that would run, without commented-out ones. */
export function readCaseNames({ code }: CodeText, { name }: CodeLanguage): string[] {
  return CASES[name].flatMap((form) =>
    [...code.matchAll(form)].flatMap((match) => match.slice(1).find((group) => group !== undefined) ?? []),
  );
}

/** Finds code that skips a case, marks it as unfinished, or makes it run alone. */
export function findSkips({ code, bare, lineOf }: CodeText, { name }: CodeLanguage): ContentNote[] {
  const places = SKIPS[name].flatMap((form) =>
    [...bare.matchAll(form)].map(({ index, 0: found }) => index + found.length - found.trimStart().length),
  );
  const byLine = new Map(places.map((at) => [lineOf(at), at]));
  return [...byLine]
    .sort(([a], [b]) => a - b)
    .map(([line, at]) => ({ kind: 'skipped_case', line, text: excerptAt(code, at) }));
}
