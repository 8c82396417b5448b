import { describe, expect, it } from 'vitest';
import { checkImplementorResult } from '../../../src/work/results/implementor-result.ts';
import { BLOCKED_SUMMARY, blockedWithout, codesOf, implementorResult } from './work-fixtures.ts';

function codesFor(changes: Readonly<Record<string, unknown>>): string[] {
  return codesOf(checkImplementorResult(implementorResult(changes)));
}

function messagesOf(summary: string): string[] {
  const checked = checkImplementorResult(implementorResult({ outcome: 'blocked', patch: null, summary }));
  return checked.ok ? [] : checked.problems.map(({ message }) => message);
}

const blocked = (summary: string) => codesFor({ outcome: 'blocked', patch: null, summary });
const failed = (summary: string) => codesFor({ outcome: 'validation-failure', patch: null, summary });

describe('an implementor result', () => {
  it.each([
    ['completed with a patch', {}, []],
    ['of another role', { role: 'reviewer' }, ['WR201']],
    ['with an outcome of its own', { outcome: 'done' }, ['WR202']],
    ['with a key more', { extra: 1 }, ['WR001']],
    ['with an x- key', { 'x-note': 1 }, ['WR001']],
    ['without a summary', { summary: undefined }, ['WR001']],
    ['completed without a patch', { patch: null }, ['WR203']],
    ['completed with an empty patch', { patch: '' }, ['WR203']],
    ['completed with a patch of white space', { patch: ' \n' }, ['WR203']],
    ['completed with an empty summary', { summary: ' ' }, ['WR204']],
    ['completed with neither', { summary: '', patch: null }, ['WR203', 'WR204']],
    ['blocked with a patch', { outcome: 'blocked', summary: BLOCKED_SUMMARY }, ['WR205']],
    ['blocked with an empty patch', { outcome: 'blocked', patch: '', summary: BLOCKED_SUMMARY }, ['WR205']],
    ['blocked with an empty summary', { outcome: 'blocked', patch: null, summary: '' }, ['WR204']],
  ])('%s has the problems %j', (_, changes, codes) => {
    expect(codesFor(changes)).toEqual(codes);
  });

  it('is returned unchanged if it has no problem', () => {
    expect(checkImplementorResult(implementorResult())).toEqual({ ok: true, result: implementorResult() });
  });
});

const CONSTRAINT = `Type: technical-constraint

Description: the lexer has to change, and is out of scope.

## Options

- a
- b

## Recommendation

The first.

## Impact

The flag stays unsupported.`;

describe('a blocked summary', () => {
  it.each([
    ['nothing left out', BLOCKED_SUMMARY, []],
    ['no type', blockedWithout('Type'), ['WR206']],
    ['a type of its own', BLOCKED_SUMMARY.replace('spec-gap', 'spec-hole'), ['WR206']],
    ['no description', blockedWithout('Description'), ['WR207']],
    [
      'a description of nothing but the type',
      BLOCKED_SUMMARY.replace(/^Description: .*$/m, 'Blocker: spec-gap'),
      ['WR207'],
    ],
    ['no section before the quote', BLOCKED_SUMMARY.replace(', section "Limits"', ', which says'), ['WR212']],
    ['no options', blockedWithout('Options'), ['WR208']],
    ['one option', BLOCKED_SUMMARY.replace(/\n2\. .*/, ''), ['WR208']],
    [
      'the same option twice',
      BLOCKED_SUMMARY.replace(/\n2\. .*/, '\n- Three times. Slow when the service is down.'),
      ['WR208'],
    ],
    [
      'one option with its trade-offs',
      BLOCKED_SUMMARY.replace(/\n2\. .*/, '\n   - Pro: simple\n   - Con: slow'),
      ['WR208'],
    ],
    [
      'a table of one option',
      CONSTRAINT.replace('- a\n- b', '| Option | Trade-off |\n| --- | --- |\n| Widen | wide |'),
      ['WR208'],
    ],
    [
      'one option in a sentence',
      CONSTRAINT.replace('- a\n- b', 'The only one is to wait two days.'),
      ['WR208'],
    ],
    [
      'one option, and more in bold below',
      CONSTRAINT.replace('- a\n- b', '- Wait.\n\n**Tried:** much.\n\n**Notes:** none.'),
      ['WR208'],
    ],
    ['no recommendation', blockedWithout('Recommendation'), ['WR209']],
    ['an empty recommendation', BLOCKED_SUMMARY.replace(/The second, .*/, ''), ['WR209']],
    ['a recommendation of nothing', BLOCKED_SUMMARY.replace(/The second, .*/, 'TBD.'), ['WR209']],
    ['no impact', blockedWithout('Impact'), ['WR210']],
    ['no spec reference', blockedWithout('Spec reference'), ['WR211', 'WR212', 'WR213']],
    ['no path of the spec', BLOCKED_SUMMARY.replace('docs/specs/retry.md, s', 'S'), ['WR211']],
    ['no section of the spec', BLOCKED_SUMMARY.replace(', section "Limits"', ''), ['WR212']],
    ['no quote of the spec', BLOCKED_SUMMARY.replace(': "retry a few times"', ''), ['WR213']],
    ['nothing but a sigh', 'It does not work.', ['WR206', 'WR208', 'WR209', 'WR210']],
    ['a word', 'Blocked.', ['WR206', 'WR207', 'WR208', 'WR209', 'WR210']],
  ])('with %s has these problems', (_, summary, codes) => {
    expect(blocked(summary)).toEqual(codes);
  });

  it.each([
    '1. Widen the scope. Simple.',
    '- Widen the scope.',
    '- Option 1: widen the scope.',
    'Option 1: widen the scope.',
    'Widen the scope.',
    '1) widen the scope',
    '### Option 1\n\nWiden the scope.\n\n### Trade-offs\n\nSlow.',
    '### Widen the scope\n\n**What**: two files.\n\n**Why**: simple.',
    '**Widen the scope**\n\n**Effort**: a day.\n\n**Risk**: small.',
    '1. Widen the scope.\n2.',
    '1. Widen the scope.\n2. None',
    '1. Widen the scope.\n2. N/A',
    '1. Widen the scope.\n2. No other option',
    '1. Widen the scope.\n2. There are no alternatives.',
    '1. Widen the scope.\n2. Same as option 1',
    '1. Widen the scope\n1. widen the scope.',
    '- Option 1: widen the scope\n- Option 1: widen it',
    '- Option 1: widen the scope\n- Option 2: none',
    '- Option A: widen\n- Benefit: simple\n- Risk: small',
    '1. Widen the scope.\n   1. Change the lexer\n   2. Change the parser',
    '1. Widen the scope.\n- two files change\n- a review is due',
    '1. Widen the scope; we can (1) change the lexer, (2) the parser',
    '1. Widen the scope; either a.ts or b.ts changes.',
    '- Widen the scope: first, change a; second, change b',
    'Widen the scope. One file changes, another stays.',
    '1. Widen the scope.\n\nTried so far:\n- a clean build\n- another version',
    '1. Widen the scope.\n\nNotes:\n2. It was tried.',
    '1. Widen the scope, as option 1: a, option 2: b',
  ])('with the single option %j is refused, also if it is recommended', (options) => {
    const summary = CONSTRAINT.replace('- a\n- b', options).replace('The first.', 'Option 1');
    expect(blocked(summary)).toEqual(['WR208']);
  });

  it('with two options in its description and one to choose from is refused', () => {
    const summary = CONSTRAINT.replace('out of scope.', 'out of scope. Option 1: old. Option 2: new.');
    expect(blocked(summary)).toEqual([]);
    expect(blocked(summary.replace('- a\n- b', '- a'))).toEqual(['WR208']);
  });

  it.each([
    ['Type', '`Blocker type` is missing: it is one of spec-ambiguity, '],
    ['Description', '`Description` is missing: say what is blocking progress'],
    ['Options', '`Options` is missing: give at least two options with their trade-offs'],
    ['Recommendation', '`Recommendation` is missing: name the option you recommend and why'],
    ['Impact', '`Impact` is missing: say what happens if the blocker is not resolved'],
    ['Spec reference', '`Spec reference` of a spec-gap has no file path: name the file of the spec'],
  ])('without %s is refused with the name that the contract has for it', (label, message) => {
    expect(messagesOf(blockedWithout(label))[0]).toMatch(message);
  });

  it('with one option is refused with a message that asks for a second', () => {
    expect(messagesOf(CONSTRAINT.replace('- a\n- b', '- a'))).toEqual([
      '`Options` has only one option: give at least two with their trade-offs',
    ]);
  });

  it.each(['external-dependency', 'technical-constraint', 'debugging-limit'])(
    'needs no spec reference for a %s',
    (type) => {
      expect(blocked(blockedWithout('Spec reference').replace('spec-gap', type))).toEqual([]);
    },
  );

  it.each(['spec-ambiguity', 'spec-contradiction', 'spec-gap'])('needs a spec reference for a %s', (type) => {
    expect(blocked(blockedWithout('Spec reference').replace('spec-gap', type))).toEqual([
      'WR211',
      'WR212',
      'WR213',
    ]);
  });

  it('says which type was most likely meant', () => {
    const checked = checkImplementorResult(
      implementorResult({
        outcome: 'blocked',
        patch: null,
        summary: BLOCKED_SUMMARY.replace('spec-gap', 'spec-gab'),
      }),
    );
    expect(checked).toMatchObject({
      problems: [{ path: 'summary', message: expect.stringContaining('did you mean spec-gap?') }],
    });
  });

  it.each([
    [
      'headings',
      `# Blocked

## Blocker type

\`spec-gap\`

## Description

How often to retry is not said.

## Spec Reference

- Spec: \`docs/specs/retry.md\`
- Section: Limits
- Quote: "retry a few times"

## Options

### Option A: three times

Slow.

### Option B: once

Fails more often.

## Recommendation

Option A: it is what people expect.

## Impact

Nothing can be released.`,
    ],
    [
      'bold labels in a list',
      `- **Blocker type** — spec-gap
- **Description** — How often to retry is not said.
- **Spec reference** — \`docs/specs/retry.md\`, section Limits, “retry a few times”
- **Options**:
  1. **Option A** — three times; slow
  2. **Option B** — once; fails more often
- **Recommendation** — Option B, because callers retry too.
- **Impact** — The client can't be finished.`,
    ],
    [
      'bold labels with the colon inside',
      `**Type:** Spec-Gap
**Description:** How often to retry is not said.
**Spec reference:** docs/specs/retry.md § Limits
> retry a few times
**Options:**
* Three times (slow)
* Once (fails more often)
**Recommendation:** once
**Impact:** the client waits`,
    ],
    [
      'one line',
      'Type: spec-gap. Description: how often to retry is not said. Spec reference: docs/specs/retry.md, Section: Limits, Quote: "retry a few times". Options: A) three times, slow; B) once, fails more often. Recommendation: B, callers retry too. Impact: the client waits.',
    ],
    [
      'prose around it, and options by number',
      `I had to stop (Type: spec-ambiguity). The spec can be read in two ways.

In docs/specs/retry.md#limits it says "retry a few times".

Option 1: three times. That is slow.
Option 2: once. That fails more often.

I recommend option 2, because callers retry too.
If not resolved, the client can't be finished.`,
    ],
    ['the ends of lines of another system', BLOCKED_SUMMARY.replaceAll('\n', '\r\n')],
    ['capitals', BLOCKED_SUMMARY.replace(/^(\w[\w ]*):/gm, (label) => label.toUpperCase())],
    [
      'the recommendation before the options',
      `Type: technical-constraint
Description: the file that must change is out of scope.
Recommendation: Option A, it is smaller.
Option A: widen the scope.
Option B: split the task.
Impact: the task stays open.`,
    ],
    ['letters and colons', BLOCKED_SUMMARY.replace('\n1. ', '\nA: ').replace('\n2. ', '\nB: ')],
    ['letters and dashes', BLOCKED_SUMMARY.replace('\n1. ', '\nA - ').replace('\n2. ', '\nB - ')],
    ['letters in bold', BLOCKED_SUMMARY.replace('\n1. ', '\n**A)** ').replace('\n2. ', '\n**B)** ')],
    ['the section in parentheses', BLOCKED_SUMMARY.replace(', section "Limits"', ' (Limits)')],
    ['the section before the quote', BLOCKED_SUMMARY.replace(', section "Limits"', ', Limits')],
    ['roman numbers', BLOCKED_SUMMARY.replace('\n1. ', '\n(i) ').replace('\n2. ', '\n(ii) ')],
    ['the section between commas', BLOCKED_SUMMARY.replace(', section "Limits":', ', Limits,')],
    ['labels in brackets', BLOCKED_SUMMARY.replace(/^(\w[\w ]*):/gm, '[$1]')],
    ['another word for the options', BLOCKED_SUMMARY.replace('Options:', 'There are two options:')],
    ['a longer label for the impact', BLOCKED_SUMMARY.replace('Impact:', 'Impact of not resolving this:')],
    [
      'a table',
      `| Field | Value |
| --- | --- |
| Type | technical-constraint |
| **Description** | The lexer has to change, and is out of scope. |
| Options | A: widen the scope (simple); B: wait (slow) |
| Recommendation | A, it is smaller |
| Impact | the flag stays unsupported |`,
    ],
    ...[
      ['headings for options', '### Widen the scope\n\nSimple.\n\n### Wait\n\nSlow.'],
      ['names of options for headings', '### Option 1\n\nWiden. Simple.\n\n### Option 2\n\nWait. Slow.'],
      ['options that begin in bold', '**Widen the scope**: simple.\n\n**Wait**: slow.'],
      [
        'a table of options',
        '| Option | Trade-off |\n| --- | --- |\n| Widen | simple, wide |\n| Wait | slow |',
      ],
      [
        'a wide table of options',
        '| Option | Pro | Con |\n| --- | --- | --- |\n| Widen | simple | wide |\n| Wait | clean | slow |',
      ],
      ['an indented list', '  1. Widen. Simple.\n     - Con: wide\n  2. Wait. Slow.'],
      ['paragraphs between the entries', '1. Widen\n\nSimple.\n\n2. Wait\n\nSlow.'],
      ['remarks in bold between the entries', '1. Widen\n**Risk:** wide\n\n2. Wait\n**Cost:** slow'],
      ['names in bold', '**Option A** Widen, simple.\n**Option B** Wait, slow.'],
      ['steps below an option', '1. Widen\n   Steps:\n   1. a\n   2. b\n2. Wait'],
      ['letters on one line', 'a) Widen, simple. b) Wait, slow.'],
      ['letters in bold at the start of a line', '**A.** Widen\n**B.** Wait'],
      ['an option that changes nothing', '- Do nothing: the flag stays unsupported\n- Widen: simple'],
      ['one, the other', 'One is to widen the scope, the other is to wait.'],
      ['an impact for each option', 'Option 1: Widen.\nImpact: wide\nOption 2: Wait.\nImpact: slow'],
      ['a list of what was tried below', '- Widen\n- Wait\n\nTried so far:\n- a clean build'],
      ['either, or', 'Either widen the scope, which is simple, or wait, which is slow.'],
      ['first, second', 'First, widen the scope (simple). Second, wait (slow).'],
    ].map(([how = '', options = '']) => [how, CONSTRAINT.replace('- a\n- b', options)]),
    [
      'prose',
      'Blocked: spec-gap. The spec docs/specs/retry.md, in section "Limits", says "retry a few times" and gives no number. There are two options: (a) three times, which is slow; (b) ask, which delays the item. I recommend (b), since a wrong limit is costly. If this is not resolved, the client waits.',
    ],
    [
      'options that are sentences',
      'Type: external-dependency\n\nThe sandbox of the service is down, so nothing can be tested. Option 1 is to mock it, which is quick. Option 2 is to wait, which is slow. My recommendation is option 1. Until this is fixed, nothing ships.',
    ],
    [
      'a choice in a sentence',
      'Type: technical-constraint. The handler is out of scope. We could (1) widen the scope, which overlaps, or (2) wait, which is slow. Recommendation: (2). Impact: the item waits.',
    ],
    ['numbers in parentheses', BLOCKED_SUMMARY.replace('\n1. ', ' (1) ').replace('\n2. ', ' (2) ')],
  ])('may be written with %s', (_, summary) => {
    expect(blocked(summary)).toEqual([]);
  });
});

describe('the summary of a validation failure', () => {
  it.each([
    ['`npm test` fails in src/server.test.ts. It failed before my change, too.'],
    ['Step: typecheck\nTried: a clean install.\nWhy outside scope: the types of another package are broken.'],
    ['**Failed step:** lint\n**Why it is outside my scope:** the rule was added on main.'],
    ['The integration tests fail because the database service is unavailable. I tried it three times.'],
    ['Validation failed: the build exits with 2 in packages/other, which is unrelated to this task.'],
    ['vitest failed in src/a.test.ts; I tried two fixes. The debugging limit was reached.'],
    ["The typecheck step fails in src/legacy/x.ts, which is not listed in the task's scope."],
    ['eslint fails on a file that I was not allowed to change.'],
    ['The end-to-end suite fails at the login. The service is beyond my control.'],
    ['The security-scan step failed for a dependency that this item may not change: out of scope.'],
    ['`cargo test` could not compile ring. I tried to pin it. The toolchain is one which I cannot change.'],
    ['go vet ./... failed in internal/old, which belongs to others.'],
    ['Lint fails on src/legacy/x.ts, a file that this task does not touch. I ran it with --fix.'],
    ['Validation step "tests" failed. The failing file is owned by #7.'],
  ])('is taken where it names the step and the reason: %s', (summary) => {
    expect(failed(summary)).toEqual([]);
  });

  it.each([
    ['Validation failed.', ['WR214', 'WR215']],
    ['The validation step failed and I do not know why.', ['WR214', 'WR215']],
    ['Step:\nWhy:', ['WR214', 'WR215']],
    ['The same step failed in the end, for reasons outside of my scope.', ['WR214']],
    ['The tests failed.', ['WR215']],
    ['The lint step failed with two errors in src/a.ts. I tried to mend them.', ['WR215']],
    ['Something fails that is outside of my scope.', ['WR214']],
    ['Step: tests', ['WR215']],
  ])('is refused where it does not: %s', (summary, codes) => {
    expect(failed(summary)).toEqual(codes);
  });
});
