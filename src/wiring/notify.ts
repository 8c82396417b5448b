import { createNotifier } from '../adapters/notify/notifier.ts';
import { createOtlpExporter } from '../adapters/notify/otlp-exporter.ts';
import type { ProcessPlace } from '../adapters/notify/start-program.ts';
import type { Config } from '../contracts/config/config.ts';
import type { TelemetryConfig } from '../contracts/config/telemetry-config.ts';
import { nameTargets } from '../notify/notification.ts';
import type { Notifier } from '../ports/notifier.ts';
import type { TelemetryExporter } from '../ports/telemetry-exporter.ts';
import { parseHeaders } from '../telemetry/otlp-exchange.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** Null if the configuration has no target. Tokens come from conductor's own environment. */
export function createConfiguredNotifier(
  { notify }: Pick<Config, 'notify'>,
  env: Environment,
  place: ProcessPlace,
): Notifier | null {
  if (notify.length === 0) return null;
  return createNotifier({
    targets: nameTargets(notify),
    variable: (name) => env[name] || null,
    place,
    // A desktop notification needs the session's own variables, such as the address of its bus.
    desktop: { cwd: place.cwd, env: definedOnly(env) },
    platform: process.platform,
  });
}

/** Tokens, secrets and addresses that must not appear in any record. */
export function notifySecrets({ notify }: Pick<Config, 'notify'>, env: Environment): readonly string[] {
  return notify.flatMap((target) => {
    switch (target.kind) {
      case 'ntfy':
        return env[target.token_env ?? ''] ?? [];
      case 'webhook':
        return env[target.secret_env] ?? [];
      case 'slack':
        return target.url ?? env[target.url_env ?? ''] ?? [];
      default:
        return [];
    }
  });
}

export function createTelemetryExporter(telemetry: TelemetryConfig, env: Environment): TelemetryExporter {
  return createOtlpExporter({
    endpoint: telemetry.endpoint,
    headersEnv: telemetry.headers_env,
    payloads: telemetry.payloads,
    variable: (name) => env[name] || null,
  });
}

/** The values of headers, which must not appear in any record. */
export function telemetrySecrets(
  { telemetry }: Pick<Config, 'telemetry'>,
  env: Environment,
): readonly string[] {
  return Object.values(parseHeaders(env[telemetry?.headers_env ?? ''] ?? '') ?? {});
}

function definedOnly(env: Environment): Record<string, string> {
  return Object.fromEntries(
    Object.entries(env).filter((entry): entry is [string, string] => entry[1] !== undefined),
  );
}
