import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { checkCommand } from '../../../../src/policy/shell/check-command.ts';
import { readLine } from '../../../../src/policy/shell/grammar/read-line.ts';
import { numberOfRuns } from '../../number-of-runs.ts';
import { policyOf } from '../policy-builder.ts';
import { checkLine, DENYING, PLACE } from './check-line.ts';

/** All the ways to write one character so that the shell reads the same. */
const disguise = (char: string) => {
  const code = char.charCodeAt(0);
  return fc.constantFrom(
    char,
    `\\${char}`,
    `'${char}'`,
    `"${char}"`,
    `$'${char}'`,
    `$'\\x${code.toString(16)}'`,
    `$'\\${code.toString(8).padStart(3, '0')}'`,
    `$'\\u00${code.toString(16)}'`,
    `${char}''`,
    `""${char}`,
    `${char}\\\n`,
  );
};

const disguised = (word: string) => fc.tuple(...[...word].map(disguise)).map((parts) => parts.join(''));

/** Places in a line where a command may stand. */
const POSITIONS: readonly ((command: string) => string)[] = [
  (command) => command,
  (command) => `npm test && ${command}`,
  (command) => `npm test || ${command} || true`,
  (command) => `npm test;${command};ls`,
  (command) => `ls | ${command}`,
  (command) => `ls & ${command}`,
  (command) => `ls\n${command}\nls`,
  (command) => `(${command})`,
  (command) => `( ls; ( ${command} ) )`,
  (command) => `{ ${command}; }`,
  (command) => `! ${command}`,
  (command) => `if ls; then ${command}; fi`,
  (command) => `for x in a; do ${command}; done`,
  (command) => `case a in a) ${command} ;; esac`,
  (command) => `f() { ${command}; }`,
  (command) => `A=1 ${command}`,
  (command) => `>out.log ${command}`,
  (command) => `env A=1 ${command}`,
  (command) => `nohup timeout 5 ${command}`,
  (command) => `cat <<'E'\n'\nE\n${command}`,
  (command) => `echo 'it'\\''s' "a \\" b"; ${command}`,
  (command) => `echo $(${command})`,
  (command) => `echo "$(${command})"`,
];
const position = fc.constantFrom(...POSITIONS);

describe('the command filter', () => {
  it('finds a denied program however it is quoted and wherever it is', () => {
    fc.assert(
      fc.property(disguised('rm'), position, (word, place) => {
        expect(checkLine(DENYING, place(`${word} x`))).toContain('native_policy_block');
      }),
      { numRuns: numberOfRuns(100) },
    );
  });

  it('finds a denied command of git however it is quoted and whatever options stand before it', () => {
    const globals = fc.array(
      fc.constantFrom('-C src', '-c user.name=x', '--no-pager', '-p', '--git-dir=.git', '--work-tree .'),
    );
    fc.assert(
      fc.property(disguised('git'), globals, disguised('push'), position, (git, options, push, place) => {
        const line = place([git, ...options, push, 'origin'].join(' '));
        expect(checkLine(DENYING, line)).toContain('native_policy_block');
      }),
      { numRuns: numberOfRuns(100) },
    );
  });

  it('finds a write out of the workspace however the path is quoted and wherever it is', () => {
    fc.assert(
      fc.property(disguised('../a'), position, (path, place) => {
        expect(checkLine({}, place(`echo x > ${path}`))).toContain('outside_workspace');
      }),
      { numRuns: numberOfRuns(60) },
    );
  });

  it('lets any text stand in single quotes', () => {
    const text = fc.string({ unit: fc.constantFrom(...'rm -f;&|<>()$`"\\ \n#{}*?~git push'.split('')) });
    fc.assert(
      fc.property(text, (words) => {
        expect(checkLine(DENYING, `grep '${words}' file`)).toEqual([]);
      }),
      { numRuns: numberOfRuns(80) },
    );
  });

  it('comes to a verdict about anything, and to the same one twice', () => {
    const soup = fc.string({
      unit: fc.constantFrom(
        ...'rm $\'"`\\(){}[]<>|&;#\n\t=*?~!-/.aE0'.split(''),
        '<<E',
        '$(',
        '${',
        '$((',
        'case x in ',
        'for ',
        'env ',
        '[[ ',
        "$'",
        'git ',
        'sed ',
        'awk ',
        'xargs ',
        'find ',
      ),
    });
    const policy = policyOf({
      ...DENYING,
      forbidden_paths: ['a*'],
      forbidden_operations: ['commit', 'delete'],
      network: 'deny',
    });
    fc.assert(
      fc.property(fc.oneof(soup, fc.string({ unit: 'binary' })), (line) => {
        const first = checkCommand(policy, line, PLACE);
        expect(checkCommand(policy, line, PLACE)).toEqual(first);
        expect(first.allowed).toBe(first.violations.length === 0);
        expect(readLine(line).masked).toHaveLength(line.length);
      }),
      { numRuns: numberOfRuns(300) },
    );
  });

  it.each([
    ['words', 'a '.repeat(500_000)],
    ['one word', `echo ${'a'.repeat(1_000_000)}`],
    ['quotes', '"'.repeat(1_000_000)],
    ['quoted words', `'r''m' `.repeat(150_000)],
    ['substitutions', '$('.repeat(500_000)],
    ['braces', '${'.repeat(500_000)],
    ['backquotes', '`'.repeat(1_000_000)],
    ['commands', 'a;'.repeat(500_000)],
    ['here-documents', `${'<<E '.repeat(250_000)}\n`],
    ['lines of a here-document', `cat <<E\n${'x\n'.repeat(500_000)}E\n`],
    ['brackets', '('.repeat(1_000_000)],
    ['wrappers', 'env '.repeat(200_000)],
    ['folders', 'cd a;'.repeat(200_000)],
    ['expressions of sed', `sed '${'s/a/'.repeat(250_000)}'`],
    ['slashes of awk', `awk '${'/'.repeat(1_000_000)}'`],
    ['settings of git', `git ${'-c a=b '.repeat(120_000)}`],
    ['line breaks', '\\\n'.repeat(500_000)],
    ['comments', '#'.repeat(1_000_000)],
    ['patterns', `rm ${'{a,*'.repeat(250_000)}`],
  ])('reads a megabyte of %s', (_name, line) => {
    const verdict = checkCommand(policyOf(DENYING), line, PLACE);
    expect(typeof verdict.allowed).toBe('boolean');
  });
});
