import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect } from 'vitest';
import { shortIdsOf } from '../../src/overview/short-ids.ts';
import { runInProcess } from './in-process.ts';
import { type Scene, type SceneOptions, test } from './scene.ts';

const AGENT_ROUTES =
  '{ completed: STOP, error: STOP, killed_timeout: STOP, killed_idle: STOP, killed_policy: STOP }';

function workflowWith(step: string): string {
  return `workflow_id: w\nversion: 1\ndescription: One step.\nentry_step: only\nsteps:\n  - id: only\n    ${step}\n    routes: ${AGENT_ROUTES}\n`;
}

const AGENT = workflowWith('opcode: RUN_AGENT\n    agent: actor\n    prompt: say hello');
const BAD_AGENT = AGENT.replace('agent: actor', 'agent: acter');
const TESTS = workflowWith('opcode: RUN_VALIDATION\n    run: [tests]');

const GATE = `workflow_id: g
version: 1
description: One gate.
entry_step: only
steps:
  - { id: only, opcode: GATE, gate: requires_approval, routes: { gate_approved: STOP, gate_rejected: STOP } }
`;

interface Wrong extends SceneOptions {
  readonly sentence: string;
  readonly args: readonly string[];
  /** The one line that says what is wrong. */
  readonly says: RegExp;
  readonly helps?: RegExp;
}

const INSIDE = '.tnh/workspaces';

const ACTOR = 'agents:\n  actor: { kind: command, command: [node, tools/act.mjs] }\n';

const FRONT_MATTER =
  '---\nprompt_id: task.hello\nversion: 1\nrole: task\nsummary: Hello.\nowner: us\nstatus: current\n---\n';

const WRONG: readonly Wrong[] = [
  {
    sentence: 'a workflow file that is missing',
    args: ['run', './none.yaml'],
    says: /none\.yaml does not exist/,
  },
  { sentence: 'a directory in place of a workflow', args: ['run', './tools'], says: /tools is a directory/ },
  {
    sentence: 'a workflow id that nothing has',
    args: ['run', 'implemnt'],
    says: /implemnt/,
    helps: /implement/,
  },
  {
    sentence: 'a command of an agent that does not exist',
    args: ['run', './w.yaml'],
    files: { 'w.yaml': AGENT },
    config: 'agents:\n  actor: { kind: command, command: [no-such-agent-anywhere] }\n',
    says: /actor.*no-such-agent-anywhere/,
    helps: /agents\.actor/,
  },
  {
    sentence: 'a command of a validator that does not exist',
    args: ['run', './w.yaml'],
    files: { 'w.yaml': TESTS },
    config: 'validators:\n  tests: { command: [no-such-check-anywhere] }\n',
    says: /tests.*no-such-check-anywhere/,
    helps: /validators\.tests/,
  },
  {
    sentence: 'a validator that the repository gives nothing to run',
    args: ['run', './w.yaml'],
    files: { 'w.yaml': TESTS },
    config: '',
    says: /tests/,
    helps: /validators\.tests/,
  },
  {
    sentence: 'a policy of the configuration that does not exist',
    args: ['run', './w.yaml'],
    files: { 'w.yaml': AGENT },
    config: `${ACTOR}policy: policy.none.v1\n`,
    says: /policy\.none\.v1 does not exist/,
    helps: /\.tnh\/policies\/policy\.none\.v1\.yaml/,
  },
  {
    sentence: 'an unknown base ref',
    args: ['run', './w.yaml', '--base-ref', 'nowhere'],
    files: { 'w.yaml': AGENT },
    config: ACTOR,
    says: /nowhere/,
  },
  {
    sentence: 'an input that is not name=value',
    args: ['run', './w.yaml', '--input', 'task'],
    files: { 'w.yaml': AGENT },
    config: ACTOR,
    says: /task/,
  },
  {
    sentence: 'an input that no step takes',
    args: ['run', './w.yaml', '--input', 'tsak=hello'],
    files: { 'w.yaml': AGENT },
    config: ACTOR,
    says: /no step takes the input `tsak`/,
    helps: /did you mean `task`\?/,
  },
  {
    sentence: 'an input that the run sets itself',
    args: ['run', './w.yaml', '--input', 'diff=mine'],
    files: { 'w.yaml': AGENT },
    config: ACTOR,
    says: /`diff` is set by the runtime/,
    helps: /takes `task`/,
  },
  { sentence: 'an unknown command', args: ['vallidate', 'x.yaml'], says: /vallidate/, helps: /validate/ },
  { sentence: 'help for an unknown command', args: ['help', 'rnu'], says: /rnu/, helps: /help run/ },
  { sentence: 'an unknown subcommand', args: ['worktree', 'lst'], says: /lst/, helps: /did you mean list\?/ },
  {
    sentence: 'an unknown question to a policy',
    args: ['policy', 'comand', 'ls'],
    says: /comand/,
    helps: /did you mean command\?/,
  },
  { sentence: 'a run where there is none', args: ['show'], says: /show needs a run/, helps: /conductor run/ },
  {
    sentence: 'the newest run where there is none',
    args: ['show', '@2'],
    says: /no run "@2": there are 0 runs/,
  },
  { sentence: 'a code without its zeros', args: ['explain', 'wf7'], says: /wf7/, helps: /WF007/ },
  {
    sentence: 'an unknown flag',
    args: ['run', 'x.yaml', '--base-reff', 'a'],
    says: /--base-reff/,
    helps: /--base-ref\b/,
  },
  { sentence: 'a missing argument', args: ['run'], says: /workflow/ },
  {
    sentence: 'a --repo that is not there',
    args: ['runs', '--repo', 'nowhere'],
    says: /no folder .*nowhere/,
  },
  {
    sentence: 'a --repo that is a file',
    args: ['runs', '--repo', 'w.yaml'],
    files: { 'w.yaml': AGENT },
    says: /no folder .*w\.yaml/,
  },
  { sentence: 'an unknown run', args: ['show', 'ffff'], says: /ffff/, helps: /conductor runs/ },
  { sentence: 'resuming an unknown run', args: ['resume', 'ffff'], says: /ffff/ },
  { sentence: 'approving an unknown run', args: ['approve', 'ffff'], says: /ffff/ },
  { sentence: 'cancelling an unknown run', args: ['cancel', 'ffff'], says: /ffff/ },
];

/** Documents have diagnostics with places in them rather than one line. */
const WRONG_DOCUMENTS: readonly Wrong[] = [
  {
    sentence: 'broken YAML',
    args: ['run', './w.yaml'],
    files: { 'w.yaml': 'workflow_id: [unclosed\n' },
    says: /^error\[WF002\]: .*\n *--> .*w\.yaml:\d+:\d+/m,
  },
  {
    sentence: 'an unknown agent',
    args: ['run', './w.yaml'],
    files: { 'w.yaml': BAD_AGENT },
    config: ACTOR,
    says: /^error\[WF501\]: .*acter.*\n *--> .*w\.yaml:\d+:\d+/m,
    helps: /actor/,
  },
  {
    sentence: 'a prompt whose text could not be rendered when its turn comes',
    args: ['run', './w.yaml'],
    files: {
      'w.yaml': AGENT.replace('prompt: say hello', 'prompt: task.hello.v1'),
      '.tnh/prompts/task.hello.v1.md': `${FRONT_MATTER}Say {{ what }}.\n`,
    },
    config: ACTOR,
    says: /^error\[WF509\]: .*task\.hello\.v1.*`what`.*\n *--> .*w\.yaml:\d+:\d+[\s\S]*task\.hello\.v1\.md:9:8$/m,
    helps: /declare/,
  },
  {
    sentence: 'a policy in place of a workflow',
    args: ['run', './p.yaml'],
    files: { 'p.yaml': 'policy_id: policy.a\nversion: 1\n' },
    says: /^error\[WF106\]: the file is a policy, .*\n *--> .*p\.yaml:1:1/m,
    helps: /conductor validate/,
  },
  {
    sentence: 'workspaces inside the repository',
    args: ['run', './w.yaml'],
    files: { 'w.yaml': AGENT },
    config: `${ACTOR}paths: { workspaces: ${INSIDE} }\n`,
    says: /workspaces/,
    helps: /outside/,
  },
  {
    sentence: 'a broken configuration',
    args: ['run', './w.yaml'],
    files: { 'w.yaml': AGENT },
    config: 'agent: {}\n',
    says: /^error\[CF007\]: .*\n *--> .*config\.yaml:\d+:\d+/m,
    helps: /agents/,
  },
];

/** An unknown agent, and a kill without a route. */
const ERROR_AND_WARNING = BAD_AGENT.replace(', killed_policy: STOP', '');

/** Every name that a refused command could leave behind; the scene itself compares refs and worktrees. */
async function traces({ repo, home }: Scene): Promise<unknown> {
  return {
    files: (await readdir(repo.root, { recursive: true }))
      .filter((name) => !name.startsWith('.git/objects/'))
      .sort(),
    home: (await readdir(home, { recursive: true })).sort(),
  };
}

function complaints(stderr: string): readonly string[] {
  return stderr.split('\n').filter((line) => line.startsWith('conductor: '));
}

async function expectRefused(scene: Scene, wrong: Wrong): Promise<string> {
  const before = await traces(scene);
  const result = await runInProcess(wrong.args, scene.cliOptions);
  expect(result).toMatchObject({ code: 2, stdout: '' });
  expect(result.stderr).not.toMatch(/^ +at |internal error/m);
  if (wrong.helps !== undefined) expect(result.stderr).toMatch(wrong.helps);
  expect(await traces(scene)).toEqual(before);
  return result.stderr;
}

describe('what is refused with exit 2 and one line, and leaves nothing behind', () => {
  for (const wrong of WRONG)
    test(wrong.sentence, async ({ openScene }) => {
      const stderr = await expectRefused(await openScene(wrong), wrong);
      expect(complaints(stderr)).toEqual([expect.stringMatching(wrong.says)]);
    });

  for (const wrong of WRONG_DOCUMENTS)
    test(wrong.sentence, async ({ openScene }) => {
      expect(await expectRefused(await openScene(wrong), wrong)).toMatch(wrong.says);
    });

  test('a workflow with its errors alone, and the number of its warnings', async ({ openScene }) => {
    const scene = await openScene({ files: { 'w.yaml': ERROR_AND_WARNING }, config: ACTOR });
    const args = ['run', './w.yaml'];
    const stderr = await expectRefused(scene, { sentence: '', args, says: /./ });
    expect(stderr).toMatch(/^error\[WF501\]/m);
    expect(stderr).not.toContain('WF203');
    const { stdout } = await scene.conductor('validate', 'w.yaml');
    const warnings = stdout.match(/^warning\[.*$/gm) ?? [];
    expect(warnings).toContain('warning[WF203]: w.yaml:10 step `only` has no route for `killed_policy`');
    expect(warnings.length).toBeGreaterThan(1);
    expect(stderr.trimEnd().split('\n').at(-1)).toBe(
      `conductor validate w.yaml also shows ${warnings.length} warnings`,
    );
  });

  test('a configuration with its errors alone, and the number of its warnings', async ({ openScene }) => {
    const scene = await openScene({
      files: { 'w.yaml': AGENT },
      config: 'agent: {}\nsetup: { run: [npm, ci] }\npaths: { worktrees: trees }\n',
    });
    for (const more of [[], ['--json']]) {
      const { code, stderr } = await scene.conductor('run', './w.yaml', ...more);
      expect(code).toBe(2);
      expect(stderr.match(/^\w+\[\w+\]/gm)).toEqual(['error[CF007]', 'error[CF009]']);
      expect(stderr).toMatch(/^conductor validate \S*\.tnh\/config\.yaml also shows 1 warning$/m);
    }
  });

  test('a run id with a slip, which is named', async ({ openScene }) => {
    const scene = await openScene();
    const { runId } = await scene.run('unverified');
    for (const length of [runId.length, 13, 7]) {
      const typed = runId.slice(0, length);
      const slip = `${typed.slice(0, -1)}${typed.endsWith('0') ? '1' : '0'}`;
      const stderr = await expectRefused(scene, { sentence: '', args: ['show', slip], says: /./ });
      const whole = length === runId.length;
      expect(stderr).toContain(`did you mean ${whole ? runId : shortIdsOf([runId])(runId)}?`);
    }
  });

  test('a command that needs a run and gets none, with the runs that there are', async ({ openScene }) => {
    const scene = await openScene();
    const first = (await scene.run('unverified')).runId;
    const second = (await scene.run('unverified')).runId;
    const { code, stdout: nothing, stderr } = await scene.conductor('show');
    expect([code, nothing]).toEqual([2, '']);
    expect(stderr.match(/^[0-9a-f]{8}\S*/gm)).toEqual([second, first].map(shortIdsOf([first, second])));
    expect(complaints(stderr)).toEqual(['conductor: conductor show needs a run']);
    expect(stderr).toContain('conductor show latest');
    for (const [name, runId] of [
      ['latest', second],
      ['@', second],
      ['@1', second],
      ['@2', first],
    ] as const) {
      const { stdout } = await scene.conductor('show', name, '--json');
      expect([name, JSON.parse(stdout).run_id]).toEqual([name, runId]);
    }
    const tooOld = await expectRefused(scene, { sentence: '', args: ['show', '@3'], says: /./ });
    expect(complaints(tooOld)).toEqual([expect.stringMatching(/no run "@3": there are 2 runs/)]);
  });

  test('a prefix that several runs share', async ({ openScene }) => {
    const scene = await openScene();
    await scene.run('gate-approvers');
    await scene.run('gate-approvers');
    const stderr = await expectRefused(scene, { sentence: '', args: ['show', '0'], says: /./ });
    expect(complaints(stderr)).toEqual([expect.stringMatching(/matches 2 runs/)]);
  });
});

describe('validate', () => {
  test('checks other documents as what they are', async ({ openScene }) => {
    const scene = await openScene({
      config: 'agent: {}\n',
      files: {
        '.tnh/prompts/task.hello.v1.md': FRONT_MATTER.replace('role: task', 'role: tsk'),
        '.tnh/prompts/task.hello.v2.md': `${FRONT_MATTER.replace('version: 1', 'version: 2')}Hello {{ wrld }}.\n`,
        '.tnh/prompts/task.hello.v3.md': `${FRONT_MATTER.replace('version: 1', 'version: 3')}Hello {{ task }}.\n`,
        '.tnh/policies/policy.a.v1.yaml': 'policy: policy.a\nversion: 1\n',
        'rules.yaml': 'policy_id: policy.a\nversion: 1\n',
        'suite.json':
          '{ "suite_id": "s", "cases": [{ "id": "a", "kind": "cli", "command": ["true"] }], "case": [] }',
        'mine.yaml': 'agents: { a: { kind: codex } }\n',
        'vector.json': '{ "vector_id": "v", "summary": "s", "input": {}, "expected": {} }',
      },
    });
    const prompts = [1, 2, 3].map((version) => `.tnh/prompts/task.hello.v${version}.md`);
    const others = ['.tnh/policies/policy.a.v1.yaml', 'rules.yaml', 'suite.json', 'mine.yaml', 'vector.json'];
    const { code, stdout, stderr } = await runInProcess(
      ['validate', '.tnh/config.yaml', ...prompts, ...others],
      scene.cliOptions,
    );
    expect(code).toBe(2);
    expect(stderr).toMatch(/names were not resolved/);
    expect(stdout.match(/^\w+\[\w+\]|^ *--> .*|^[✓✗].*/gm)).toEqual([
      'error[CF007]',
      ' --> .tnh/config.yaml:1:1',
      '✗ .tnh/config.yaml: 1 error',
      'error[PR010]',
      ' --> .tnh/prompts/task.hello.v1.md:4:7',
      'warning[PR106]',
      '✗ .tnh/prompts/task.hello.v1.md: 1 error, 1 warning (--verbose shows more)',
      'error[PR109]',
      ' --> .tnh/prompts/task.hello.v2.md:9:10',
      '✗ .tnh/prompts/task.hello.v2.md: 1 error',
      '✓ .tnh/prompts/task.hello.v3.md: valid',
      'error[CF007]',
      ' --> .tnh/policies/policy.a.v1.yaml:1:1',
      '✗ .tnh/policies/policy.a.v1.yaml: 1 error',
      '✓ rules.yaml: valid, a policy',
      'error[CF007]',
      ' --> suite.json:1:82',
      '✗ suite.json: 1 error',
      '✓ mine.yaml: valid',
      'error[WF106]',
      ' --> vector.json:1:3',
      '✗ vector.json: 1 error',
    ]);
  });
});

describe('places where nothing can run', () => {
  test('a repository without commits', async ({ openScene }) => {
    const wrong = { sentence: '', args: ['run', './w.yaml'], says: /no commits/ };
    const scene = await openScene({ commit: false, config: ACTOR, files: { 'w.yaml': AGENT } });
    expect(complaints(await expectRefused(scene, wrong))).toEqual([expect.stringMatching(wrong.says)]);
    const { code, stdout } = await scene.conductor('doctor');
    expect(code).toBe(0);
    expect(stdout).toMatch(/^○ repository +.* has no commits yet/m);
  });

  test('a folder that is no repository', async ({ openScene }) => {
    const scene = await openScene();
    for (const command of [['run', 'implement'], ['runs'], ['init'], ['gates']]) {
      const result = await scene.cli.run(command, { cwd: scene.home });
      expect(result).toMatchObject({ code: 2, stdout: '' });
      expect(complaints(result.stderr)).toEqual([expect.stringMatching(/not inside a git repository/)]);
      expect(await readdir(scene.home)).toEqual([]);
    }
  });

  test("a configuration that can't be read", async ({ openScene }) => {
    const scene = await openScene({
      files: { 'w.yaml': GATE },
      prepare: async (repo) => {
        await repo.git('rm', '-q', '.tnh/config.yaml');
        await repo.write('.tnh/config.yaml/inside.yaml', '');
      },
    });
    const wrong = { sentence: '', args: ['run', './w.yaml'], says: /config\.yaml/ };
    expect(complaints(await expectRefused(scene, wrong))).toEqual([expect.stringMatching(wrong.says)]);
  });

  test('a .tnh that is a file', async ({ openScene }) => {
    const scene = await openScene({
      prepare: async (repo) => {
        await repo.git('rm', '-rq', '.tnh');
        await repo.write('.tnh', 'in the way\n');
        await repo.write('w.yaml', GATE);
      },
    });
    const wrong = { sentence: '', args: ['run', './w.yaml'], says: /\.tnh/ };
    expect(complaints(await expectRefused(scene, wrong))).toEqual([expect.stringMatching(wrong.says)]);
    const init = { sentence: '', args: ['init'], says: /\.tnh/, helps: /move it away/ };
    expect(complaints(await expectRefused(scene, init))).toEqual([expect.stringMatching(init.says)]);
    const { code, stdout } = await scene.conductor('doctor');
    expect(code).toBe(1);
    expect(stdout).toMatch(/^✗ \.tnh +.* is not a folder$/m);
  });

  test('a file where the workspaces would go', async ({ openScene }) => {
    const scene = await openScene({ files: { 'w.yaml': GATE } });
    const file = join(scene.home, '.local/state/conductor');
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, 'in the way\n');
    const wrong = { sentence: '', args: ['run', './w.yaml'], says: /workspace/, helps: /paths\.workspaces/ };
    expect(complaints(await expectRefused(scene, wrong))).toEqual([expect.stringContaining(file)]);
  });

  test('a repository with a branch where the branches of runs would go', async ({ openScene }) => {
    const scene = await openScene({
      config: ACTOR,
      files: { 'w.yaml': AGENT },
      prepare: (repo) => repo.git('branch', 'conductor'),
    });
    const wrong = { sentence: '', args: ['run', './w.yaml'], says: /branch|ref/ };
    expect(complaints(await expectRefused(scene, wrong))).toEqual([expect.stringMatching(wrong.says)]);
  });
});
