import * as z from 'zod/mini';
import { defineForm, described, mapping, OTLP_ENDPOINT_PATTERN } from '../forms.ts';

/** `telemetry` of a configuration file. */
export const telemetrySchema = mapping({
  endpoint: described(
    z.optional(defineForm('otlpEndpoint', OTLP_ENDPOINT_PATTERN)),
    'The base address of an OTLP/HTTP receiver, without `/v1/traces`.',
  ),
  headers_env: described(
    z.optional(defineForm('variableName', /^[A-Za-z_][A-Za-z0-9_]*$/)),
    'The environment variable with headers for each request: `name=value,other=value`. Read only from your own file.',
  ),
  payloads: described(
    z.optional(z.boolean()),
    'Whether text is exported, too: prompts, messages, titles, reasons and commands. Read only from your own file.',
  ),
});

export interface TelemetryConfig {
  readonly endpoint: string;
  readonly headers_env: string | null;
  readonly payloads: boolean;
}
