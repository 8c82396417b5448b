import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { PolicyOverride } from '../../../../src/contracts/policy.ts';
import { parsePolicy } from '../../../../src/policy/document.ts';
import { judge } from './judge.ts';

const shipped = parsePolicy(
  readFileSync(new URL('../../../../policies/policy.workspace.v1.yaml', import.meta.url), 'utf8'),
);
const WORKSPACE: PolicyOverride = shipped.ok ? shipped.policy : {};

const FREE: PolicyOverride = {};
const GUARDED: PolicyOverride = {
  forbidden_paths: ['secrets', 'vendor/**', 'src/gen/*.ts'],
  protected_paths: ['test/**'],
};

type Row = readonly [line: string, classes: readonly string[]];

const OUTSIDE = ['outside_workspace'];
const PATH = ['forbidden_path'];

const ANYWHERE: readonly Row[] = [
  ['echo x > src/a.ts', []],
  ['echo x >> src/a.ts', []],
  ['echo x > /w/repo/src/a.ts', []],
  ['echo x > src/../a.ts', []],
  ['echo x > /dev/null', []],
  ['echo x > /dev/stderr 2>&1 >&-', []],
  ['echo x > ../a', OUTSIDE],
  ['echo x > /w/repository/a', OUTSIDE],
  ['echo x > src/../../a', OUTSIDE],
  ['echo x > /etc/passwd', OUTSIDE],
  ['echo x >/tmp/a', OUTSIDE],
  ['echo x >| ../a', OUTSIDE],
  ['echo x &> ../a', OUTSIDE],
  ['echo x &>> ../a', OUTSIDE],
  ['echo x >& ../a', OUTSIDE],
  ['echo x 2> ../a', OUTSIDE],
  ['cat <> ../a', OUTSIDE],
  ['exec 3> ../a', OUTSIDE],
  ['{ echo x; } > ../a', OUTSIDE],
  ['(echo x) > ../a', OUTSIDE],
  ['while read l; do echo $l; done > ../a', OUTSIDE],
  ['echo x > "../a"', OUTSIDE],
  ["echo x > '..'/a", OUTSIDE],
  ['echo x > ~/a', OUTSIDE],
  ['echo x > ~root/a', OUTSIDE],
  ["echo x > '~/a'", []],
  ['echo x > $OUT', OUTSIDE],
  ['echo x > "$HOME/a"', OUTSIDE],
  ['> ../a', OUTSIDE],
  ['cat ../a < /etc/passwd', []],
  ['echo x > .git/config', PATH],
  ['echo x > .git', PATH],
  ['echo x > .GIT/config', PATH],
  ['echo x > src/.git/config', PATH],
  ['echo x > ./.git/hooks/pre-commit', PATH],
  ['echo x > src/../.git/config', PATH],
  ['echo x > .gitignore', []],
  ['tee ../a', OUTSIDE],
  ['tee -a a .git/config', PATH],
  ['cp a b', []],
  ['cp a ../b', OUTSIDE],
  ['cp ../a b', []],
  ['cp -t .git/hooks a', PATH],
  ['cp --target-directory=.git/hooks a', PATH],
  ['cp a .git/hooks/', PATH],
  ['mv a .git/config', PATH],
  ['mv .git x', PATH],
  ['mv ../a b', OUTSIDE],
  ['mv a b', []],
  ['install -m 755 a /usr/local/bin/a', OUTSIDE],
  ['ln -s /etc/passwd a', OUTSIDE],
  ['ln -s ../../x src/a', OUTSIDE],
  ['ln -s ../x src/a', []],
  ['ln -s .git/config a', PATH],
  ['ln a ../b', OUTSIDE],
  ['dd if=a of=../b', OUTSIDE],
  ['dd if=a of=.git/x', PATH],
  ['rsync -a src/ ../b/', OUTSIDE],
  ["sed -i 's/a/b/' src/a.ts", []],
  ["sed -i 's/a/b/' ../a", OUTSIDE],
  ["sed -i.bak -e 's/a/b/' .git/config", PATH],
  ["sed --in-place=.bak 's/a/b/' .git/config", PATH],
  ["sed -Ei 's/a/b/' .git/config", PATH],
  ["sed -n 's/a/b/p' ../a", []],
  ['truncate -s 0 ../a', OUTSIDE],
  ['touch a .git/x', PATH],
  ['mkdir -p ../x', OUTSIDE],
  ['mkdir -p src/{a,b}', []],
  ['chmod +x ../a', OUTSIDE],
  ['chmod 644 src/a', []],
  ['chown me .git/config', PATH],
  ['patch -p1 < a.diff', []],
  ['patch -d .. -p1 < a.diff', OUTSIDE],
  ['tar xf a.tar', []],
  ['tar xf a.tar -C ..', OUTSIDE],
  ['tar -xzf a.tgz --directory=/', OUTSIDE],
  ['tar cf ../a.tar src', OUTSIDE],
  ['unzip a.zip -d ..', OUTSIDE],
  ['curl -o ../a http://x', OUTSIDE],
  ['wget -O .git/x http://x', PATH],
  ['sort -o ../a a', OUTSIDE],
  ['find . -fprint ../a', OUTSIDE],
  ['find .. -delete', OUTSIDE],
  ['rm ../a', OUTSIDE],
  ['rm -rf /', OUTSIDE],
  ['rm -rf ~', OUTSIDE],
  ['rm -rf .', PATH],
  ['rm -rf ./', PATH],
  ['rm -rf .git', PATH],
  ['rm -rf .gi*', PATH],
  ['rm -rf $DIR', OUTSIDE],
  ['rm -rf .g{it,x}', PATH],
  ['touch .g?t/config', PATH],
  ['touch src/.g*/config', PATH],
  ['touch .g[i]t/hooks/a', PATH],
  ['touch {a,../../x}', OUTSIDE],
  ['touch {/etc/x,a}', OUTSIDE],
  ['touch {~/x,a}', OUTSIDE],
  ['touch ../*', OUTSIDE],
  ['rm *.log', []],
  ['touch src/[ab].ts', []],
  ['rm -rf dist', []],
  ['rm -rf dist/*', []],
  ['ls | xargs rm', OUTSIDE],
  ['cd .git && echo x > config', PATH],
  ['cd src && echo x > ../a', []],
  ['cd src && cd .. && echo x > a', []],
  ['cd src; echo x > ../a', OUTSIDE],
  ['cd src || true; echo x > ../a', OUTSIDE],
  ['cd .. && touch a', OUTSIDE],
  ['pushd .. && touch a', OUTSIDE],
  ['(cd ..; touch a)', OUTSIDE],
  ['cd && touch a', OUTSIDE],
  ['cd ~ && touch a', OUTSIDE],
  ['cd - && touch a', OUTSIDE],
  ['cd $X && touch a', OUTSIDE],
  ['cd $X && touch /w/repo/a', []],
  ['cd .. && ls', []],
  ['git -C .. commit -m x', OUTSIDE],
  ['git -C .. log', []],
  ['git --git-dir=../x/.git commit -m x', OUTSIDE],
  ['git -C src add -A', []],
  ['git worktree add ../x', OUTSIDE],
  ['git clone http://x ../y', OUTSIDE],
  ['git diff --output=../a', OUTSIDE],
  ['git format-patch -o ../a HEAD~1', OUTSIDE],
  ['git archive -o ../a.tar HEAD', OUTSIDE],
  ['git apply a.diff', []],
  ['git apply --directory=.. a.diff', OUTSIDE],
  ['git config user.name', []],
  ['git config --list', []],
  ['git config user.name x', PATH],
  ['git config alias.p push', PATH],
  ['git config --unset user.name', PATH],
  ['git config --global user.name x', OUTSIDE],
  ['git config -f ../x a.b c', OUTSIDE],
  ['git mv a ../b', OUTSIDE],
  ['git remote -v', []],
  ['git remote add x http://x', PATH],
  ['git checkout-index -a --prefix=../x/', OUTSIDE],
  ['git log --output ../a', OUTSIDE],
  ['git rm -r .git', PATH],
];

const NAMED: readonly Row[] = [
  ['echo x > secrets', PATH],
  ['echo x > secrets/a', PATH],
  ['echo x > secretsx', []],
  ['echo x > vendor/a/b', PATH],
  ['echo x > src/gen/a.ts', PATH],
  ['echo x > src/gen/a.js', []],
  ['echo x > test/a.test.ts', PATH],
  ['cp a src/gen', []],
  ['cp a.ts src/gen', PATH],
  ['cp a.ts src/gen/', PATH],
  ['mv src other', PATH],
  ['rm -r src', PATH],
  ['rm src/a', []],
  ['rm -rf sec*', PATH],
  ['rm src/gen/*.ts', PATH],
  ['rm src/gen/*.js', []],
  ['rm src/g?n/a.ts', PATH],
  ['rm ven*/a', PATH],
  ['rm -r s?c', PATH],
  ['cd src && cd gen && touch a.ts', PATH],
  ["sed -i 's/a/b/' test/a.test.ts", PATH],
  ['cat test/a.test.ts', []],
  ['git -C src/gen mv a.js b.ts', PATH],
];

const SHIPPED: readonly Row[] = [
  ['echo x > .env', PATH],
  ['echo x > src/.env.local', PATH],
  ['echo x > .env.example', []],
  ['cp a.pem certs/', PATH],
  ['rm .e*', PATH],
  ['mv .github x', PATH],
  ['echo x > .tnh/config.yaml', PATH],
  ['echo x > .tnh/run/r1/harness/report.json', []],
  ['echo x > .tnh/run/r2/harness/report.json', PATH],
  ['rm -rf node_modules dist coverage', []],
  ['npm install', []],
];

describe('writes', () => {
  it.each(ANYWHERE)('are judged whatever the policy: %j is %j', (line, classes) => {
    expect(judge(FREE, line)).toEqual(classes);
  });

  it.each(NAMED)('into forbidden and protected paths: %j is %j', (line, classes) => {
    expect(judge(GUARDED, line)).toEqual(classes);
  });

  it.each(SHIPPED)('under the policy that is shipped: %j is %j', (line, classes) => {
    expect(judge(WORKSPACE, line)).toEqual(classes);
  });

  it.each<readonly [PolicyOverride, string, readonly string[]]>([
    [{ allowed_paths: ['src/**'] }, 'echo x > src/a.ts', []],
    [{ allowed_paths: ['src/**'] }, 'echo x > docs/a.md', PATH],
    [{ allowed_paths: ['src/**'] }, 'cp docs/a.md src', []],
    [{ allowed_paths: ['src/a.ts'] }, 'cp x src/a.ts', []],
    [{ allowed_paths: [] }, 'touch a', PATH],
    [{ execution: 'read_only' }, 'touch a', ['forbidden_operation']],
    [{ execution: 'read_only' }, 'cat a > /dev/null', []],
    [{ forbidden_operations: ['delete'] }, 'rm a', ['forbidden_operation']],
    [{ forbidden_operations: ['delete'] }, 'find . -name "*.o" -delete', ['forbidden_operation']],
    [{ forbidden_operations: ['delete'] }, 'mv a b', []],
    [{ forbidden_operations: ['dependency_change'] }, 'echo x >> package.json', ['forbidden_operation']],
    [{ forbidden_operations: ['dependency_change'] }, 'cp x package-lock.json', ['forbidden_operation']],
    [{ forbidden_operations: ['dependency_change'] }, 'cat package.json', []],
  ])('%j on %j is %j', (policy, line, classes) => {
    expect(judge(policy, line)).toEqual(classes);
  });

  it('are relative to the folder in which the line starts', () => {
    expect(judge(FREE, 'echo x > ../a', { cwd: '/w/repo/src' })).toEqual([]);
    expect(judge(FREE, 'echo x > a', { cwd: '/tmp' })).toEqual(OUTSIDE);
  });
});
