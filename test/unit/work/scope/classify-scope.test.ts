import { describe, expect, it } from 'vitest';
import type { FileChange } from '../../../../src/contracts/run/workspace-change.ts';
import type { ScopeEntry } from '../../../../src/work/bodies/scope-entry.ts';
import type { ScopeExtension } from '../../../../src/work/items/state.ts';
import { readAttestations } from '../../../../src/work/scope/attestations.ts';
import {
  classifyScope,
  findInvalidAttestations,
  listChangedPaths,
  type Proof,
} from '../../../../src/work/scope/classify-scope.ts';

const entries = (paths: readonly string[]): ScopeEntry[] =>
  paths.map((path, index) => ({ path, note: null, line: index + 1 }));

const change = (path: string, more: Partial<FileChange> = {}): FileChange => ({
  path,
  oldPath: null,
  status: 'M',
  insertions: 1,
  deletions: 1,
  oldMode: '100644',
  newMode: '100644',
  blob: '',
  ...more,
});

interface Given {
  readonly inScope?: readonly string[];
  readonly outOfScope?: readonly string[];
  readonly paths: readonly string[];
  readonly extensions?: readonly ScopeExtension[];
  readonly summary?: string;
  readonly proofs?: Readonly<Record<string, Proof>>;
  /** What the base has: folders and files. */
  readonly tree?: Readonly<Record<string, boolean>>;
}

function inputOf(given: Given) {
  const inScope = entries(given.inScope ?? []);
  const changes = given.paths.map((path) => change(path));
  return {
    inScope,
    outOfScope: entries(given.outOfScope ?? []),
    extensions: given.extensions ?? [],
    changes,
    isFolder: (path: string) => given.tree?.[path] ?? null,
    proofs: new Map(Object.entries(given.proofs ?? {})),
    attestations: readAttestations(given.summary ?? '', listChangedPaths(changes), inScope),
  };
}

const classify = (given: Given) => classifyScope(inputOf(given));
const classes = (given: Given) => classify(given).map((file) => file.class);

describe('an entry of In Scope', () => {
  it.each([
    ['src/a.ts', 'src/a.ts'],
    ['`src/a.ts`', 'src/a.ts'],
    ['**`src/a.ts`**', 'src/a.ts'],
    ['./src/a.ts', 'src/a.ts'],
    ['/src/a.ts', 'src/a.ts'],
    ['src//a.ts', 'src/a.ts'],
    ['src\\a.ts', 'src/a.ts'],
    ['src/a.ts:12', 'src/a.ts'],
    ['src/a.ts:12-40', 'src/a.ts'],
    ['src/a.ts#L12', 'src/a.ts'],
    ['a:12', 'a:12'],
    ['src/', 'src/deep/a.ts'],
    ['`src/`', 'src/a.ts'],
    ['src', 'src/deep/a.ts'],
    ['vendor/module/', 'vendor/module'],
    ['.', 'anything/at/all'],
    ['./', 'anything'],
    ['src/*.ts', 'src/a.ts'],
    ['src/**', 'src/deep/.hidden/a'],
    ['**/*.md', '.github/a.md'],
    ['src/{a,b}.ts', 'src/b.ts'],
    ['src/*/', 'src/a/b.ts'],
    ['app/[id].ts', 'app/[id].ts'],
    ['app/[id]/', 'app/[id]/page.tsx'],
    ['app/[id]/**', 'app/[id]/deep/page.tsx'],
    ['app/(shop)/*.tsx', 'app/(shop)/page.tsx'],
    ['src/[ab].ts', 'src/a.ts'],
    ['grüße/ä b.ts', 'grüße/ä b.ts'],
    ['!odd.ts', '!odd.ts'],
  ])('%s covers %s', (entry, path) => {
    expect(classes({ inScope: [entry], paths: [path] })).toEqual(['primary']);
  });

  it.each([
    ['src/a.ts', 'src/A.ts'],
    ['src/a.ts', 'src/a.tsx'],
    ['src/a', 'src/ab.ts'],
    ['src/*.ts', 'src/deep/a.ts'],
    ['*.ts', 'src/a.ts'],
    ['!src/a.ts', 'src/b.ts'],
    ['../src/', 'src/a.ts'],
    ['', 'src/a.ts'],
    ['``', 'src/a.ts'],
  ])('%s does not cover %s', (entry, path) => {
    expect(classes({ inScope: [entry], paths: [path] })).toEqual(['unlisted']);
  });

  it('with brackets is a name if such a path exists', () => {
    expect(classes({ inScope: ['app/[id].ts'], paths: ['app/i.ts', 'app/[id].ts'] })).toEqual([
      'unlisted',
      'primary',
    ]);
    expect(
      classes({ inScope: ['app/[id].ts'], paths: ['app/i.ts'], tree: { 'app/[id].ts': false } }),
    ).toEqual(['unlisted']);
  });

  it('that is a file in the base covers nothing below it', () => {
    expect(classes({ inScope: ['src/a'], paths: ['src/a/b'], tree: { 'src/a': false } })).toEqual([
      'unlisted',
    ]);
    expect(classes({ inScope: ['src/a'], paths: ['src/a/b'], tree: { 'src/a': true } })).toEqual(['primary']);
  });
});

describe('Out of Scope', () => {
  it('wins over In Scope, over a proof and over what the summary says', () => {
    const [file] = classify({
      inScope: ['src/', 'src/b.ts'],
      outOfScope: ['src/b.ts'],
      paths: ['src/b.ts'],
      proofs: { 'src/b.ts': { proved: true, reason: 'only comments changed' } },
      summary: 'Incidental: src/b.ts: needed\nScope correction: src/b.ts -> src/b.ts: needed',
    });
    expect(file).toMatchObject({ class: 'out_of_scope', proved: null });
    expect(file?.reason).toMatch(
      /line 1\) is under Out of Scope; .*does not count: the file is out of scope/,
    );
  });

  it('covers what is below a plain name, and the tests of its files', () => {
    const given = { inScope: ['src/a.ts'], outOfScope: ['lib', 'src/*.test.ts'] };
    expect(classes({ ...given, paths: ['lib/a.ts', 'src/a.test.ts'] })).toEqual([
      'out_of_scope',
      'out_of_scope',
    ]);
  });

  it.each(['../a.ts', '/etc/passwd', 'a/../../b'])('is everything outside the repository: %s', (path) => {
    expect(classes({ inScope: ['**', '.'], paths: [path] })).toEqual(['out_of_scope']);
  });
});

describe('a co-located test', () => {
  it.each([
    ['src/foo.ts', 'src/foo.test.ts'],
    ['src/foo.ts', 'src/foo.spec.ts'],
    ['src/foo.ts', 'src/foo.test.tsx'],
    ['src/foo.tsx', 'src/foo.test.ts'],
    ['src/foo.ts', 'src/foo.integration.test.ts'],
    ['src/foo.js', 'src/foo-test.js'],
    ['src/foo.ts', 'src/__tests__/foo.test.ts'],
    ['src/foo.ts', 'src/__tests__/foo.ts'],
    ['foo.ts', '__tests__/foo.spec.js'],
    ['foo.vue', 'foo.spec.ts'],
    ['a/foo.go', 'a/foo_test.go'],
    ['a/foo.py', 'a/test_foo.py'],
    ['a/foo.py', 'a/foo_test.py'],
    ['a/foo.rb', 'a/foo_spec.rb'],
    ['a/Foo.java', 'a/FooTest.java'],
    ['a/Foo.kt', 'a/FooTests.kt'],
    ['a/Foo.cs', 'a/FooTests.cs'],
    ['a/Foo.php', 'a/FooTest.php'],
    ['a/foo.rs', 'a/foo_test.rs'],
    ['a/foo.cpp', 'a/foo_test.cc'],
    ['a/foo.ex', 'a/foo_test.exs'],
    ['src/**/foo.ts', 'src/deep/foo.test.ts'],
    ['src/[id].ts', 'src/[id].test.ts'],
  ])('of %s is %s', (file, test) => {
    expect(classify({ inScope: [file], paths: [test] })).toMatchObject([
      { class: 'co_located_test', proved: null, reason: expect.stringMatching(/^it is the test of /) },
    ]);
  });

  it.each([
    ['src/foo.ts', 'src/bar.test.ts'],
    ['src/foo.ts', 'test/foo.test.ts'],
    ['src/foo.ts', 'src/deep/foo.test.ts'],
    ['src/foo.ts', 'src/__tests__/bar.test.ts'],
    ['src/foo.ts', 'src/__tests__/deep/foo.test.ts'],
    ['src/foo.ts', 'src/foo.testing.ts'],
    ['src/foo.ts', 'src/foo.test.ts.bak'],
    ['src/foo.go', 'src/foo_test.py'],
    ['src/Foo.ts', 'src/foo.test.ts'],
    ['src/', 'other/foo.test.ts'],
  ])('of %s is not %s', (file, test) => {
    expect(classes({ inScope: [file], paths: [test] })).toEqual(['unlisted']);
  });

  it('comes with a corrected file too', () => {
    const summary = 'Scope correction: src/a.ts -> src/b.ts: the handler lives there';
    expect(classes({ inScope: ['src/a.ts'], paths: ['src/b.ts', 'src/b.test.ts'], summary })).toEqual([
      'corrected',
      'co_located_test',
    ]);
  });
});

describe('a line of the summary', () => {
  const inScope = ['src/a.ts', 'a -> b.ts'];
  it.each([
    ['Incidental: src/b.ts: needed', 'src/b.ts'],
    ['- incidental: `src/b.ts`: needed', 'src/b.ts'],
    ['* **Incidental:** ./src/b.ts: needed', 'src/b.ts'],
    ['  3. INCIDENTAL : "src/b.ts" : needed', 'src/b.ts'],
    ['> - [x] Incidental change: src/b.ts: needed\r', 'src/b.ts'],
    ['Incidental: src/b.ts - needed', 'src/b.ts'],
    ['- **Incidental**: `src/b.ts` — needed', 'src/b.ts'],
    ['Incidental: odd: name.ts: needed', 'odd: name.ts'],
    ['Incidental: odd: needed', 'odd'],
    ['Incidental: with space -> arrow.ts: needed', 'with space -> arrow.ts'],
  ])('answers for a file: %s', (line, path) => {
    const summary = `Done.\n${line}\nMore.`;
    const paths = ['src/b.ts', 'odd: name.ts', 'odd', 'with space -> arrow.ts'];
    const files = classify({ inScope, paths, summary });
    expect(files.filter((file) => file.class === 'incidental')).toEqual([
      {
        path,
        class: 'incidental',
        proved: false,
        reason: 'attested, unproved: needed (its content was not compared)',
      },
    ]);
  });

  it.each([
    ['Scope correction: src/a.ts -> src/b.ts: it is there', 'src/b.ts'],
    ['- **scope correction**: `src/a.ts` → `src/b.ts`: it is there', 'src/b.ts'],
    ['Scope Correction: ./src/a.ts => ./src/b.ts: it is there', 'src/b.ts'],
    ['Scope correction: a -> b.ts -> c -> d: e.ts: it is there', 'c -> d: e.ts'],
  ])('corrects the scope: %s', (summary, path) => {
    const files = classify({ inScope, paths: ['src/b.ts', 'c -> d: e.ts'], summary });
    expect(files.filter((file) => file.class === 'corrected')).toMatchObject([
      { path, proved: null, reason: expect.stringMatching(/^it corrects the entry .*: it is there$/) },
    ]);
  });

  it.each([
    ['Incidental: src/b.ts', 'it gives no reason'],
    ['Incidental: src/b.ts:  ', 'it gives no reason'],
    ['Incidental: src/b.ts — ', 'it gives no reason'],
    ['Incidental: src/c.ts: needed', 'the patch does not change that file'],
    ['Scope correction: src/x.ts -> src/b.ts: it is there', 'src/x.ts is not an entry of In Scope'],
    ['Scope correction: src/a.ts -> src/b.ts', 'it gives no reason'],
    ['Scope correction: src/a.ts -> src/c.ts: it is there', 'the patch does not change that file'],
    ['Scope correction: src/a.ts', 'it names no actual file'],
  ])('that does not count is reported: %s', (summary, why) => {
    const given = { inScope, paths: ['src/b.ts'], summary };
    expect(classes(given)).toEqual(['unlisted']);
    expect(findInvalidAttestations(inputOf(given))).toEqual([
      expect.stringContaining(`does not count: ${why}`),
    ]);
  });

  it('that does not count is in the reason of its file', () => {
    const [file] = classify({
      inScope,
      paths: ['src/b.ts'],
      summary: 'Scope correction: nope -> src/b.ts: x',
    });
    expect(file?.reason).toBe(
      'it is not in scope, and its content was not compared; "Scope correction: nope -> src/b.ts" does not count: nope is not an entry of In Scope',
    );
  });

  it('in prose answers for nothing', () => {
    const summary = 'I made an incidental: src/b.ts: change';
    expect(classes({ inScope, paths: ['src/b.ts'], summary })).toEqual(['unlisted']);
  });
});

describe('a file', () => {
  it('is listed once, with both paths of a rename', () => {
    const changes = [change('new.ts', { oldPath: 'old.ts', status: 'R' }), change('new.ts')];
    expect(listChangedPaths(changes)).toEqual(['old.ts', 'new.ts']);
  });

  it('that is proved needs no attestation', () => {
    const proofs = { b: { proved: true, reason: 'only comments and white space changed' } };
    expect(classify({ paths: ['b'], proofs })).toEqual([
      { path: 'b', class: 'incidental', proved: true, reason: 'only comments and white space changed' },
    ]);
  });

  it('is classified quickly in a large patch', () => {
    const paths = Array.from({ length: 20_000 }, (_, index) => `src/${index}/a.ts`);
    expect(
      classes({ inScope: ['src/*/a.ts'], outOfScope: ['lib/'], paths }).every((kind) => kind === 'primary'),
    ).toBe(true);
  });
});

describe('an extension of the scope', () => {
  const extensions = [{ path: 'docs/', reason: 'the page names the option', by: 'ann' }];
  it.each<[string, Given, string]>([
    ['covers what a user allowed', { extensions, paths: ['docs/a.md'] }, 'extended'],
    ['covers the test of an allowed file', { extensions, paths: ['docs/a.test.ts'] }, 'extended'],
    ['leaves the rest as it is', { extensions, paths: ['src/b.ts'] }, 'unlisted'],
    [
      'never covers what is out of scope',
      { extensions, outOfScope: ['docs/a.md'], paths: ['docs/a.md'] },
      'out_of_scope',
    ],
    ['comes after In Scope', { extensions, inScope: ['docs/a.md'], paths: ['docs/a.md'] }, 'primary'],
  ])('%s', (_, given, expected) => {
    expect(classes(given)).toEqual([expected]);
  });

  it('names the user and the reason', () => {
    expect(classify({ extensions, paths: ['docs/a.md'] })[0]?.reason).toBe(
      'allowed by ann: the page names the option',
    );
  });
});
