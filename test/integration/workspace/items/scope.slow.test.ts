import { chmod, mkdir, mkdtemp, readFile, rename, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { createPrograms } from '../../../../src/adapters/programs/compare-programs.ts';
import { createScopeSources } from '../../../../src/adapters/workspace/items/scope-sources.ts';
import { parsePatch } from '../../../../src/policy/patches/patch.ts';
import { classifyPatch, formatScopeWarnings } from '../../../../src/runtime/evidence/classify-patch.ts';
import { type GitRepo, makeRepo } from '../../../../testing/git-repo.ts';

const programs = createPrograms();
const repos: GitRepo[] = [];
afterEach(async () => {
  for (const repo of repos.splice(0)) await repo.cleanup();
});

async function repoWith(files: Readonly<Record<string, string | Uint8Array>>): Promise<GitRepo> {
  const repo = await makeRepo({ files });
  repos.push(repo);
  return repo;
}

interface Question {
  readonly inScope?: readonly string[];
  readonly outOfScope?: readonly string[];
  readonly summary?: string;
  readonly base?: string;
  /** Judges without the repository. */
  readonly alone?: boolean;
}

const listed = (paths: readonly string[] = []) =>
  paths.map((path, at) => ({ path, note: null, line: at + 1 }));

async function judge(repo: GitRepo, patch: string, question: Question = {}) {
  const parsed = parsePatch(patch);
  if (!parsed.ok) throw new Error(parsed.message);
  const sources = question.alone ? null : await createScopeSources(repo.root, question.base ?? 'HEAD');
  return classifyPatch({
    inScope: listed(question.inScope ?? ['listed.ts']),
    outOfScope: listed(question.outOfScope),
    extensions: [],
    patch: parsed,
    summary: question.summary ?? '',
    sources,
    programs,
  });
}

/** What git says about everything that was done to the files. */
async function patchOf(repo: GitRepo, ...flags: readonly string[]): Promise<string> {
  await repo.git('add', '--all', '--intent-to-add');
  return repo.git('diff', ...flags, 'HEAD');
}

const spell = (verdict: Awaited<ReturnType<typeof judge>>) =>
  verdict.files.map((file) => `${file.path} ${file.class} ${file.proved}`);

describe('the scope of a patch that git made', () => {
  it('has both ends of a rename, deletions, copies, modes, binaries, links, submodules and odd names', async () => {
    const repo = await repoWith({
      'in/old.ts': 'export const a = 1;\nexport const b = 2;\nexport const c = 3;\n',
      'copied.ts': 'export const d = 1;\nexport const e = 2;\nexport const f = 3;\n',
      'gone.ts': 'g();\n',
      'run.sh': 'h\n',
      'picture.bin': new Uint8Array([0, 1, 2, 3]),
      'grüße "x"\t.ts': 'i();\n',
      'target.ts': 'j();\n',
      'listed.ts': 'k();\n',
      'no-end.ts': 'l();',
    });
    await mkdir(join(repo.root, 'out'));
    await rename(join(repo.root, 'in/old.ts'), join(repo.root, 'out/new.ts'));
    await repo.write('copy.ts', await readFile(join(repo.root, 'copied.ts'), 'utf8'));
    await repo.write('copied.ts', `// So.\n${await readFile(join(repo.root, 'copied.ts'), 'utf8')}`);
    await rm(join(repo.root, 'gone.ts'));
    await chmod(join(repo.root, 'run.sh'), 0o755);
    await repo.write('picture.bin', new Uint8Array([0, 9, 9, 9]));
    await repo.write('grüße "x"\t.ts', '// So.\ni();\n');
    await symlink('target.ts', join(repo.root, 'link.ts'));
    await repo.write('listed.ts', 'anything();\n');
    await repo.write('no-end.ts', 'l( );\n');
    await repo.git('add', '--all');
    const head = (await repo.git('rev-parse', 'HEAD')).trim();
    await repo.git('update-index', '--add', '--cacheinfo', `160000,${head},vendor/module`);
    const patch = await repo.git('diff', '--cached', '--find-renames', '--find-copies', 'HEAD');
    expect(patch).toMatch(/^copy from copied.ts$/m);
    const verdict = await judge(repo, patch, { inScope: ['in/', 'listed.ts'] });
    expect(spell(verdict).sort()).toEqual(
      [
        'in/old.ts primary null',
        'out/new.ts unlisted false',
        'copied.ts incidental true',
        'copy.ts unlisted false',
        'gone.ts unlisted false',
        'run.sh unlisted false',
        'picture.bin unlisted false',
        'grüße "x"\t.ts incidental true',
        'link.ts unlisted false',
        'listed.ts primary null',
        'no-end.ts incidental true',
        'vendor/module unlisted false',
      ].sort(),
    );
    expect(verdict.ok).toBe(false);
    expect(verdict.files.filter(({ reason }) => !/\w/.test(reason))).toEqual([]);
  });

  it('never proves what also changes its mode, or becomes a link', async () => {
    const repo = await repoWith({ 'a.ts': 'f();\n', 'b.ts': 'f();\n' });
    await repo.write('a.ts', '// So.\nf();\n');
    await chmod(join(repo.root, 'a.ts'), 0o755);
    await rm(join(repo.root, 'b.ts'));
    await symlink('a.ts', join(repo.root, 'b.ts'));
    expect(spell(await judge(repo, await patchOf(repo)))).toEqual([
      'a.ts unlisted false',
      'b.ts unlisted false',
    ]);
  });

  it.each([
    ['a comment', 'src/b.ts', 'f(a);\n', '// So.\nf(a);\n', true],
    [
      'a type',
      'src/b.ts',
      'export const a = (b: string) => b;\n',
      'export const a = (b: number) => b;\n',
      true,
    ],
    ['one character', 'src/b.ts', 'f(a < b);\n', 'f(a > b);\n', false],
    [
      'a line break behind return',
      'src/b.js',
      'const f = () => { return 1 };\n',
      'const f = () => { return\n1 };\n',
      false,
    ],
    ['ends of lines', 'src/b.ts', 'f();\ng();\n', 'f();\r\ng();\r\n', true],
    ['ends of lines in a text of C', 'src/b.cpp', 'f(R"(a\nb)");\n', 'f(R"(a\r\nb)");\n', false],
    ['indentation of Python', 'b.py', 'if a:\n    b()\n    c()\n', 'if a:\n    b()\nc()\n', false],
    ['a comment of Python', 'b.py', 'a()\n', 'a()  # So.\n', true],
    ['prose', 'b.md', 'a\n', 'b\n', false],
  ])('says whether behaviour is preserved by %s', async (_name, path, before, after, proved) => {
    const repo = await repoWith({ [path]: before });
    await repo.write(path, after);
    const patch = await patchOf(repo);
    const verdict = await judge(repo, patch);
    expect(verdict).toMatchObject({ ok: proved, files: [{ path, proved }] });
    // The repository may be behind or ahead of the patch, and in its own checkout or not.
    await repo.git('commit', '--all', '--quiet', '--message=done');
    expect((await judge(repo, patch)).files).toEqual(verdict.files);
    expect((await judge(repo, patch, { base: 'HEAD~1' })).files).toEqual(verdict.files);
    // It is all in the patch, and its object id says so.
    expect((await judge(repo, patch, { alone: true })).files).toEqual(verdict.files);
  });

  it('proves nothing of a part of a file without the repository', async () => {
    const before = Array.from({ length: 20 }, (_, at) => `f(${at});\n`).join('');
    const repo = await repoWith({ 'b.ts': before });
    await repo.write('b.ts', `// So.\n${before}`);
    const patch = await patchOf(repo);
    expect(spell(await judge(repo, patch))).toEqual(['b.ts incidental true']);
    const parts = [
      patch,
      await patchOf(repo, '--unified=0'),
      (await patchOf(repo, '--unified=99')).replace(/^index.*\n/m, ''),
    ];
    for (const part of parts)
      expect((await judge(repo, part, { alone: true })).files).toMatchObject([
        { class: 'unlisted', proved: false, reason: expect.stringMatching(/there is no repository/) },
      ]);
    const whole = await judge(repo, await patchOf(repo, '--unified=99'), { alone: true });
    expect(spell(whole)).toEqual(['b.ts incidental true']);
  });

  it('goes by the hunks, whatever objects the patch names', async () => {
    const repo = await repoWith({ 'b.ts': 'f(1);\n', 'one.ts': 'f();\n', 'two.ts': '// So.\nf();\n' });
    const id = async (path: string) => (await repo.git('rev-parse', `HEAD:${path}`)).trim();
    const lines = [
      'diff --git a/b.ts b/b.ts',
      `index ${await id('one.ts')}..${await id('two.ts')} 100644`,
      '--- a/b.ts',
      '+++ b/b.ts',
      '@@ -1 +1 @@',
      '-f(1);',
      '+f(2);',
      '',
    ];
    expect(spell(await judge(repo, lines.join('\n')))).toEqual(['b.ts unlisted false']);
  });

  it('proves nothing of a file that a patch names twice, or that fits nowhere', async () => {
    const repo = await repoWith({ 'b.ts': 'f();\n' });
    const hunk = (old: string, now: string) => `--- a/b.ts\n+++ b/b.ts\n@@ -1 +1 @@\n-${old}\n+${now}\n`;
    const twice = await judge(repo, hunk('f();', 'f( );') + hunk('f( );', 'g();'));
    expect(twice.files).toMatchObject([
      { class: 'unlisted', reason: expect.stringMatching(/names it more than once/) },
    ]);
    const nowhere = await judge(repo, hunk('g();', 'g( );'));
    expect(nowhere.files).toMatchObject([
      { class: 'unlisted', reason: expect.stringMatching(/applies to no known version/) },
    ]);
  });

  const unusedImport = "import { A } from './a.ts';\nexport const a = 1;\n";
  const otherType = 'export const a = 1;\nexport type B = 2;\n';
  const decorated = '  @seen b() {}\n';
  const extending = (base: string) => `{ "compilerOptions": {}, "extends": ${base} }`;
  it.each<[string, Readonly<Record<string, string>>, string, boolean]>([
    ['nothing', { 'tsconfig.json': '{}' }, unusedImport, true],
    [
      'to keep imports',
      { 'base.json': '{ "compilerOptions": { "verbatimModuleSyntax" : true } }' },
      unusedImport,
      false,
    ],
    [
      'nothing, by a file beside it',
      { 'tsconfig.json': extending('"./tsconfig.base.json"'), 'tsconfig.base.json': '{}' },
      unusedImport,
      true,
    ],
    [
      'what only a package that is not at hand says',
      { 'tsconfig.json': extending('"@acme/tsconfig/base.json"') },
      unusedImport,
      false,
    ],
    [
      'what only a file outside of the repository says',
      { 'tsconfig.json': extending('["./tsconfig.base.json",\n "../../tsconfig.json"]') },
      unusedImport,
      false,
    ],
    [
      'what only a package that is not at hand says, where no decorator is',
      { 'tsconfig.json': extending('"@acme/tsconfig"'), 'c.ts': '/** @seen */\n' },
      otherType,
      true,
    ],
    [
      'what only a package that is not at hand says, where a decorator is',
      { 'tsconfig.json': extending('"@acme/tsconfig"'), 'c.ts': `class C {\n${decorated}}\n` },
      otherType,
      false,
    ],
    [
      'nothing, by a package',
      {
        'tsconfig.json': extending('"@acme/tsconfig"'),
        'node_modules/@acme/tsconfig/tsconfig.json': extending('"./more.json"'),
        'node_modules/@acme/tsconfig/more.json': '{}',
      },
      unusedImport,
      true,
    ],
    [
      'to keep imports, by what a package extends',
      {
        'tsconfig.json': extending('"@acme/tsconfig/base"'),
        'node_modules/@acme/tsconfig/base.json': extending('"../other"'),
        'node_modules/@acme/other.json': '{ "compilerOptions": { "verbatimModuleSyntax": true } }',
      },
      unusedImport,
      false,
    ],
  ])('respects the compiler settings: %s', async (_, settings, after, proved) => {
    const packages = Object.entries(settings).filter(([path]) => path.startsWith('node_modules/'));
    const committed = Object.entries(settings).filter(([path]) => !path.startsWith('node_modules/'));
    const files = { 'b.ts': 'export const a = 1;\n', '.gitignore': 'node_modules/\n' };
    const repo = await repoWith({ ...files, ...Object.fromEntries(committed) });
    for (const [path, text] of packages) await repo.write(path, text);
    await repo.write('b.ts', after);
    const classified = spell(await judge(repo, await patchOf(repo)));
    expect(classified).toEqual([proved ? 'b.ts incidental true' : 'b.ts unlisted false']);
  });

  it('reads a patch of 100,000 lines', async () => {
    const before = Array.from({ length: 50_000 }, (_, at) => `f(${at});\n`).join('');
    const repo = await repoWith({ 'b.js': before });
    await repo.write('b.js', before.replaceAll(';', '; // So.'));
    const patch = await patchOf(repo);
    expect(patch.split('\n').length).toBeGreaterThan(100_000);
    expect(spell(await judge(repo, patch))).toEqual(['b.js incidental true']);
  });
});

describe('what Workflow Contracts says about scope', () => {
  it('Given a scope enforcement decision, when a change qualifies under all three incidental-change criteria, then it is permitted without listing the file in "In Scope".', async () => {
    const repo = await repoWith({ 'b.ts': 'export type B = 1;\nf();\n' });
    await repo.write('b.ts', 'export type B = 1 | 2;\nf();\n');
    const verdict = await judge(repo, await patchOf(repo));
    expect(verdict).toMatchObject({
      ok: true,
      forbidden: [],
      files: [{ class: 'incidental', proved: true }],
    });
    expect(formatScopeWarnings(verdict.files)).toEqual([]);
  });

  it('Given a scope enforcement decision, when a change fails any one of the three incidental-change criteria, then the Implementor produces a `blocked` outcome or notes the scope conflict in the summary (not a silent modification).', async () => {
    const repo = await repoWith({ 'b.ts': 'f(1);\n' });
    await repo.write('b.ts', 'f(2);\n');
    const patch = await patchOf(repo);
    const silent = await judge(repo, patch);
    expect(silent).toMatchObject({ ok: false, files: [{ class: 'unlisted', proved: false }] });
    expect(formatScopeWarnings(silent.files)).toEqual([
      '[Warning] b.ts is not in scope: it is not in scope, and the emitted program changed',
    ]);
    const noted = await judge(repo, patch, { summary: 'Done.\n\nIncidental: b.ts: the limit is shared' });
    expect(noted).toMatchObject({ ok: true, files: [{ class: 'incidental', proved: false }] });
    expect(formatScopeWarnings(noted.files)).toEqual([
      '[Warning] b.ts is incidental: attested, unproved: the limit is shared (the emitted program changed)',
    ]);
  });

  it('Given a task whose In Scope list names a file that does not contain the expected code, when the correct target is identifiable from reading the codebase and the task intent is unambiguous, then the agent treats the correct file as effective primary scope and documents the discrepancy in a commit message.', async () => {
    const repo = await repoWith({ 'b.ts': 'f(1);\n' });
    await repo.write('b.ts', 'f(2);\n');
    const summary = 'Scope correction: listed.ts -> b.ts: the handler lives there';
    expect(await judge(repo, await patchOf(repo), { summary })).toMatchObject({
      ok: true,
      files: [{ path: 'b.ts', class: 'corrected', proved: null }],
      corrections: [{ listed: 'listed.ts', actual: 'b.ts', why: 'the handler lives there' }],
      notes: [],
    });
  });

  it('Given a task whose In Scope list names a file that does not contain the expected code, when the discrepancy makes the task intent unclear, then the agent treats it as a blocker (type: `spec-gap`).', async () => {
    const repo = await repoWith({ 'b.ts': 'f(1);\n' });
    await repo.write('b.ts', 'f(2);\n');
    const patch = await patchOf(repo);
    // Whoever can't say what was meant, and where, has no way past the scope but to stop.
    for (const summary of [
      'Scope correction: listed.ts -> b.ts',
      'Scope correction: other.ts -> b.ts: perhaps',
    ])
      expect(await judge(repo, patch, { summary })).toMatchObject({
        ok: false,
        files: [{ class: 'unlisted' }],
        corrections: [],
        notes: [expect.stringMatching(/does not count/)],
      });
  });

  it('lets nothing answer for what is out of scope', async () => {
    const repo = await repoWith({ 'b.ts': 'f(1);\n' });
    await repo.write('b.ts', 'f(1); // So.\n');
    const verdict = await judge(repo, await patchOf(repo), {
      inScope: ['b.ts'],
      outOfScope: ['b.ts'],
      summary: 'Incidental: b.ts: needed',
    });
    expect(verdict).toMatchObject({ ok: false, forbidden: ['b.ts'], files: [{ class: 'out_of_scope' }] });
    expect(formatScopeWarnings(verdict.files)).toEqual([
      expect.stringMatching(/^\[Warning\] b\.ts is out of scope: /),
    ]);
  });
});

it('is asked of no folder that is no repository', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'conductor-scope-'));
  expect(await createScopeSources(folder, 'HEAD')).toBeNull();
  await rm(folder, { recursive: true });
});
