/** Settings that environment variables can override, by section; the empty section is the top level. */
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
    'forge',
    'publish',
    'sandbox',
  ],
  limits: ['timeout', 'idle_timeout', 'max_visits', 'park', 'memory', 'processes', 'written_bytes'],
  paths: ['runs', 'workspaces', 'worktrees'],
  retention: ['keep_runs', 'keep_days'],
  engine: ['kind', 'url_env', 'hub', 'blobs'],
  telemetry: ['endpoint', 'headers_env', 'payloads'],
  work: ['provider', 'agents', 'specs', 'jobs', 'max_rounds', 'branch'],
};

/** The settings from environment variables, as YAML of a configuration file. */
export interface EnvironmentText {
  readonly text: string;
  /** The variable behind each line, by line number. */
  readonly variables: ReadonlyMap<number, string>;
}

/**
 * Reads the settings: `CONDUCTOR_LIMITS_TIMEOUT=5m` is `limits: { timeout: 5m }`. Values are YAML, so they can be
 * lists and mappings. Empty variables are ignored. Returns null if no variable is set.
 */
export function readEnvironment(env: Readonly<Record<string, string | undefined>>): EnvironmentText | null {
  const lines: string[] = [];
  const variables = new Map<number, string>();
  for (const [section, keys] of Object.entries(SETTINGS)) {
    const settings = keys.flatMap((key) => {
      const variable = variableOf(section, key);
      const value = env[variable] ?? '';
      return value.trim() === '' ? [] : [{ key, variable, value }];
    });
    if (section !== '' && settings.length > 0) lines.push(`${section}:`);
    for (const { key, variable, value } of settings) {
      lines.push(`${section === '' ? '' : '  '}${key}: ${quoteLineFeeds(value)}`);
      variables.set(lines.length, variable);
    }
  }
  return lines.length === 0 ? null : { text: `${lines.join('\n')}\n`, variables };
}

function variableOf(section: string, key: string): string {
  return ['CONDUCTOR', ...(section === '' ? [] : [section]), key].join('_').toUpperCase();
}

/** Quotes a value that contains a line feed, so that it can't start another setting. */
function quoteLineFeeds(value: string): string {
  return /[\r\n]/.test(value) ? JSON.stringify(value) : value;
}
