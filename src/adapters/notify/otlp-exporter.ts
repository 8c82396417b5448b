import type { SendResult } from '../../notify/retry.ts';
import type { TelemetryExporter } from '../../ports/telemetry-exporter.ts';
import { addressOf, findRejection, nameEndpoint, parseHeaders } from '../../telemetry/otlp-exchange.ts';
import { exchange } from './post.ts';

export interface OtlpExporterDeps {
  readonly endpoint: string;
  /** The variable with the headers; null if requests need none. */
  readonly headersEnv: string | null;
  readonly payloads: boolean;
  /** The value of an environment variable; null if it is unset or empty. */
  readonly variable: (name: string) => string | null;
}

export function createOtlpExporter(deps: OtlpExporterDeps): TelemetryExporter {
  const { endpoint, headersEnv, payloads } = deps;
  return {
    name: nameEndpoint(endpoint),
    payloads,
    send: async (documents, signal) => {
      const headers = readHeaders(deps);
      if (headers === null)
        return refuse(
          `the environment variable ${headersEnv} is not set to headers, such as \`name=value,other=value\``,
        );
      for (const { signal: kind, body } of documents) {
        const { result, text } = await exchange(
          {
            url: addressOf(endpoint, kind),
            headers: { ...headers, 'content-type': 'application/json' },
            body: JSON.stringify(body),
          },
          signal,
        );
        if (!result.ok) return { ...result, message: `${result.message} (${kind})` };
        // The specification forbids to send the same again.
        const rejection = findRejection(text);
        if (rejection !== null) return refuse(`the receiver ${rejection} (${kind})`);
      }
      return { ok: true };
    },
  };
}

function readHeaders({ headersEnv, variable }: OtlpExporterDeps): Readonly<Record<string, string>> | null {
  return headersEnv === null ? {} : parseHeaders(variable(headersEnv) ?? '');
}

function refuse(message: string): SendResult {
  return { ok: false, message, isTransient: false, retryAfterMs: null };
}
