import { execFile } from 'node:child_process';
import { mkdir, readFile, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect } from 'vitest';
import { agentStep, ENDS, runInline } from './inline-workflow.ts';
import { test } from './scene.ts';

const AGENT = 'agents: { shell: { kind: command, command: [sh, -c, "echo 42 > answer.txt"] } }\n';
const VALIDATE = (name: string) =>
  `  - { id: v, opcode: RUN_VALIDATION, run: [${name}], routes: { completed: STOP, error: STOP, ${ENDS} } }\n`;
const FILES = {
  Makefile: '.PHONY: test\ntest:\n\tgrep -qx 42 answer.txt\n',
  'go.mod': 'module x\n',
};

describe('what a repository gives tests, lint and typecheck to run', () => {
  test('is run where the configuration says nothing', async ({ openScene }) => {
    const scene = await openScene({ config: AGENT, files: FILES });
    const { code, runId } = await runInline(scene, agentStep('v') + VALIDATE('tests'));
    expect(code).toBe(0);
    expect(scene.record(runId).eventsOf('step_completed').at(-1)?.payload.validators).toMatchObject([
      { id: 'tests', exit_code: 0 },
    ]);
  });

  test('is refused before the run where there is nothing', async ({ openScene }) => {
    const scene = await openScene({ config: AGENT, files: FILES });
    const { code, stderr } = await runInline(scene, agentStep('v') + VALIDATE('typecheck'));
    expect(code).toBe(2);
    expect(stderr).toContain('validator "typecheck" of step "v" can\'t be started');
    expect(stderr).toContain('set validators.typecheck in .tnh/config.yaml');
    expect(scene.runIds()).toEqual([]);
  });

  test('is reported by doctor, with its source or how to define it', async ({ openScene }) => {
    const scene = await openScene({
      config: `${AGENT}validators: { lint: { command: [sh, lint.sh] }, deploy: { command: [no-such-program] } }\n`,
      files: { Makefile: FILES.Makefile },
    });
    const { code, stdout } = await scene.conductor('doctor');
    expect(stdout).toMatch(/✓ validator tests +make test, from target "test" of Makefile\n/);
    expect(stdout).toMatch(/✓ validator lint +sh lint.sh, from the configuration\n/);
    expect(stdout).toMatch(/○ validator typecheck +no command.*\n +set validators.typecheck in/);
    expect(stdout).toMatch(/✗ validator deploy +no-such-program is not on the PATH/);
    expect(code).toBe(1);
  });

  test('is no problem for doctor when its program is missing and it is not configured', async ({
    openScene,
  }) => {
    const files = { 'package.json': '{"packageManager":"bun@1.0.0","scripts":{"lint":"x"}}' };
    const scene = await openScene({ config: AGENT, files });
    const bin = join(scene.home, 'bin');
    await mkdir(bin);
    const { stdout: git } = await promisify(execFile)('sh', ['-c', 'command -v git']);
    await symlink(git.trim(), join(bin, 'git'));
    const browser = join(bin, 'no-browser');
    const { code, stdout } = await scene.cli.run(['doctor'], {
      env: { PATH: bin, CONDUCTOR_CHROMIUM: browser },
    });
    expect(stdout).toContain(`CONDUCTOR_CHROMIUM names ${browser}, which is no program; harnesses skip`);
    expect(stdout).toContain('correct CONDUCTOR_CHROMIUM, or unset it');
    expect(stdout).toMatch(
      /○ validator lint +bun is not on the PATH; it would run bun run lint, from script "lint"/,
    );
    expect(stdout).toContain('install bun, or set validators.lint');
    expect(code).toBe(0);
  });

  test('is written down by init, explained', async ({ openScene }) => {
    const scene = await openScene({
      files: FILES,
      prepare: (repo) =>
        repo
          .git('rm', '-q', '-r', '.tnh')
          .then(() => repo.git('commit', '-qm', 'Take the configuration away')),
    });
    expect((await scene.conductor('init')).code).toBe(0);
    const path = join(scene.repo.root, '.tnh/config.yaml');
    expect(await readFile(path, 'utf8')).toContain(
      [
        'validators:',
        '  tests: { command: [make, test] } # target "test" of Makefile',
        '  lint: { command: [go, vet, ./...] } # go.mod',
        '#   typecheck: { command: [npx, tsc, --noEmit] } # nothing was found',
      ].join('\n'),
    );
    expect((await scene.conductor('validate', '.tnh/config.yaml')).code).toBe(0);
    await scene.repo.git('clean', '-fdq', '.tnh');
  });
});
