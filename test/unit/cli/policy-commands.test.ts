import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { jsonSchemaOf } from '../../../src/contracts/json-schemas.ts';
import { exitCodeOfError } from '../../../src/surfaces/cli/cli-error.ts';
import type { CommandContext } from '../../../src/surfaces/cli/command-context.ts';
import { hook } from '../../../src/surfaces/cli/commands/policy/hook.ts';
import { checkPolicyCommand, checkPolicyPatch } from '../../../src/surfaces/cli/commands/policy/policy.ts';
import { createServices } from '../../../src/wiring.ts';
import { schemaProblems } from '../json-schema-check.ts';
import { listeningTerminal } from './listening-terminal.ts';

let folder = '';
let file = '';
beforeAll(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), 'conductor-policy-')));
  file = join(folder, 'strict.yaml');
  await mkdir(join(folder, 'repo', '.git'), { recursive: true });
  await mkdir(join(folder, 'repo', 'src'));
  await writeFile(
    file,
    'policy_id: policy.strict\nversion: 1\nforbidden_paths: [vendor/**]\nforbidden_operations: [delete, dependency_change]\ncommands: { deny: [rm] }\n',
  );
});
afterAll(() => rm(folder, { recursive: true, force: true }));
afterEach(() => vi.unstubAllEnvs());

/** A command context that keeps the output. */
function listen(json = false, startDir = join(folder, 'repo')) {
  const { terminal, written } = listeningTerminal();
  const context: CommandContext = {
    terminal,
    services: async () => createServices('0.0.0'),
    json,
    startDir,
    version: '0.0.0',
    repo: null,
    keepRunning: () => {},
    endWithReader: () => {},
    leaveTerminal: null,
  };
  return { context, written };
}

async function command(line: string | null, policies: readonly string[], json = false, startDir?: string) {
  const { context, written } = listen(json, startDir);
  return { code: await checkPolicyCommand(context, policies, line), ...written };
}

async function check(text: string, policies: readonly string[], json = false) {
  const patch = join(folder, 'change.diff');
  await writeFile(patch, text);
  const { context, written } = listen(json);
  return { code: await checkPolicyPatch(context, policies, patch), ...written };
}

describe('conductor policy command', () => {
  it('says that a line is allowed', async () => {
    expect(await command('npm test', [file])).toEqual({ code: 0, out: '✓ allowed\n', err: '' });
  });

  it('says why a line is not allowed', async () => {
    expect(await command('ls && rm x', [file])).toEqual({
      code: 5,
      out: '✗ not allowed\n  native_policy_block: the command is denied by rm\n  forbidden_operation: this command would delete x; the policy forbids `delete`\n',
      err: '',
    });
  });

  it('prints a document with --json, as its schema says', async () => {
    const { code, out } = await command('touch vendor/a', [file], true);
    expect(code).toBe(5);
    const document: unknown = JSON.parse(out);
    expect(document).toEqual({
      schema_version: 1,
      allowed: false,
      violations: [
        { class: 'forbidden_path', subject: 'vendor/a', message: 'vendor/a is forbidden by vendor/**' },
      ],
    });
    expect(schemaProblems(jsonSchemaOf('cli.policy'), document)).toEqual([]);
    expect(JSON.parse((await command('ls', [file], true)).out)).toEqual({
      schema_version: 1,
      allowed: true,
      violations: [],
    });
  });

  it('takes a reference as well as a file, and combines several', async () => {
    expect(await command('git commit -m x', ['policy.workspace.v1'])).toMatchObject({ code: 5 });
    expect(await command('git commit -m x', [file])).toMatchObject({ code: 0 });
    expect(await command('git commit -m x', [file, 'policy.workspace.v1'])).toMatchObject({ code: 5 });
    expect(await command('rm x', ['policy.workspace.v1', file])).toMatchObject({ code: 5 });
  });

  it('uses the configured policy without one', async () => {
    expect(await command('git push', [])).toMatchObject({ code: 5 });
  });

  it('takes paths relative to the folder it is in, inside the repository around it', async () => {
    const inside = join(folder, 'repo', 'src');
    expect(await command('touch ../a', [file], false, inside)).toMatchObject({ code: 0 });
    expect(await command('touch ../../a', [file], false, inside)).toMatchObject({ code: 5 });
  });

  it.each([
    [['nowhere.yaml'], /can't be read/],
    [['policy.nobody.v9'], /there is no policy policy\.nobody\.v9/],
  ])('refuses %j', async (policies, message) => {
    await expect(command('ls', policies)).rejects.toMatchObject({
      message: expect.stringMatching(message),
      exitCode: 2,
    });
  });

  it('refuses a file that is no policy', async () => {
    const broken = join(folder, 'broken.yaml');
    await writeFile(broken, 'policy_id: policy.x\nversion: 1\nforbiden_paths: []\n');
    await expect(command('ls', [broken])).rejects.toMatchObject({
      message: expect.stringMatching(/broken\.yaml is not a policy: /),
      exitCode: 2,
    });
  });

  it.each([
    ['no policy', 'policy_id: policy.workspace\nversion: 1\nforbiden_paths: []\n'],
    ['another policy than its name says', 'policy_id: policy.other\nversion: 1\n'],
  ])('does not go by the built-in policy where the file of the repository is %s', async (_name, text) => {
    const repo = await mkdtemp(join(folder, 'own-'));
    await mkdir(join(repo, '.git'));
    await mkdir(join(repo, '.tnh', 'policies'), { recursive: true });
    await writeFile(join(repo, '.tnh', 'policies', 'policy.workspace.v1.yaml'), text);
    await expect(command('ls', ['policy.workspace.v1'], false, repo)).rejects.toMatchObject({
      message: expect.stringMatching(/policy\.workspace\.v1\.yaml is not usable/),
      exitCode: 2,
    });
  });

  it('needs a line', async () => {
    await expect(command(null, [file])).rejects.toMatchObject({ exitCode: 2 });
  });
});

describe('conductor policy check', () => {
  const changing = (path: string) =>
    `diff --git a/${path} b/${path}\n--- a/${path}\n+++ b/${path}\n@@ -1 +1 @@\n-a\n+b\n`;

  it.each([
    ['an allowed file', changing('src/a.ts'), []],
    ['a forbidden file', changing('vendor/a.js'), ['forbidden_path vendor/a.js']],
    [
      'the left end of a rename',
      'diff --git a/vendor/a b/src/a\nrename from vendor/a\nrename to src/a\n',
      ['forbidden_path vendor/a'],
    ],
    [
      'the right end of a rename',
      'diff --git a/src/a b/vendor/a\nrename from src/a\nrename to vendor/a\n',
      ['forbidden_path vendor/a'],
    ],
    ['a deleted file', 'diff --git a/x b/x\ndeleted file mode 100644\n', ['forbidden_operation x']],
    ['a manifest', changing('sub/package.json'), ['forbidden_operation sub/package.json']],
    ["git's own files", changing('.git/config'), ['forbidden_path .git/config']],
    [
      'a binary file',
      'diff --git a/vendor/a b/vendor/a\nBinary files a/vendor/a and b/vendor/a differ\n',
      ['forbidden_path vendor/a'],
    ],
    [
      'a mode',
      'diff --git a/vendor/a b/vendor/a\nold mode 100644\nnew mode 100755\n',
      ['forbidden_path vendor/a'],
    ],
    ['a path that leaves the workspace', changing('../a'), ['outside_workspace ../a']],
    ['nothing', '', []],
  ])('evaluates %s', async (_name, patch, violations) => {
    const { code, out } = await check(patch, [file], true);
    const document = JSON.parse(out) as {
      allowed: boolean;
      violations: { class: string; subject: string }[];
    };
    expect(document.violations.map((violation) => `${violation.class} ${violation.subject}`)).toEqual(
      violations,
    );
    expect({ code, allowed: document.allowed }).toEqual(
      violations.length === 0 ? { code: 0, allowed: true } : { code: 5, allowed: false },
    );
  });

  it('names the paths that need approval', async () => {
    const patch = `${changing('.github/workflows/ci.yml')}${changing('src/a.ts')}`;
    expect(await check(patch, ['policy.workspace.v1'])).toEqual({
      code: 0,
      out: '? allowed, with approval\n  requires_approval: .github/workflows/ci.yml is covered by .github/**\n',
      err: '',
    });
    const document: unknown = JSON.parse((await check(patch, ['policy.workspace.v1'], true)).out);
    expect(document).toEqual({
      schema_version: 1,
      allowed: true,
      violations: [],
      requires_approval: [{ path: '.github/workflows/ci.yml', glob: '.github/**' }],
    });
    expect(schemaProblems(jsonSchemaOf('cli.policy'), document)).toEqual([]);
  });

  it('refuses what is not a patch, and a missing patch', async () => {
    const error: unknown = await check('hello', [file]).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({
      message: expect.stringMatching(/is not a valid patch: line 1: the patch names no file$/),
    });
    expect(exitCodeOfError(error)).toBe(2);
    const { context } = listen();
    await expect(checkPolicyPatch(context, [file], join(folder, 'nowhere'))).rejects.toMatchObject({
      exitCode: 2,
    });
    await expect(checkPolicyPatch(context, [file], null)).rejects.toMatchObject({
      exitCode: 2,
    });
  });
});

describe('conductor hook command', () => {
  async function ask(
    input: string,
    options: { env?: Record<string, string>; json?: boolean; policies?: string[] } = {},
  ) {
    const { context, written } = listen(options.json);
    const around = { readInput: async () => input, env: { HOME: '/home/ada', ...options.env } };
    const code = await hook(context, { policies: options.policies ?? [file] }, around);
    return { code, ...written };
  }

  const call = (line: unknown, more: Record<string, unknown> = {}) =>
    JSON.stringify({
      session_id: 'abc',
      transcript_path: '/x',
      cwd: join(folder, 'repo'),
      hook_event_name: 'PreToolUse',
      tool_name: 'Bash',
      tool_input: { command: line, description: 'x' },
      ...more,
    });

  it('answers an agent that reads decisions in its own form', async () => {
    const allowed = await ask(call('npm test'));
    expect(allowed).toMatchObject({ code: 0, err: '' });
    expect(JSON.parse(allowed.out)).toEqual({
      hookSpecificOutput: {
        hookEventName: 'PreToolUse',
        permissionDecision: 'allow',
        permissionDecisionReason: 'the policy of this step allows it',
      },
    });
    const denied = await ask(call('rm x'));
    expect(denied).toMatchObject({ code: 0, err: '' });
    expect(JSON.parse(denied.out)).toEqual({
      hookSpecificOutput: {
        hookEventName: 'PreToolUse',
        permissionDecision: 'deny',
        permissionDecisionReason: expect.stringMatching(/^native_policy_block: the command is denied by rm/),
      },
    });
  });

  it.each([
    ['a plain call', JSON.stringify({ command: 'rm x' })],
    ['a call of another event', call('rm x', { hook_event_name: 'BeforeTool' })],
    ['the words of a call', JSON.stringify({ command: ['rm', 'x'] })],
    ['a shell with a line', JSON.stringify({ command: ['bash', '-lc', 'ls; rm x'] })],
    [
      'words that only look like a line',
      JSON.stringify({ command: ["r'm", 'x; rm y'], cwd: '/nowhere/at/all' }),
    ],
  ])('blocks %s by exit code 2 with the reason on standard error', async (_name, input) => {
    expect(await ask(input)).toMatchObject({ code: 2, out: '', err: expect.stringMatching(/\S/) });
  });

  it.each([
    ['a plain call', JSON.stringify({ command: 'npm test' })],
    ['the words of a call', JSON.stringify({ command: ['echo', 'it is; rm x'] })],
    ['a shell with a line', JSON.stringify({ command: ['/bin/bash', '-c', 'npm test'] })],
    [
      'a tool that only looks',
      JSON.stringify({ tool_name: 'Read', tool_input: { file_path: '/etc/passwd' } }),
    ],
  ])('lets %s through in silence', async (_name, input) => {
    expect(await ask(input)).toEqual({ code: 0, out: '', err: '' });
  });

  it.each([
    ['nothing', ''],
    ['no JSON', 'rm x'],
    ['no object', '"npm test"'],
    ['no command', JSON.stringify({ tool_name: 'Bash', tool_input: {} })],
    ['a command that is no text', call(7)],
    ['a tool that writes nobody knows where', JSON.stringify({ tool_name: 'Write', tool_input: {} })],
    ['an empty call', '{}'],
  ])('blocks %s', async (_name, input) => {
    expect(await ask(input)).toMatchObject({ code: 2, out: '', err: expect.stringMatching(/\S/) });
  });

  it.each([
    [{ tool_name: 'Deploy', tool_input: { target: 'x' } }, 'the call of Deploy has no command to check'],
    [{ command: 'ls', cwd: '/nowhere/at/all' }, 'the folder /nowhere/at/all does not exist'],
  ])('names what is in the way of judging %j', async (input, message) => {
    expect(await ask(JSON.stringify(input))).toMatchObject({
      code: 2,
      out: '',
      err: expect.stringContaining(message),
    });
  });

  it('checks a command whatever the tool is called', async () => {
    expect(JSON.parse((await ask(call('rm x', { tool_name: 'Read' }))).out)).toMatchObject({
      hookSpecificOutput: { permissionDecision: 'deny' },
    });
  });

  it.each([
    ['Write', { file_path: 'src/a.ts' }, 'allow'],
    ['Write', { file_path: 'vendor/a.js' }, 'deny'],
    ['Edit', { file_path: '/etc/passwd' }, 'deny'],
    ['Edit', { file_path: "it's/../.git/config" }, 'deny'],
    ['MultiEdit', { file_path: 'package.json' }, 'deny'],
    ['NotebookEdit', { notebook_path: '../a.ipynb' }, 'deny'],
  ])('decides about what %s would write: %j, %s', async (tool, input, expected) => {
    const { out } = await ask(call('', { tool_name: tool, tool_input: input }));
    expect(JSON.parse(out).hookSpecificOutput.permissionDecision).toBe(expected);
  });

  it('blocks if the policy is missing, and if the folder of the call is missing', async () => {
    expect(await ask(call('npm test'), { policies: ['nowhere.yaml'] })).toMatchObject({ code: 2, out: '' });
    expect(await ask(call('npm test', { cwd: '/nowhere/at/all' }))).toMatchObject({ code: 2, out: '' });
  });

  it('takes its policy from the environment', async () => {
    vi.stubEnv('CONDUCTOR_POLICY', file);
    expect(JSON.parse((await ask(call('rm x'), { policies: [] })).out)).toMatchObject({
      hookSpecificOutput: { permissionDecision: 'deny' },
    });
    expect(JSON.parse((await ask(call('git commit -m x'), { policies: [] })).out)).toMatchObject({
      hookSpecificOutput: { permissionDecision: 'allow' },
    });
  });

  it('uses the folder of the call', async () => {
    const inside = { cwd: join(folder, 'repo', 'src') };
    const decision = async (line: string) => JSON.parse((await ask(call(line, inside))).out);
    expect(await decision('touch ../a')).toMatchObject({
      hookSpecificOutput: { permissionDecision: 'allow' },
    });
    expect(await decision('touch ../../a')).toMatchObject({
      hookSpecificOutput: { permissionDecision: 'deny' },
    });
  });

  it('leaves the harness folder of the run open', async () => {
    const env = { CONDUCTOR_RUN_ID: 'r1', CONDUCTOR_RUN_DIR: '/runs/r1' };
    const policies = ['policy.workspace.v1'];
    const decision = async (line: string) =>
      JSON.parse((await ask(call(line), { env, policies })).out).hookSpecificOutput.permissionDecision;
    expect(await decision('touch .tnh/run/r1/harness/report.json')).toBe('allow');
    expect(await decision('touch /runs/r1/harness/report.json')).toBe('allow');
    expect(await decision('touch /runs/r1/events.ndjson')).toBe('deny');
    expect(await decision('touch .tnh/run/r2/harness/report.json')).toBe('deny');
  });

  it('prints a document with --json, and still blocks', async () => {
    const { code, out } = await ask(call('rm x'), { json: true });
    expect(code).toBe(2);
    expect(schemaProblems(jsonSchemaOf('cli.hook'), JSON.parse(out))).toEqual([]);
    expect(JSON.parse(out)).toMatchObject({ schema_version: 1, allowed: false });
  });
});
