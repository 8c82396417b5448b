import type { DetectedName, DetectedValidator } from '../../../contracts/config/detected-validator.ts';
import { asObject, parseJsonObject } from '../../../text/json.ts';
import { findTasks, type ProjectFiles, TASK_NAMES } from './found-commands.ts';

/** Tasks in deno's configuration: defined explicitly, like scripts of a package. */
export function findDenoTasks(files: ProjectFiles): DetectedValidator[] {
  const file = denoFile(files);
  if (file === undefined) return [];
  const tasks = asObject(parseJsonObject(files.get(file) ?? null)?.tasks);
  return findTasks(
    TASK_NAMES,
    (task) => Object.hasOwn(tasks, task),
    (task) => ['deno', 'task', task],
    (task) => `task "${task}" of ${file}`,
  );
}

/** Default commands of a language's tools. */
export function findLanguageTools(files: ProjectFiles): DetectedValidator[] {
  const deno = denoFile(files);
  return [
    ...(deno === undefined ? [] : [from(deno, 'tests', 'deno', 'test'), from(deno, 'lint', 'deno', 'lint')]),
    ...findCargo(files.get('Cargo.toml')),
    ...(files.has('go.mod')
      ? [from('go.mod', 'tests', 'go', 'test', './...'), from('go.mod', 'lint', 'go', 'vet', './...')]
      : []),
    ...findJvm(files),
    ...(['phpunit.xml', 'phpunit.xml.dist'].some((path) => files.has(path))
      ? [from('phpunit.xml', 'tests', 'vendor/bin/phpunit')]
      : []),
  ];
}

/** The wrapper of the repository pins the version that it needs. */
function findJvm(files: ProjectFiles): DetectedValidator[] {
  if (files.has('pom.xml')) return [from('pom.xml', 'tests', files.has('mvnw') ? './mvnw' : 'mvn', 'test')];
  const build = ['build.gradle', 'build.gradle.kts'].find((path) => files.has(path));
  if (build === undefined) return [];
  return [from(build, 'tests', files.has('gradlew') ? './gradlew' : 'gradle', 'test')];
}

/** Without `--workspace`, cargo would only check the root package. */
function findCargo(manifest: string | undefined): DetectedValidator[] {
  if (manifest === undefined) return [];
  const has = (table: string) => manifest.split('\n').some((line) => line.trim() === `[${table}]`);
  const whole = has('workspace') && has('package') ? ['--workspace'] : [];
  return [
    from('Cargo.toml', 'tests', 'cargo', 'test', ...whole),
    from('Cargo.toml', 'lint', 'cargo', 'clippy', ...whole),
    from('Cargo.toml', 'typecheck', 'cargo', 'check', ...whole),
  ];
}

function denoFile(files: ProjectFiles): string | undefined {
  return ['deno.json', 'deno.jsonc'].find((path) => files.has(path));
}

function from(source: string, name: DetectedName, ...command: [string, ...string[]]): DetectedValidator {
  return { name, command, source };
}
