import { join } from 'node:path';
import { expect, it } from 'vitest';
import { openRepository, type RepositoryKind, type Verdict } from './checked-repository.ts';
import { readRun } from './run-record.ts';

const ENDS = 'killed_timeout: STOP, killed_idle: STOP, killed_policy: STOP';
const FILES = {
  Makefile: 'test:\n\tsh test.sh\n\nlint:\n\ttrue\n',
  'test.sh': 'test "$(sh add.sh 2 3)" = 5\n',
  'add.sh': 'echo $(($1 - $2))\n',
};
const WEAKER = { 'test.sh': 'test -n "$(sh add.sh 2 3)"\n' };

async function attempt(kind: RepositoryKind, ...deeds: Parameters<AttemptOf>[1][]): Promise<Verdict[]> {
  const repository = await openRepository(kind);
  try {
    const verdicts: Verdict[] = [];
    for (const deed of deeds) verdicts.push(await repository.attempt('Fix add', deed));
    return verdicts;
  } finally {
    await repository.close();
  }
}

type AttemptOf = Awaited<ReturnType<typeof openRepository>>['attempt'];

/** Puts a step between the validation and the evaluation. */
const followedBy = (step: string) => (workflow: string) =>
  workflow
    .replace('{ completed: evaluate,', '{ completed: next,')
    .replace('  - id: evaluate', `${step}  - id: evaluate`);

it.each<[string, string]>([
  [
    'another validation',
    `  - { id: next, opcode: RUN_VALIDATION, run: [lint], routes: { completed: evaluate, error: evaluate, ${ENDS} } }\n`,
  ],
  [
    'a step that changes nothing',
    `  - { id: next, opcode: RUN_AGENT, agent: onlooker, prompt: look at it, intent: implementation, routes: { completed: evaluate, error: STOP, ${ENDS} } }\n`,
  ],
])('what a validation found out is not lost behind %s', async (_name, step) => {
  const [verdict] = await attempt(
    {
      files: FILES,
      arrange: followedBy(step),
      configure: (config) =>
        config.replace('agents: {', 'agents: { onlooker: { kind: command, command: [echo, Looked.] },'),
    },
    { write: WEAKER },
  );
  expect(verdict?.flags, verdict?.shown).toEqual(['judge_changed']);
  expect(verdict?.gate).toContain('- with the edits: tests passed\n');
  expect(verdict?.gate).toContain('- with the files of the base: tests failed (exit code 2)\n');
});

it('a run without a gate shows both results when it ends', async () => {
  const [verdict] = await attempt(
    { files: FILES, arrange: (workflow) => workflow.replace('needs_human: approve', 'needs_human: STOP') },
    { write: WEAKER },
  );
  expect(verdict?.record.status.outcome, verdict?.shown).toBe('needs_human');
  for (const text of [verdict?.shown, verdict?.stderr]) {
    expect(text).toContain('  checks\n');
    expect(text).toContain('with the files of the base: tests failed (exit code 2)');
  }
});

it('what an agent writes into the judge checkout is not there when validators run', async () => {
  // The baseline has made the judge checkout, so it exists while the agent works.
  const [verdict] = await attempt(
    { files: FILES },
    {
      shell:
        'cd ../judge; echo true > test.sh; printf "test:\\n\\ttrue\\n" > GNUmakefile; touch test; rm -f .git/index; printf "[core]\\n\\tworktree = /\\n" >> .git/config; cd ../work; echo note > note.txt',
    },
  );
  expect(verdict, verdict?.shown).toMatchObject({
    status: 'partial',
    blockers: ['validator_failed:tests', 'false_claim'],
  });
});

it('a golden that an agent edits is a changed judge', async () => {
  const files = {
    Makefile: 'test:\n\tsh say.sh | diff - goldens/say.txt\n',
    'say.sh': 'echo hello\n',
    'goldens/say.txt': 'hello\n',
  };
  const [edited, honest] = await attempt(
    { files },
    { write: { 'say.sh': 'echo hallo\n', 'goldens/say.txt': 'hallo\n' } },
    { write: { 'say.sh': 'printf "hel"; echo lo\n' } },
  );
  expect(edited?.flags, edited?.shown).toEqual(['judge_changed']);
  expect(edited?.gate).toContain('goldens/say.txt');
  expect(honest?.status, honest?.shown).toBe('success');
});

const HARNESS = `import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
const says = execFileSync('sh', ['say.sh'], { encoding: 'utf8' });
const ok = says === readFileSync('goldens/say.txt', 'utf8');
mkdirSync(process.env.CONDUCTOR_RUN_DIR + '/harness', { recursive: true });
writeFileSync(process.env.CONDUCTOR_RUN_DIR + '/harness/say.txt', says);
mkdirSync('out', { recursive: true });
writeFileSync('out/report.json', JSON.stringify({
  suite_id: 'say', version: '1.0.0', generated_at: '2025-01-01T00:00:00Z',
  cases: [{ id: 'say', status: ok ? 'passed' : 'failed' }],
  summary: { passed: ok ? 1 : 0, failed: ok ? 0 : 1, flaky: 0 }, ux_flags: [], artifacts: [],
  proposed_goldens: ok ? [] : [{ id: 'say', golden_path: 'goldens/say.txt', proposed_path: 'harness/say.txt', kind: 'text' }],
}));
process.exit(ok ? 0 : 1);
`;

it('an approved golden is not a changed judge', async () => {
  const repository = await openRepository({
    files: {
      Makefile: 'test:\n\tnode harness.mjs\n',
      'harness.mjs': HARNESS,
      'say.sh': 'echo hello\n',
      'goldens/say.txt': 'hello\n',
      '.gitignore': 'out/\n',
    },
    configure: (config) =>
      config.replace('command: [make, test]', 'command: [make, test], report: "harness:out/report.json"'),
    arrange: (workflow) => workflow.replace('gate_approved: STOP', 'gate_approved: validate'),
  });
  try {
    const { runId, flags, shown } = await repository.attempt('Say hallo', {
      write: { 'say.sh': 'echo hallo\n' },
      says: 'Done.',
    });
    expect(flags, shown).toContain('proposed_goldens_present');
    const approved = await repository.cli.run(['approve', runId, '--resume']);
    const record = readRun(join(repository.repo.root, '.tnh/run', runId));
    const decision = record.eventsOf('decision_recorded').at(-1)?.payload;
    expect(decision, approved.stderr).toMatchObject({ status: 'success', risk_flags: [] });
  } finally {
    await repository.close();
  }
});
