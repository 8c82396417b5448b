import type { DetectedValidator } from '../../../contracts/config/detected-validator.ts';
import type { ProjectFiles } from './found-commands.ts';

export const NEXTEST_CONFIG = '.config/nextest.toml';

/** Profiles that nextest is most likely run with. */
const USUAL_PROFILES = ['default', 'ci'];

/** Runs the tests with nextest if the repository configures it; a report needs a profile that writes one. */
export function nextestReport(validator: DetectedValidator, files: ProjectFiles): DetectedValidator | null {
  const text = files.get(NEXTEST_CONFIG);
  if (text === undefined || validator.command[1] !== 'test') return null;
  const reports = readJunitProfiles(text);
  const profile = [...USUAL_PROFILES, ...reports.keys()].find((name) => reports.has(name));
  const command: DetectedValidator['command'] = ['cargo', 'nextest', 'run', ...validator.command.slice(2)];
  const source = `nextest in ${NEXTEST_CONFIG}`;
  if (profile === undefined) return { ...validator, command, source };
  return {
    ...validator,
    command: profile === 'default' ? command : [...command, '--profile', profile],
    source,
    report: `junit:target/nextest/${profile}/${reports.get(profile)}`,
  };
}

/** Maps a profile to its report path, as in `[profile.ci.junit]` with `path = "junit.xml"`. */
function readJunitProfiles(text: string): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  let profile: string | null = null;
  for (const line of text.split('\n')) {
    const [, table] = /^\s*\[([^\]]+)\]/.exec(line) ?? [];
    if (table !== undefined) profile = /^\s*profile\.([\w-]+)\.junit\s*$/.exec(table)?.[1] ?? null;
    const [, path] = /^\s*path\s*=\s*["']([^"']+)["']/.exec(line) ?? [];
    if (profile !== null && path !== undefined) found.set(profile, path);
  }
  return found;
}
