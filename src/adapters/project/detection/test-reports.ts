import type { DetectedValidator } from '../../../contracts/config/detected-validator.ts';
import type { ProjectFiles } from './found-commands.ts';
import { nextestReport } from './nextest.ts';
import { findScriptRunner, type ScriptRunner } from './package-runner.ts';

/**
 * Reports go to a folder that every checkout of a run has and that git ignores, so that the command leaves
 * nothing behind in a user's workspace either.
 */
const JSON_REPORT = '.tnh/run/tests.json';
const XML_REPORT = '.tnh/run/tests.xml';

type Command = DetectedValidator['command'];

/** How to make a runner write a report: arguments after the command, or variables before it. */
interface ReportPlan {
  readonly report: string;
  readonly args?: readonly string[];
  readonly environment?: readonly string[];
}

/** Adds the report of the test runner, if the runner can write a supported format. */
export function withReport(validator: DetectedValidator, files: ProjectFiles): DetectedValidator {
  if (validator.name !== 'tests') return validator;
  const runner = findScriptRunner(validator.command, files);
  if (runner !== null) return withScriptReport(validator, runner);
  return withToolReport(validator, files) ?? validator;
}

function withScriptReport(validator: DetectedValidator, runner: ScriptRunner): DetectedValidator {
  const plan = SCRIPT_RUNNERS[runner.program]?.(runner.args) ?? null;
  const isOverridden = plan?.environment?.some((word) =>
    runner.variables.includes(word.split('=', 1)[0] ?? ''),
  );
  if (plan === null || isOverridden === true) return validator;
  const args = plan.args ?? [];
  const separators = args.length === 0 ? [] : Array.from({ length: runner.npmCalls }, () => '--');
  const command: Command = [...validator.command, ...separators, ...args];
  return { ...validator, command: withEnvironment(plan.environment ?? [], command), report: plan.report };
}

function withEnvironment(environment: readonly string[], command: Command): Command {
  return environment.length === 0 ? command : ['env', ...environment, ...command];
}

const SCRIPT_RUNNERS: Readonly<Record<string, (args: readonly string[]) => ReportPlan | null>> = {
  vitest: vitestPlan,
  jest: jestPlan,
  'react-scripts': (args) => (args[0] === 'test' ? jestPlan(['--watchAll=false', ...args]) : null),
  mocha: (args) =>
    hasOption(args, ['--watch', '-w'])
      ? null
      : {
          report: `junit:${XML_REPORT}`,
          args: ['--reporter', 'xunit', '--reporter-options', `output=${XML_REPORT}`],
        },
  node: nodePlan,
  tsx: nodePlan,
  playwright: playwrightPlan,
  ava: (args) => ({ report: 'tap:stdout', args: args.includes('--tap') ? [] : ['--tap'] }),
  tap: (args) =>
    hasOption(args, ['--reporter', '-R']) ? null : { report: 'tap:stdout', args: ['--reporter=tap'] },
  tape: () => ({ report: 'tap:stdout' }),
  bun: (args) =>
    args[0] === 'test' && !hasOption(args, ['--reporter', '--watch'])
      ? { report: `junit:${XML_REPORT}`, args: ['--reporter=junit', `--reporter-outfile=${XML_REPORT}`] }
      : null,
  deno: (args) =>
    args[0] === 'test' && !hasOption(args, ['--reporter', '--junit-path', '--watch'])
      ? { report: `junit:${XML_REPORT}`, args: [`--junit-path=${XML_REPORT}`] }
      : null,
};

function vitestPlan(args: readonly string[]): ReportPlan | null {
  if (['bench', 'list', 'typecheck', 'watch', 'dev'].includes(args[0] ?? '')) return null;
  // With another root, the report path would be relative to it.
  if (hasOption(args, ['--watch', '-w', '--ui', '--root', '-r'])) return null;
  const own = optionValue(args, ['--outputFile', '--outputFile.json']);
  if (own !== null)
    return optionValue(args, ['--reporter']) === 'json' ? { report: `vitest-json:${own}` } : null;
  return {
    report: `vitest-json:${JSON_REPORT}`,
    args: ['--reporter=default', '--reporter=json', `--outputFile.json=${JSON_REPORT}`],
  };
}

function jestPlan(args: readonly string[]): ReportPlan | null {
  if (hasOption(args, ['--watch', '--watchAll']) && !args.includes('--watchAll=false')) return null;
  const own = optionValue(args, ['--outputFile']);
  if (own !== null) return args.includes('--json') ? { report: `vitest-json:${own}` } : null;
  const once = args.includes('--watchAll=false') ? ['--watchAll=false'] : [];
  return { report: `vitest-json:${JSON_REPORT}`, args: [...once, '--json', `--outputFile=${JSON_REPORT}`] };
}

/** Node ignores options after the file arguments, so a variable sets the reporter. */
function nodePlan(args: readonly string[]): ReportPlan | null {
  if (!args.includes('--test') || hasOption(args, ['--watch'])) return null;
  const reporter = optionValue(args, ['--test-reporter']);
  if (reporter === null) return { report: 'tap:stdout', environment: ['NODE_OPTIONS=--test-reporter=tap'] };
  const place = optionValue(args, ['--test-reporter-destination']) ?? 'stdout';
  if (reporter === 'tap' && place === 'stdout') return { report: 'tap:stdout' };
  return reporter === 'junit' && !/^std(?:out|err)$/.test(place) ? { report: `junit:${place}` } : null;
}

function playwrightPlan(args: readonly string[]): ReportPlan | null {
  if (args[0] !== 'test' || hasOption(args, ['--reporter', '--ui'])) return null;
  // Relative to the folder of the configuration, except for the newer variable.
  const isElsewhere = optionValue(args, ['-c', '--config'])?.includes('/') === true;
  const variable = isElsewhere ? 'PLAYWRIGHT_JSON_OUTPUT_FILE' : 'PLAYWRIGHT_JSON_OUTPUT_NAME';
  return {
    report: `playwright-json:${JSON_REPORT}`,
    args: ['--reporter=list,json'],
    environment: [`${variable}=${JSON_REPORT}`],
  };
}

/** Adds a report to commands that start a test runner directly. */
function withToolReport(validator: DetectedValidator, files: ProjectFiles): DetectedValidator | null {
  const { command } = validator;
  const [program, verb = ''] = command;
  const isPytest = command.some((word) => /(?:^|\/)pytest$/.test(word));
  if (isPytest) return add(validator, `junit:${XML_REPORT}`, `--junitxml=${XML_REPORT}`);
  if (program === 'deno' && verb === 'test')
    return add(validator, `junit:${XML_REPORT}`, `--junit-path=${XML_REPORT}`);
  if (program === 'go' && verb === 'test')
    return { ...validator, command: ['go', 'test', '-json', ...command.slice(2)], report: 'go-json:stdout' };
  if (program === 'cargo') return nextestReport(validator, files);
  if (/(?:^|\/)mvnw?$/.test(program))
    return { ...validator, report: 'junit:**/target/surefire-reports/TEST-*.xml' };
  if (/(?:^|\/)gradlew?$/.test(program))
    return { ...validator, report: 'junit:**/build/test-results/test/*.xml' };
  if (/(?:^|\/)phpunit$/.test(program))
    return add(validator, `junit:${XML_REPORT}`, '--log-junit', XML_REPORT);
  return null;
}

function add(validator: DetectedValidator, report: string, ...args: readonly string[]): DetectedValidator {
  return { ...validator, command: [...validator.command, ...args], report };
}

function hasOption(args: readonly string[], names: readonly string[]): boolean {
  return args.some((word) => names.some((name) => word === name || word.startsWith(`${name}=`)));
}

function optionValue(args: readonly string[], names: readonly string[]): string | null {
  for (const [at, word] of args.entries()) {
    const name = names.find((each) => word === each || word.startsWith(`${each}=`));
    if (name !== undefined) return word === name ? (args[at + 1] ?? null) : word.slice(name.length + 1);
  }
  return null;
}
