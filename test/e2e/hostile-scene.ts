import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gitAt } from '../../testing/git-repo.ts';
import type { Scene } from './scene.ts';

/** What a terminal obeys, or a reader does not see. Line feeds and tabs are neither. */
const RANGES = [
  '0000-0008',
  '000b-001f',
  '007f-009f',
  '00ad',
  '034f',
  '061c',
  '115f-1160',
  '17b4-17b5',
  '180b-180f',
  '200b-200f',
  '2028-202e',
  '2060-206f',
  '2800',
  '3164',
  'fe00-fe0e',
  'feff',
  'ffa0',
  'fff0-fffb',
  '1bca0-1bca3',
  '1d173-1d17a',
  'e0000-e0fff',
];
export const UNSAFE = new RegExp(
  `[${RANGES.join(' ')
    .replace(/[0-9a-f]+/g, '\\u{$&}')
    .replaceAll(' ', '')}]`,
  'u',
);

/** The title of a window, concealed text, a reversed line, and what nobody sees. */
const CONTROL = '\u001b]0;owned\u0007\u001b[8mhidden\u001b[0m\r\u009b31m';
export const INVISIBLE = '\u202eevil\u2066\u200b\u00ad\u2060\u{e0041}\u3164\u2800';
export const HOSTILE = `${CONTROL}${INVISIBLE}`;

const AGENT = `
const { execFileSync } = require('node:child_process');
const fs = require('node:fs');
const hostile = ${JSON.stringify(HOSTILE)};
fs.mkdirSync('dir' + hostile.replaceAll('/', ''), { recursive: true });
fs.writeFileSync('dir' + hostile + '/file' + hostile + '.txt', 'line ' + hostile + '\\n');
fs.writeFileSync('forbidden' + hostile, hostile);
fs.writeFileSync('answer.txt', hostile + '\\n');
fs.writeFileSync(process.env.CONDUCTOR_RESULT, JSON.stringify({
  final: 'done ' + hostile + ' all tests pass',
  claims: ['created file' + hostile, 'tests_pass'],
  blockers: [{ code: 'other', summary: 'blocked ' + hostile }],
}));
if (fs.readFileSync('.tnh/policies/policy.own.v1.yaml', 'utf8').includes('forbidden*'))
  execFileSync('git', ['branch', 'agent-' + ${JSON.stringify(INVISIBLE)}]);
console.log('said ' + hostile);
console.error('warned ' + hostile);
`;

const VALIDATOR = `
const hostile = ${JSON.stringify(HOSTILE)};
const shown = hostile.replace(/[\\0-\\x1f]/g, (c) => '&#' + c.charCodeAt(0) + ';');
require('node:fs').writeFileSync('report.xml',
  '<testsuites><testsuite name="s' + ${JSON.stringify(INVISIBLE)} + '"><testcase name="case' + ${JSON.stringify(INVISIBLE)} +
  '" classname="c"><failure message="m' + ${JSON.stringify(INVISIBLE)} + '">text ' + ${JSON.stringify(INVISIBLE)} + '</failure></testcase></testsuite></testsuites>');
console.log('printed ' + hostile);
console.error('failed ' + hostile);
process.exit(1);
`;

const WORKFLOW = `workflow_id: hostile
version: 1
description: ${JSON.stringify(`Shows ${INVISIBLE}`)}
entry_step: work
steps:
  - id: work
    opcode: RUN_AGENT
    agent: actor
    prompt: ${JSON.stringify(`Do {{task}} ${INVISIBLE}`)}
    routes: { completed: check, error: check, killed_timeout: STOP, killed_idle: STOP, killed_policy: STOP }
  - id: check
    opcode: RUN_VALIDATION
    run: [tests]
    routes: { completed: judge, error: judge, killed_timeout: STOP, killed_idle: STOP, killed_policy: STOP }
  - id: judge
    opcode: EVALUATE
    prompt: planner.evaluate_results.v1
    allowed_next_steps: [ask, back, STOP]
    routes: { success: STOP, partial: ask, blocked: ask, unsafe: back, needs_human: ask }
  - id: back
    opcode: ROLLBACK
    target: pre_step
    routes: { completed: ask, error: STOP }
  - id: ask
    opcode: GATE
    gate: requires_approval
    routes: { gate_approved: STOP, gate_rejected: STOP }
`;

const CONFIG = `agents:
  actor: { kind: command, command: [node, -e, ${JSON.stringify(AGENT)}] }
validators:
  tests: { command: [node, -e, ${JSON.stringify(VALIDATOR)}], report: "junit:report.xml" }
policy: policy.own.v1
baseline: off
`;

const policyOf = (forbidden: string) => `policy_id: policy.own
version: 1
forbidden_paths: ["${forbidden}"]
`;

/** A repository whose agent, checks, branch and workflow say what a terminal obeys. */
export async function openHostile(
  openScene: (options: object) => Promise<Scene>,
  forbidden: string,
): Promise<Scene> {
  const scene = await openScene({
    config: CONFIG,
    files: { '.tnh/policies/policy.own.v1.yaml': policyOf(forbidden) },
    isBusy: true,
  });
  await gitAt(scene.repo.root, 'checkout', '-q', '-b', `branch-${INVISIBLE}`);
  await writeFile(join(scene.repo.root, '..', 'hostile.yaml'), WORKFLOW);
  return scene;
}
