import { existsSync } from 'node:fs';
import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { createCliInProcess } from '../e2e/in-process.ts';
import {
  anchorsOf,
  codeWords,
  type Page,
  proseOf,
  ROOT,
  readPage,
  readPages,
  sectionOf,
} from './markdown.ts';

const folder = await realpath(await mkdtemp(join(tmpdir(), 'conductor-docs-')));
const cli = createCliInProcess({ cwd: folder, home: folder });
afterAll(() => rm(folder, { recursive: true, force: true }));

const pages = await readPages();
const flagsByCommand = await readCommands();

/** Commands and flags from the completion script, which is generated from them. */
async function readCommands(): Promise<ReadonlyMap<string, readonly string[]>> {
  const { stdout } = await cli.run(['completion', 'bash']);
  const lines = stdout.matchAll(/^ {4}([a-z]+)\) words="([^"]*)" ;;$/gm);
  return new Map([...lines].map((match) => [match[1] ?? '', (match[2] ?? '').split(' ')]));
}

interface Mention {
  readonly at: string;
  readonly command: string;
  readonly flags: readonly string[];
}

/** Commands in code: lines of blocks, and words between backticks. */
function mentionsIn(page: Page): Mention[] {
  const lines = page.blocks
    .filter(({ info }) => info === 'sh' || info === 'text')
    .flatMap(({ text }) => text.split('\n'))
    .map((line) => line.replace(/^\s*(?:\$ )?/, ''));
  return [...lines, ...codeWords(proseOf(page))]
    .map((code) => /^(?:npx )?conductor ([a-z]+)(?: (.*))?$/.exec(code))
    .filter((match) => match !== null)
    .map(([code, command = '', rest = '']) => ({
      at: `${page.path}: ${code}`,
      command,
      flags: flagsIn(rest),
    }));
}

/** Comments and quoted values are no flags. */
function flagsIn(words: string): string[] {
  return (
    words
      .replace(/\s#.*$/, '')
      .replace(/"[^"]*"/g, '')
      .match(/--[a-z-]+/g) ?? []
  );
}

describe('the commands that the documentation mentions', () => {
  const mentions = pages.flatMap(mentionsIn);

  it('exist', () => {
    expect(mentions.length).toBeGreaterThan(40);
    expect(mentions.filter(({ command }) => !flagsByCommand.has(command)).map(({ at }) => at)).toEqual([]);
  });

  it('know the flags they are shown with', () => {
    const wrong = mentions.filter(({ command, flags }) =>
      flags.some((flag) => !flagsByCommand.get(command)?.includes(flag)),
    );
    expect(wrong.map(({ at }) => at)).toEqual([]);
  });

  it('are all on the page about the command line, with every flag of their own', async () => {
    const page = await readPage('docs/reference/command-line.md');
    const common = ['--json', '--repo', '--no-input', '--help', '--trust'];
    const headings = [...page.text.matchAll(/^### .+$/gm)].map((match) => match[0]);
    const missing = [...flagsByCommand].flatMap(([command, flags]) => {
      const heading = headings.find((text) => new RegExp(`\\b${command}\\b`).test(text));
      if (heading === undefined) return [command];
      const section = sectionOf(page, heading);
      const own = flags.filter((flag) => !common.includes(flag));
      return own.filter((flag) => !section.includes(flag)).map((flag) => `${command} ${flag}`);
    });
    expect(missing).toEqual([]);
  });
});

describe('the links of the documentation', () => {
  it('lead somewhere', () => {
    const links = pages.flatMap((page) =>
      [...proseOf(page).matchAll(/\]\(([^)\s]+)\)/g)].map((match) => ({ page, target: match[1] ?? '' })),
    );
    expect(links.length).toBeGreaterThan(40);
    expect(links.filter(({ page, target }) => !resolves(page, target)).map(describeLink)).toEqual([]);
  });
});

describe('the index of the documentation', () => {
  it('links every page of the guide, the reference and the internals', async () => {
    const index = await readPage('docs/README.md');
    const linked = [...index.text.matchAll(/\]\(([^)\s]+)\)/g)].map((match) => `docs/${match[1]}`);
    const indexed = /^docs\/(?:architecture|guide\/.+|(?:reference|internals)\/[^/]+)\.md$/;
    const found = pages.map(({ path }) => path).filter((path) => indexed.test(path));
    expect(found.length).toBeGreaterThan(30);
    expect(found.filter((path) => !linked.includes(path))).toEqual([]);
  });
});

function resolves(page: Page, target: string): boolean {
  if (/^[a-z]+:/.test(target)) return true;
  const [file = '', anchor] = target.split('#');
  const path = file === '' ? page.path : join(dirname(page.path), file);
  if (anchor === undefined) return existsSync(join(ROOT, path));
  const linked = pages.find((candidate) => candidate.path === path);
  return linked !== undefined && anchorsOf(linked).includes(anchor);
}

function describeLink({ page, target }: { page: Page; target: string }): string {
  return `${page.path}: ${target}`;
}

describe('the recording in the README', () => {
  it('is what the demo prints, but for times and ids', async () => {
    const { code, stderr } = await cli.run(['demo', '--yes'], { env: { TMPDIR: folder } });
    expect(code).toBe(0);
    const page = await readPage('README.md');
    const recorded = page.blocks.find(({ text }) => text.startsWith('$ conductor demo --yes\n'));
    expect(timeless(recorded?.text ?? '')).toBe(`$ conductor demo --yes\n${timeless(stderr)}`);
  });
});

/** The columns are as wide as the times in them, so the white space around those goes too. */
function timeless(text: string): string {
  return text
    .replace(/[^\s]*conductor-demo-\w+/g, '/tmp/…')
    .replace(/\b[0-9a-f]{8}(?:-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})?\b/g, 'ID')
    .replace(/\(user [^,]+,/g, '(user …,')
    .replace(/ +\d+(?:\.\d+)? m?s(?= |$)/gm, ' TIME');
}
