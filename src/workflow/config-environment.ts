/** Settings that the environment can override, by the section they stand in; the empty one is the top. */
const SETTINGS: Readonly<Record<string, readonly string[]>> = {
  '': [
    'agents',
    'validators',
    'prices',
    'planner',
    'policy',
    'protected_branches',
    'entrypoints',
    'environment',
    'setup',
    'baseline',
    'tests',
    'notify',
    'sandbox',
  ],
  limits: ['timeout', 'idle_timeout', 'max_visits', 'park'],
  paths: ['runs', 'workspaces', 'worktrees'],
  retention: ['keep_runs', 'keep_days'],
  work: ['agents', 'specs', 'jobs', 'branch'],
};

/** What the environment says, as a configuration would say it. */
export interface EnvironmentText {
  readonly text: string;
  /** The variable that each line comes from, by the number of the line. */
  readonly variables: ReadonlyMap<number, string>;
}

/**
 * `CONDUCTOR_LIMITS_TIMEOUT=5m` says what `limits: { timeout: 5m }` does. Values are YAML, so that lists and
 * mappings can be given too. Null when nothing is said; a variable that is empty says nothing.
 */
export function readEnvironment(env: Readonly<Record<string, string | undefined>>): EnvironmentText | null {
  const lines: string[] = [];
  const variables = new Map<number, string>();
  for (const [section, keys] of Object.entries(SETTINGS)) {
    const said = keys.flatMap((key) => {
      const variable = variableOf(section, key);
      const value = env[variable] ?? '';
      return value.trim() === '' ? [] : [{ key, variable, value }];
    });
    if (section !== '' && said.length > 0) lines.push(`${section}:`);
    for (const { key, variable, value } of said) {
      lines.push(`${section === '' ? '' : '  '}${key}: ${inOneLine(value)}`);
      variables.set(lines.length, variable);
    }
  }
  return lines.length === 0 ? null : { text: `${lines.join('\n')}\n`, variables };
}

function variableOf(section: string, key: string): string {
  return ['CONDUCTOR', ...(section === '' ? [] : [section]), key].join('_').toUpperCase();
}

/** A line feed in a value must not begin another setting. */
function inOneLine(value: string): string {
  return /[\r\n]/.test(value) ? JSON.stringify(value) : value;
}
