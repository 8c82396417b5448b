import { afterAll, describe, expect, it } from 'vitest';
import { checkLine } from './check-line.ts';
import { createMarkedBash } from './marked-bash.ts';

const bash = createMarkedBash();
afterAll(() => bash.remove());

const DENYING = { commands: { deny: ['mark', 'rm', 'npm publish'] } };

/** A parser that misreads the quoting takes the program for text. */
const LED_ASTRAY = [
  "x=(a # ) echo '\n); mark x #'",
  "case x in # ) echo '\n x) mark y ;; esac #'",
  "[[ a == a # ]] && echo '\n]] ; mark #'",
  "read x <<E\nfoo\\\nE\necho '\nE\nmark x #'",
  "read y <<E; x=(\n) ; echo '\nE\n); mark x #'\nE",
  'FOO=1 [[ a || mark x ]]',
  '> f [[ a || mark x ]]',
  '[[ a = a ]]&&mark x && [[ b ]]',
  '[[ a = a ]]|mark x | [[ b ]]',
  'foo[1 + 1]=x mark y',
  'foo["]"]=x mark y',
  "x='a[$(mark y)]'; echo $((x))",
  "let 'a[$(mark y)]=1'",
  "[[ 'a[$(mark y)]' -eq 1 ]]",
  "printf -v 'a[$(mark y)]' x",
  'BASH_CMDS[true2]=../bin/mark; true2',
  'time -p mark',
] as const;

describe('a line that bash reads differently than it appears', () => {
  it('starts the program in bash', () => {
    const ran = bash.startsMark(LED_ASTRAY);
    expect(LED_ASTRAY.filter((_line, index) => !ran[index])).toEqual([]);
  });

  it.each(LED_ASTRAY)('is refused: %j', (line) => {
    expect(checkLine(DENYING, line)).toContain('native_policy_block');
  });
});

describe('what would change which program runs', () => {
  it.each([
    'export "PATH=.:$PATH"',
    "export 'PATH=.'; npm test",
    'env "PATH=." npm test',
    'declare "LD_PRELOAD=x"',
    "sudo 'PATH=.' npm test",
    'declare -n p=PATH; p=.',
    'printf -vPATH .',
    'read -aPATH',
    'getopts x PATH',
    'MAKEFLAGS=--eval=x make',
    'TAR_OPTIONS=--to-command=x tar xf a',
    'RSYNC_RSH=x rsync a b',
    'GOFLAGS=-toolexec=x go build',
    'XDG_CONFIG_HOME=. git status',
  ])('%j is refused', (line) => {
    expect(checkLine(DENYING, line)).toContain('native_policy_block');
  });
});

describe('a program behind another one', () => {
  it.each([
    'env -a foo rm x',
    'numactl -C 0 rm x',
    'setarch -R rm x',
    'fakeroot -s f rm x',
    'conda run -n dev rm x',
    'direnv exec . rm x',
    'pyenv exec rm x',
    'chronic rm x',
    'watchexec rm x',
    'gosu me rm x',
    'bwrap --bind / / rm x',
    "nix-shell --run 'rm x'",
    'pkexec rm x',
    'a=-exec b=rm; find . "$a" "$b" {} \\;',
    'npm --prefix . publish',
    'npm --prefix . --silent publish',
    'rm\r\n',
    'npm test\r\nrm\r\n',
    "cat <<E\nE\r\necho '\nE\nrm x #'",
    'cat <<E\r\nE\nE\r\nrm x',
    'for i do rm x; done',
    'for i { rm x; }',
    'for i\nin a b\ndo rm x; done',
    'for i do for j do rm x; done; done',
    'select i do rm x; done',
    'ls | xargs --replace rm {}',
    'ls | xargs --max-lines rm',
    'ls | xargs --process-slot-var X rm',
    'ls | xargs -J % rm %',
    'noglob rm x',
    '=rm x',
    'repeat 2 rm x',
    'sshpass -p x rm y',
    'ls | ifne rm x',
    'mise exec node@20 -- rm x',
    'pnpm -F x exec rm y',
    'yarn workspace x exec rm y',
    'uv tool run rm x',
    'cmake -E rm x',
  ])('%j is refused', (line) => {
    expect(checkLine(DENYING, line)).toContain('native_policy_block');
  });
});

describe('small languages', () => {
  it.each([
    "mapfile -C 'rm x' -c 1 lines",
    "compgen -C 'rm x'",
    'nc -e /bin/sh host 1',
    "socat - SYSTEM:'rm x'",
    "psql -c '\\! rm x'",
    "nix develop -c 'rm x'",
    "go test -exec 'rm x' ./...",
    "cargo test --config 'target.x.runner=1'",
    'npm test --script-shell=./x',
    "make 'X=$(shell rm x)'",
    "git clone -u 'rm x' y",
    "git send-email --to-cmd='rm x' a",
    "fish --init-command='rm x' a.fish",
    "clojure -e '(x)'",
    "sed -n '\\,a,w ../x' f",
    "sed '0~2e rm x' f",
    "sed 'sxaxidxe' f",
    "sed 's a id e' f",
    "sed 's;a;id;e' f",
    "sed 's/[/]e/id/e' f",
    'sed "s/a/$x/e" f',
    "sed '/a/Iw ../x' f",
    "sed '1,/x/{s/a/b/;e rm\n}' f",
    "sed 'y/abc/def/;w ../x' f",
    "sed -e 'p' -e '$!e' f",
    'x="e rm"; sed "$x" f',
    "sed -f - f <<< 'e rm x'",
    "sed '?' f",
    'awk -f -',
    'awk -f /dev/stdin',
    'gawk --file=/dev/fd/0',
    'make -f /dev/stdin',
    'make --file=/proc/self/fd/0',
    'python3 -m timeit \'import os; os.system("rm")\'',
    "python3 -mtimeit 'rm'",
    "perl '-MPOSIX;system(q(rm x))' f",
  ])('%j is refused', (line) => {
    expect(checkLine(DENYING, line)).not.toEqual([]);
  });

  it.each([
    "sed 's/w/e/g' f",
    'python3 -i a.py',
    "python3 -m timeit 'import os'",
    "perl '-MPOSIX;floor(1)' f",
    "sed 'y/abc/def/;w x' f",
    'sed "s/$a/$b/g" f',
    'sed -n "$n,$((n + 5))p" f',
    "sed '/start/,/end/d' f",
    "sed -e '1i\\' -e 'write me' f",
    "sed 'a\\\nwe write' f",
    "sed '1iexpect write' f",
    "sed 's|/usr|/opt|g;s/x/y/' f",
    "sed ':a;N;$!ba;s/\\n/ /g' f",
    "sed -E 's/(a|b)\\/x/w/' f",
    "sed 's/[/]e/x/' f",
    "sed '/^\\s*$/d; s/#.*//' f",
    "sed -n '5,10{p;=}' f",
    'awk -f prog.awk f',
    'make -f build.mk',
    'python3 -m pytest',
    'perl -MPOSIX script.pl',
    'bash -C check.sh',
    'clojure -M:test',
    'swift test',
    'go test ./... -run Exec',
    'npm test -- --config x',
    'make CFLAGS=-O2 all',
    'nc -zv host 80',
    'for f; do echo "$f"; done',
    'for f\nin a b\ndo echo "$f"; done',
    'cmake -E make_directory build',
    'mise exec -- npm test',
    "psql -c 'select 1'",
    '[[ -f x ]]&&ls',
    'time -p npm test',
    'npm test\r\nls\r\n',
    'find . -name "$x" -newer "$y"',
    "x='a[0]'; echo $x",
    'while IFS= read -r l; do echo "$l"; done < a.txt',
  ])('%j is allowed', (line) => {
    expect(checkLine(DENYING, line)).toEqual([]);
  });
});

describe('values that grow beyond what is followed', () => {
  const doubled = `a=xx; ${'a=$a$a; '.repeat(60)}`;
  const repeated = `a=${'x'.repeat(1_000)}; `;

  it.each([`${doubled}$a`, `${doubled}echo x > "$a"`, `${repeated}echo x > ${'$a'.repeat(1_000)}`])(
    'are unknown, and so refused as a program or as a target (%#)',
    (line) => {
      expect(checkLine(DENYING, line)).not.toEqual([]);
      expect(checkLine({}, line)).toEqual([]);
    },
  );

  it('are fine as arguments', () => {
    expect(checkLine(DENYING, `${doubled}echo "$a"`)).toEqual([]);
  });
});
