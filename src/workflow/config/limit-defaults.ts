import type { Config } from '../../contracts/config/config.ts';
import { CONFIG_DEFAULTS } from '../../contracts/config/config-defaults.ts';
import { parseDuration } from '../../contracts/duration.ts';
import type { CheckContext } from '../rule.ts';

/** Limits for workflows that set none. */
export function limitDefaults(config: Pick<Config, 'limits'> | null): CheckContext['defaults'] {
  const { timeout, idle_timeout, max_visits, park } = config?.limits ?? CONFIG_DEFAULTS.limits;
  return {
    timeoutMs: toMilliseconds(timeout),
    idleTimeoutMs: toMilliseconds(idle_timeout),
    maxVisits: max_visits,
    parkMs: toMilliseconds(park),
  };
}

/** Never throws for a checked configuration: the schema rejects invalid durations. */
export function toMilliseconds(value: string | number): number {
  const ms = parseDuration(value);
  if (ms === null) throw new Error(`${value} is not a duration`);
  return ms;
}
