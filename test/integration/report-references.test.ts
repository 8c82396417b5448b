import { spawnSync } from 'node:child_process';
import {
  link,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  realpath,
  rm,
  symlink,
  truncate,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { captureReferences } from '../../src/adapters/validators/reference-capture.ts';

let base: string;
let run: string;
let folder: string;

beforeEach(async () => {
  base = await realpath(await mkdtemp(join(tmpdir(), 'conductor-references-')));
  run = join(base, 'run');
  folder = join(run, 'artifacts', 'check', 'harness');
  await mkdir(join(base, 'checkout'));
  await put('harness/out/a.log', 'a log\n');
  await put('harness/out/page.png', 'a picture');
  await put('harness/out/help.txt', 'proposed\n');
  await put('harness/out/help.diff', '-old\n+proposed\n');
  await put('events.ndjson', 'the truth\n');
  await put('artifacts/implement/transcript.md', 'said\n');
  await put('../secret.txt', 'secret\n');
  await put('../elsewhere/secret.txt', 'secret\n');
});
afterEach(() => rm(base, { recursive: true, force: true }));

async function put(path: string, text: string): Promise<void> {
  await mkdir(dirname(join(run, path)), { recursive: true });
  await writeFile(join(run, path), text);
}

function capture(report: Record<string, unknown>, artifacts: readonly string[] = []) {
  return captureReferences(report, {
    roots: { run, checkout: join(base, 'checkout') },
    folder,
    runDir: run,
    artifacts: artifacts.map((name) => ({ name, path: join(folder, name) })),
  });
}

function withArtifacts(...artifacts: unknown[]): Record<string, unknown> {
  return { cases: [{ id: 'a', artifacts }] };
}

/** What of the evidence folder holds the given text. */
async function copiesOf(text: string): Promise<string[]> {
  const found = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  const files = found.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  const texts = await Promise.all(files.map((file) => readFile(file, 'utf8')));
  return files.filter((_, at) => texts[at] === text);
}

describe('what a report refers to', () => {
  it('is copied byte for byte, with the role that its place in the report gives it', async () => {
    const { files, problems } = await capture({
      cases: [{ artifacts: ['harness/out/a.log', './harness/out/page.png'] }, { artifacts: null }, 'odd'],
      ux_flags: [{ evidence_ref: 'harness/out/a.log' }, { evidence_ref: null }],
      proposed_goldens: [
        { proposed_path: 'harness/out/help.txt', diff_ref: 'harness/out/help.diff' },
        'plain/path.txt',
      ],
    });
    expect(problems).toEqual([]);
    expect(files.map(({ reference, role }) => [reference, role])).toEqual([
      ['harness/out/help.txt', 'harness_fixture'],
      ['harness/out/help.diff', 'harness_fixture'],
      ['harness/out/a.log', 'validation_artifact'],
      ['./harness/out/page.png', 'harness_screenshot'],
    ]);
    for (const { reference, path } of files) {
      expect(path).toBe(join(folder, 'report-files', reference));
      expect(await readFile(path)).toEqual(await readFile(join(run, reference)));
    }
  });

  it('stays as it was when the harness writes over it later', async () => {
    const { files } = await capture(withArtifacts('harness/out/a.log'));
    await put('harness/out/a.log', 'another log\n');
    expect(await readFile(files[0]?.path ?? '', 'utf8')).toBe('a log\n');
  });

  it('may be an artifact that was captured beside the code, unless the run directory has it', async () => {
    await put('artifacts/check/harness/shots/new.png', 'a new picture');
    await put('artifacts/check/harness/harness/out/a.log', 'another log\n');
    const { files, problems } = await capture(withArtifacts('./shots/new.png', 'harness/out/a.log'), [
      'shots/new.png',
      'harness/out/a.log',
    ]);
    expect(problems).toEqual([]);
    expect(files.map(({ reference, role }) => [reference, role])).toEqual([
      ['./shots/new.png', 'harness_screenshot'],
      ['harness/out/a.log', 'validation_artifact'],
    ]);
    const texts = await Promise.all(files.map(({ path }) => readFile(path, 'utf8')));
    expect(texts).toEqual(['a new picture', 'a log\n']);
  });

  it('may be an existing copy, and is neither copied again nor reported', async () => {
    await put('artifacts/check/harness/report-files/1-a.png', 'a picture');
    const { files, problems } = await capture(withArtifacts('artifacts/check/harness/report-files/1-a.png'), [
      'report-files/1-a.png',
    ]);
    expect({ files, problems }).toEqual({ files: [], problems: [] });
  });

  it('may be empty, and may be reached by a link that stays in the run directory', async () => {
    await put('harness/empty', '');
    await symlink('out', join(run, 'harness', 'latest'));
    const { files, problems } = await capture(withArtifacts('harness/empty', 'harness/latest/a.log'));
    expect(problems).toEqual([]);
    expect(await Promise.all(files.map(({ path }) => readFile(path, 'utf8')))).toEqual(['', 'a log\n']);
  });
});

describe('a reference is reported and not followed if it', () => {
  it.each<[string, string, RegExp]>([
    ['is absolute', '/etc/passwd', /not relative/],
    ['leaves by dots', '../secret.txt', /`\.\.`/],
    ['leaves by dots further down', 'harness/../../secret.txt', /`\.\.`/],
    ['leaves by dots and comes back', 'harness/../harness/out/a.log', /`\.\.`/],
    ['names nothing', '', /names nothing/],
    ['names the run directory', './', /names nothing/],
    ['holds a NUL', 'harness/out/a.log\0', /no path/],
    ['is missing', 'harness/out/missing.log', /not there/],
    ['goes on below a file', 'harness/out/a.log/b', /not there/],
    ['is a folder', 'harness/out', /no file/],
    ['is a folder with a slash', 'harness/out/', /no file/],
    ['is the log of the run', 'events.ndjson', /keeps for itself/],
    ['is evidence of a step', 'artifacts/implement/transcript.md', /keeps for itself/],
    ['is an address', 'https://example.com/a.png', /not there/],
    ['is longer than any path', 'x'.repeat(5_000), /not there/],
  ])('%s', async (_, reference, why) => {
    const { files, problems } = await capture(withArtifacts(reference, 'harness/out/page.png'));
    expect(files.map((file) => file.reference)).toEqual(['harness/out/page.png']);
    expect(problems).toEqual([expect.stringMatching(why)]);
  });

  it.each<[string, (at: string) => Promise<unknown>, RegExp]>([
    ['a link to a file outside', (at) => symlink('../../secret.txt', at), /through a link/],
    ['an absolute link outside', (at) => symlink(join(base, 'secret.txt'), at), /through a link/],
    ['a link to the log of the run', (at) => symlink('../events.ndjson', at), /keeps for itself/],
    ['a link into the checkout', (at) => symlink(join(base, 'checkout'), at), /through a link/],
    ['a link to nothing', (at) => symlink('nowhere', at), /not there/],
    ['a link to itself', (at) => symlink('trap', at), /not there/],
    ['a pipe', async (at) => spawnSync('sh', ['-c', 'mkfifo "$0"', at]), /no file/],
    ['a file of a gigabyte', (at) => writeFile(at, '').then(() => truncate(at, 1024 ** 3)), /64 MiB/],
  ])('is %s', async (_, make, why) => {
    await make(join(run, 'harness', 'trap'));
    const { files, problems } = await capture(withArtifacts('harness/trap', 'harness/out/a.log'));
    expect(files.map((file) => file.reference)).toEqual(['harness/out/a.log']);
    expect(problems).toEqual([expect.stringMatching(why)]);
    expect(await copiesOf('secret\n')).toEqual([]);
  });

  it('goes through a folder that is a link to the outside', async () => {
    await symlink(join(base, 'elsewhere'), join(run, 'harness', 'away'));
    const { files, problems } = await capture(withArtifacts('harness/away/secret.txt'));
    expect([files, problems]).toEqual([[], [expect.stringMatching(/through a link/)]]);
    expect(await copiesOf('secret\n')).toEqual([]);
  });

  it('would be the whole harness folder moved elsewhere', async () => {
    await rm(join(run, 'harness'), { recursive: true });
    await symlink(join(base, 'elsewhere'), join(run, 'harness'));
    const { files, problems } = await capture(withArtifacts('harness/secret.txt'));
    expect([files, problems]).toEqual([[], [expect.stringMatching(/through a link/)]]);
  });
});

describe('a report that refers to very much', () => {
  it('has the first thousand files looked at, and the rest counted', async () => {
    const many = Array.from({ length: 5_000 }, (_, at) => `harness/missing-${at}.log`);
    const { files, problems } = await capture(withArtifacts(...many));
    expect(files).toEqual([]);
    expect(problems).toHaveLength(51);
    expect(problems.at(-1)).toBe('and 951 more like these');
  });

  it('is copied up to the limit, and the rest is reported', async () => {
    await put('harness/big', '');
    await truncate(join(run, 'harness/big'), 64 * 1024 ** 2);
    const names = Array.from({ length: 9 }, (_, at) => `harness/big-${at}`);
    for (const name of names) await link(join(run, 'harness/big'), join(run, name));
    const { files, problems } = await capture(withArtifacts(...names, 'harness/out/a.log'));
    expect(files).toHaveLength(8);
    expect(problems).toEqual([
      expect.stringMatching(/big-8.*512 MiB/),
      expect.stringMatching(/a\.log.*512 MiB/),
    ]);
  }, 60_000);

  it('has two names for one place captured once', async () => {
    const { files, problems } = await capture(withArtifacts('harness/out/a.log', 'harness//out/a.log'));
    expect(problems).toEqual([]);
    expect(files.map(({ reference }) => reference)).toEqual(['harness/out/a.log', 'harness//out/a.log']);
    expect(new Set(files.map(({ path }) => path)).size).toBe(1);
    expect(await copiesOf('a log\n')).toHaveLength(1);
  });

  it.each([
    ['no lists at all', { cases: 7, ux_flags: 'x', proposed_goldens: { a: 1 } }],
    ['lists of something else', { cases: [1, null], ux_flags: [[]], proposed_goldens: [{ diff_ref: 3 }] }],
    ['nothing', {}],
  ])('is one thing, and one with %s another', async (_, report) => {
    expect(await capture(report)).toEqual({ files: [], problems: [] });
  });
});
