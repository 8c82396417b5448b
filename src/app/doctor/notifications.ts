import type { Config } from '../../contracts/config/config.ts';
import type { JournalEntry } from '../../contracts/work/work-event.ts';
import { type NamedTarget, nameTargets } from '../../notify/notification.ts';
import { viewRun } from '../../runtime/record/run-view.ts';
import { nameEndpoint, parseHeaders } from '../../telemetry/otlp-exchange.ts';
import { formatCount } from '../../text/count-of.ts';
import type { Records } from '../opened.ts';
import { type Finding, missing, ok } from './finding.ts';

/** A notification that was sent, or could not be sent. */
export interface RecordedNotification {
  readonly target: string;
  readonly ok: boolean;
  /** Why it failed. */
  readonly message: string | null;
  /** Such as `run 0199ab12…` or `item 3`. */
  readonly about: string;
}

export interface NotificationsDeps {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Recent notifications of the repository, the newest first. */
  readonly readNotifications: (repoRoot: string, config: Config) => Promise<readonly RecordedNotification[]>;
}

/** How many runs are read: a failure that is older than these is of no use. */
const RECENT_RUNS = 20;
/** How many entries about items are read, from the end of the journal. */
const RECENT_ENTRIES = 1_000;

/** The recorded notifications of the newest runs and of work items. A record that can't be read is skipped. */
export async function collectNotifications(
  { store }: Pick<Records, 'store'>,
  journal: readonly JournalEntry[],
): Promise<readonly RecordedNotification[]> {
  const found: RecordedNotification[] = [];
  for (const { event } of journal.slice(-RECENT_ENTRIES).toReversed())
    if (event.type === 'notification_sent') found.push({ ...event, about: `item ${event.item_id}` });
  for (const runId of (await store.match('')).slice(0, RECENT_RUNS)) {
    const read = await store.read(runId);
    const view = read.ok ? viewRun(read.run.events) : null;
    for (const sent of view?.notifications.toReversed() ?? []) found.push({ ...sent, about: `run ${runId}` });
  }
  return found;
}

/** Whether the targets can be used, and whether recent notifications arrived. A failed one never fails a run. */
export async function examineNotifications(
  deps: NotificationsDeps,
  repoRoot: string,
  config: Config,
): Promise<Finding[]> {
  const targets = nameTargets(config.notify);
  if (targets.length === 0)
    return [ok('notifications', 'none configured; conductor notify test shows how to configure them')];
  const recorded = await deps.readNotifications(repoRoot, config);
  return targets.flatMap((target) => {
    const findings = [
      ...findUnset(target, deps.env),
      ...findFailed(
        'notifications',
        target.name,
        recorded,
        'fix the target, then try it: conductor notify test',
      ),
    ];
    return findings.length > 0
      ? findings
      : [ok('notifications', `${target.name}: on ${target.on.join(', ')}`)];
  });
}

/** Whether telemetry can be sent, and whether recent exports arrived. */
export async function examineTelemetry(
  deps: NotificationsDeps,
  repoRoot: string,
  config: Config,
): Promise<Finding[]> {
  const { telemetry } = config;
  if (telemetry === null) return [];
  const name = nameEndpoint(telemetry.endpoint);
  const variable = telemetry.headers_env;
  const isUnset = variable !== null && parseHeaders(deps.env[variable] ?? '') === null;
  const findings = [
    ...(isUnset
      ? [
          missing(
            'telemetry',
            `${name}: the variable ${variable} is not set to headers`,
            `set ${variable} to \`name=value,other=value\``,
          ),
        ]
      : []),
    ...findFailed(
      'telemetry',
      name,
      await deps.readNotifications(repoRoot, config),
      `export it again: conductor export otel RUN --endpoint ${telemetry.endpoint}`,
    ),
  ];
  const payloads = telemetry.payloads ? 'with payloads' : 'without payloads';
  return findings.length > 0 ? findings : [ok('telemetry', `${telemetry.endpoint}, ${payloads}`)];
}

function findUnset(target: NamedTarget, env: NotificationsDeps['env']): Finding[] {
  return variablesOf(target)
    .filter((name) => (env[name] ?? '') === '')
    .map((name) =>
      missing('notifications', `${target.name}: the variable ${name} is not set`, `set ${name}`),
    );
}

function findFailed(
  area: 'notifications' | 'telemetry',
  name: string,
  recorded: readonly RecordedNotification[],
  help: string,
): Finding[] {
  const sent = recorded.filter(({ target }) => target === name);
  const failed = sent.filter((each) => !each.ok);
  const [last] = failed;
  if (last === undefined) return [];
  const what = area === 'telemetry' ? 'recent export' : 'recent notification';
  const count = `${failed.length} of ${formatCount(sent.length, what)} failed`;
  const about = `the last about ${last.about}: ${last.message ?? 'unknown reason'}`;
  return [missing(area, `${name}: ${count}, ${about}`, help)];
}

function variablesOf(target: NamedTarget): readonly string[] {
  switch (target.kind) {
    case 'ntfy':
      return target.token_env === null ? [] : [target.token_env];
    case 'slack':
      return target.url_env === null ? [] : [target.url_env];
    case 'webhook':
      return [target.secret_env];
    case 'desktop':
    case 'command':
      return [];
  }
}
