import { mkdir, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { createCli } from '../../testing/cli.ts';
import { type GitRepo, makeRepo } from '../../testing/git-repo.ts';
import { blockOf, readPage, rowsOf, sectionOf } from './markdown.ts';

const page = await readPage('docs/guide/checks/reports.md');
const section = sectionOf(page, '## Reports from what you have');
const part = { ...page, blocks: page.blocks.filter(({ text }) => section.includes(text)) };

const WORKFLOW = `workflow_id: reported
version: 1
description: Tests that report.
entry_step: check
steps:
  - id: check
    opcode: RUN_VALIDATION
    run: [tests]
    routes: { completed: judge, error: judge, killed_timeout: STOP, killed_idle: STOP, killed_policy: STOP }
  - id: judge
    opcode: EVALUATE
    prompt: planner.evaluate_results.v1
    allowed_next_steps: [STOP]
    routes: { success: STOP, partial: STOP, blocked: STOP, unsafe: STOP, needs_human: STOP }
`;

const repos: GitRepo[] = [];
afterEach(async () => {
  for (const repo of repos.splice(0)) await repo.cleanup();
});

describe('the section about reports', () => {
  it('shows a configuration that gives the line it promises', async () => {
    const repo = await makeRepo({
      files: {
        '.tnh/config.yaml': `${blockOf(part, 'yaml config').text}sandbox: off\n`,
        'sum.test.mjs': blockOf(part, 'js sum.test.mjs').text,
        'reported.yaml': WORKFLOW,
      },
    });
    repos.push(repo);
    const home = join(repo.root, '..', 'home');
    await mkdir(home);
    const run = await createCli({ cwd: repo.root, home }).run(['run', 'reported.yaml']);
    expect(run.stderr).toContain('the case adds failed');
    const folder = join(repo.root, '.tnh', 'run', run.stdout.trim(), 'artifacts', 'judge');
    expect(await readdir(folder)).toContain('planner_decision.json');
    const { fix_instructions: fix } = JSON.parse(
      await readFile(join(folder, 'planner_decision.json'), 'utf8'),
    );
    expect(`${fix.verification[0].command}\n`).toBe(blockOf(part, 'text repro').text);
  });

  it('lists every form of report', () => {
    const forms = rowsOf(section).map(([form = '']) => form.replaceAll('`', '').replace(/:.*$/, ''));
    expect(forms.filter((form) => form !== 'report').sort()).toEqual([
      'go-json',
      'harness',
      'junit',
      'playwright-json',
      'tap',
      'vitest-json',
    ]);
  });
});
