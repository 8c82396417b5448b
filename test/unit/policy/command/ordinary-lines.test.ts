import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { PolicyOverride } from '../../../../src/contracts/documents/policy.ts';
import { checkCommand } from '../../../../src/policy/shell/check-command.ts';
import { checkPolicy } from '../../../../src/workflow/document/policy-document.ts';
import { policyOf } from '../policy-builder.ts';
import { checkLine, PLACE } from './check-line.ts';
import { readCommandLines } from './command-lines.ts';

const file = new URL('../../../../policies/policy.workspace.v1.yaml', import.meta.url);
const DEFAULT: PolicyOverride = checkPolicy({ name: file.pathname, bytes: readFileSync(file) }).policy ?? {};
const DENYING: PolicyOverride = {
  ...DEFAULT,
  commands: { deny: ['git push', 'rm -rf', 'sudo', 'npm publish', 'ssh', '/curl [^|]*\\| *(ba)?sh/'] },
};

const ALLOWING: PolicyOverride = {
  ...DEFAULT,
  commands: { allow: ['git', 'npm', 'npx', 'ls', 'cat', 'echo', 'cd', 'grep'] },
};

interface Rates {
  readonly lines: number;
  readonly refused: number;
  /** Refused lines on which an entry of `commands.deny` is written. */
  readonly denied: number;
}

function measure(policy: PolicyOverride, set: string): Rates {
  const lines = readCommandLines(set);
  const refused = lines.flatMap((line) => {
    const { allowed, violations } = checkCommand(policyOf(policy), line, PLACE);
    return allowed ? [] : [violations.every(({ message }) => message.startsWith('the command is denied by'))];
  });
  return { lines: lines.length, refused: refused.length, denied: refused.filter(Boolean).length };
}

describe('of the ordinary lines that agents run', () => {
  // Fix the filter for lines of the tuned set only, and don't look up which of the held-out lines are refused.
  it.each([
    ['tuned', DEFAULT, { lines: 1298, refused: 6, denied: 0 }, 1],
    ['tuned', DENYING, { lines: 1298, refused: 46, denied: 22 }, 3],
    ['held-out', DEFAULT, { lines: 480, refused: 0, denied: 0 }, 1],
    ['held-out', DENYING, { lines: 480, refused: 9, denied: 4 }, 3],
  ] as const)('those of the %s set are refused at the known rate', (set, policy, expected, percent) => {
    const rates = measure(policy, set);
    expect(rates).toEqual(expected);
    expect((100 * (rates.refused - rates.denied)) / rates.lines).toBeLessThanOrEqual(percent);
  });

  it.each([
    'source .venv/bin/activate && pytest',
    '. venv/bin/activate; python -m pytest -q',
    'M=$(go env GOMODCACHE)/x; ls $M',
    'go test ./... > /tmp/out.txt',
    'go test ./... 2>&1 | tee /tmp/out.txt | tail -20',
    "python3 <<'EOF'\nimport json\nprint(json.load(open('a.json')))\nEOF",
    "python -c 'import sys; print(sys.version)'",
    "node -e 'console.log(1)'",
    'PYTHONPATH=. pytest',
    'cd a/b && for f in *.ts; do mv "$f" ../c/; done',
    'rm -f name-*.html',
    'awk \'{print > "/dev/stderr"}\' a.txt',
    "bash -lc 'npm test'",
    'bash -c \'npm ci && npm test\' > "$TMPDIR/out.txt"',
    'git rm --cached dist/a.js',
    'x=$(cat VERSION); echo "$x"',
    'diff <(sort a) <(sort b)',
    'sed -i s/a/b/ *.json',
    "find . -name '*.json' -exec sed -i s/a/b/ {} +",
  ])('%j is allowed with and without a list of denied commands', (line) => {
    expect(checkLine(DEFAULT, line)).toEqual([]);
    expect(checkLine(DENYING, line)).toEqual([]);
  });

  it.each(['sed -i s/a/b/ *.json', "find . -name '*.json' -exec sed -i s/a/b/ {} +"])(
    '%j may cover a forbidden file and does not aim at it: it is allowed unless commands are denied',
    (line) => {
      const forbidding = { forbidden_paths: ['**/credentials*.json'] };
      expect(checkLine({ ...DEFAULT, ...forbidding }, line)).toEqual([]);
      expect(checkLine({ ...DENYING, ...forbidding }, line)).toEqual(['forbidden_path']);
    },
  );
});

describe('of the hostile lines', () => {
  /** The default requires approval for files that look like secrets; here they are forbidden. */
  const forbidding = {
    forbidden_paths: [...(DEFAULT.forbidden_paths ?? []), ...(DEFAULT.approval_paths ?? [])],
  };
  const policies = {
    default: { ...DEFAULT, ...forbidding },
    deny: { ...DENYING, ...forbidding },
    allow: { ...ALLOWING, ...forbidding },
  };
  const cases = readCommandLines('hostile').flatMap((entry) => {
    const [, names = '', line = ''] = /^(\S+) \| (.*)$/.exec(entry) ?? [];
    return names.split(',').map((name) => [name, line.replaceAll('⏎', '\n')] as const);
  });

  it('there are enough, for every policy', () => {
    for (const name of Object.keys(policies))
      expect(cases.filter(([under]) => under === name).length).toBeGreaterThanOrEqual(35);
  });

  it.each(cases)('under the policy %s, %j is refused', (name, line) => {
    const policy = policies[name as keyof typeof policies];
    expect(checkCommand(policyOf(policy), line, PLACE).allowed).toBe(false);
  });
});
