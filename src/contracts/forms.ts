import * as z from 'zod/mini';
import { BYTES_PATTERN, parseBytes } from './byte-size.ts';
import { DURATION_PATTERN, parseDuration } from './duration.ts';

/**
 * Text that must have a certain form. A schema's error is the name of the form, and the code that reports it looks up
 * the wanted form and the help here, so that these messages are in one place.
 */
export const FORMS = {
  duration: {
    wanted: 'a duration',
    help: 'write seconds as a positive number, or digits and a unit such as `90s`, `15m`, `2h`, `3d`',
  },
  bytes: {
    wanted: 'a size',
    help: 'write bytes as a whole number, or digits and a unit such as `200MB`, `8GB`',
  },
  stepId: {
    wanted: 'a step id',
    help: 'start with a letter or digit, then use letters, digits, `_` and `-`, at most 64 in all',
  },
  workflowId: {
    wanted: 'a workflow id',
    help: 'start with a letter or digit, then use letters, digits, `.`, `_` and `-`, at most 64 in all',
  },
  validatorId: {
    wanted: 'a validator id',
    help: 'start with a letter or digit, then use letters, digits, `.`, `_` and `-`, at most 64 in all',
  },
  suiteId: {
    wanted: 'a suite id',
    help: 'start with a letter or digit, then use letters, digits, `.`, `_` and `-`, at most 64 in all',
  },
  report: {
    wanted: 'a report to read',
    help: 'write `harness:PATH`, `junit:GLOB`, `tap:stdout`, `go-json:stdout`, `vitest-json:PATH` or `playwright-json:PATH`',
  },
  policyId: { wanted: 'a policy id', help: 'write `policy.<name>`; the version goes into `version`' },
  policyRef: { wanted: 'a policy reference', help: 'write `policy.<name>.v<N>`' },
  promptId: {
    wanted: 'a prompt id',
    help: 'write names joined by dots, such as `task.fix`; the version goes into `version`',
  },
  trustedGlob: {
    wanted: 'a glob of repositories',
    help: 'write a whole path, such as `/srv/repos/**`, or one below your home, such as `~/work/**`',
  },
  forgeRepository: {
    wanted: 'a repository',
    help: 'write owner and name, such as `octo/shop`',
  },
  forgeUrl: {
    wanted: 'the address of an API',
    help: 'write it in full, such as `https://github.example/api/v3`; tokens come from the environment',
  },
  pageUrl: {
    wanted: 'the address of a page',
    help: 'write scheme and host, and a port if needed, such as `https://box.example/`',
  },
  variableName: {
    wanted: 'the name of an environment variable',
    help: 'write the name only; the value stays in the environment',
  },
  otlpEndpoint: {
    wanted: 'the address of an OTLP receiver',
    help: 'write the base address without `/v1/traces`, such as `http://127.0.0.1:4318`; `headers_env` names a variable with secrets',
  },
  notBlank: { wanted: 'some text', help: null },
} as const;
export type FormName = keyof typeof FORMS;

export const FORM_ERROR_PREFIX = 'form:';

function formError(name: FormName): string {
  return `${FORM_ERROR_PREFIX}${name}`;
}

export const STEP_ID_PATTERN = /^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/;
export const NAME_PATTERN = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;

const NAME = '[A-Za-z0-9_-]+';
/** A base address: without a password, a query and a fragment. */
export const OTLP_ENDPOINT_PATTERN = /^https?:\/\/[^\s/?#@]+(?:\/[^\s?#]*)?$/;
export const PROMPT_REF_PATTERN = new RegExp(`^${NAME}(?:\\.${NAME})*\\.v[1-9][0-9]*$`);
export const POLICY_REF_PATTERN = new RegExp(`^policy(?:\\.${NAME})+\\.v[1-9][0-9]*$`);

export function defineForm(name: FormName, pattern: RegExp) {
  return z.string().check(z.regex(pattern, { error: formError(name) }));
}

/** Adds a description to a new schema. Don't pass a shared one: the description would apply wherever it is used. */
export function described<Schema extends z.core.$ZodType>(schema: Schema, description: string): Schema {
  // A second description would replace the first one everywhere the schema is used.
  if (z.globalRegistry.has(schema) && z.globalRegistry.get(schema)?.description !== undefined)
    throw new Error(`a shared schema is described twice: ${description}`);
  z.globalRegistry.add(schema, { description });
  return schema;
}

/** Adds a description to a copy of a shared schema. */
export function describedHere<Schema extends z.core.$ZodType>(schema: Schema, description: string): Schema {
  return described(z.clone(schema), description);
}

const duration = { error: formError('duration') };

export const durationSchema = described(
  z
    .union(
      [z.number(duration).check(z.positive(duration)), z.string().check(z.regex(DURATION_PATTERN, duration))],
      duration,
    )
    .check(z.refine((value) => parseDuration(value) !== null, duration)),
  'Seconds as a number, or `90s`, `15m`, `2h`, `3d`.',
);

const bytes = { error: formError('bytes') };

export const bytesSchema = described(
  z
    .union([z.number(bytes).check(z.positive(bytes)), z.string().check(z.regex(BYTES_PATTERN, bytes))], bytes)
    .check(z.refine((value) => parseBytes(value) !== null, bytes)),
  'Bytes as a number, or `200MB`, `8GB`, `8GiB`.',
);

export function validatorId() {
  return defineForm('validatorId', NAME_PATTERN);
}

export const reportSchema = described(
  defineForm('report', /^(?:(?:tap|go-json):stdout|(?:harness|junit|vitest-json|playwright-json):\S.*)$/),
  'A test report to convert into a harness report.',
);

export function text() {
  return defineForm('notBlank', /\S/);
}

export const textSchema = text();

export function wholeNumber(least: number) {
  return z.int().check(z.minimum(least));
}

/**
 * A mapping that rejects unknown keys. `x-` keys are removed before a document is checked; the JSON Schema declares
 * them for editors.
 */
export function mapping<Shape extends z.core.$ZodLooseShape>(shape: Shape, description?: string) {
  const schema = z.strictObject(shape);
  const meta = { patternProperties: { '^x-': {} } };
  z.globalRegistry.add(schema, description === undefined ? meta : { ...meta, description });
  return schema;
}
