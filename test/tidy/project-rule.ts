import { compileGlob } from '../../src/text/glob.ts';
import { PROJECTS } from '../projects.ts';
import { file, type TidyRule } from './rule.ts';

/** Whatever a runner or a reader takes for a test. */
const TEST_NAME = /\.(?:test|spec|slow)\.[cm]?[jt]sx?$/;

/** Examples have tests of their own, which their runs start; fixtures are data. */
const NOT_OURS = /^(?:examples|test\/fixtures)\//;

const MATCHERS = PROJECTS.map(({ name, include, exclude }) => ({
  name,
  includes: matchAny(include),
  excludes: matchAny(exclude),
}));

function matchAny(globs: readonly string[]): (path: string) => boolean {
  const matchers = globs.map((glob) => compileGlob(glob));
  return (path) => matchers.some((matches) => matches(path));
}

function projectsOf(path: string): readonly string[] {
  return MATCHERS.filter(({ includes, excludes }) => includes(path) && !excludes(path)).map(
    ({ name }) => name,
  );
}

export const projectRule: TidyRule = {
  name: 'runs each of its test files in exactly one project',
  covers: (path) => TEST_NAME.test(path) && !NOT_OURS.test(path),
  mustSee: ['test/tidy.test.ts', 'test/unit/kernel/routes.test.ts', 'test/kills/kills.slow.test.ts'],
  check: (files) =>
    files.flatMap(({ path }) => {
      const names = projectsOf(path);
      return names.length === 1 ? [] : [`${path}: is in ${names.join(' and ') || 'no project'}`];
    }),
  bad: {
    'a test beside the code': [file('src/kernel/routes.test.ts')],
    'a test with another ending': [file('test/unit/kernel/routes.test.mts')],
    'a test that is called a spec': [file('test/e2e/gates.spec.ts')],
    'a slow test that is not called a test': [file('test/e2e/gates.slow.ts')],
  },
  good: {
    'a test of values': [file('test/unit/kernel/routes.test.ts')],
    'a test of the command': [file('test/e2e/gates.test.ts')],
    'a slow test of the command': [file('test/e2e/cheats-node.slow.test.ts')],
    'a slow test of values': [file('test/unit/kernel/routes.slow.test.ts')],
  },
};
