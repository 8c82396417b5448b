import * as z from 'zod/mini';
import { described, durationSchema, formOf, mapping, NAME_PATTERN, text, wholeNumber } from '../forms.ts';

/** A declarative suite file: the features of the harness kit, without writing a program. */

const words = () => z.array(text()).check(z.minLength(1));

const expectation = () =>
  z.union([
    z.string(),
    mapping({
      equals: described(z.optional(z.string()), 'The whole text.'),
      contains: described(z.optional(z.union([z.string(), z.array(z.string())])), 'A part, or several.'),
      matches: described(z.optional(text()), 'A regular expression, over lines.'),
    }),
  ]);

const normaliser = () =>
  z.union([
    z.enum(['ansi', 'dates', 'paths']),
    mapping({
      replace: described(text(), 'A regular expression.'),
      with: described(z.string(), 'What stands there instead.'),
    }),
  ]);

const common = () => ({
  id: described(text(), 'Unique in the suite.'),
  timeout: described(z.optional(durationSchema), 'For the whole case; a minute unless it is said.'),
  retries: described(z.optional(wholeNumber(0)), 'How often a failure is tried again.'),
  env: described(z.optional(z.record(z.string(), z.string())), 'Variables besides those of the harness.'),
});

const cwd = () => described(z.optional(text()), 'Where it is started, from the folder of the harness.');

const cliCase = mapping({
  kind: described(z.literal('cli'), 'A command.'),
  ...common(),
  cwd: cwd(),
  command: described(words(), 'Program and arguments, without a shell.'),
  stdin: described(z.optional(z.string()), 'What it reads.'),
  exit: described(z.optional(wholeNumber(0)), 'Its exit code; 0 unless it is said.'),
  stdout: described(z.optional(expectation()), 'What it prints.'),
  stderr: described(z.optional(expectation()), 'What it complains of.'),
  files: described(
    z.optional(z.record(z.string(), z.union([z.boolean(), expectation()]))),
    'By path: whether it is there afterwards, or what is in it.',
  ),
  golden: described(z.optional(text()), 'The golden that standard output is held against.'),
  normalise: described(z.optional(z.array(normaliser())), 'What is taken out before.'),
});

const step = mapping({
  goto: described(z.optional(text()), 'An address, from the page.'),
  click: described(z.optional(text()), 'What is clicked.'),
  fill: described(z.optional(text()), 'A field.'),
  press: described(z.optional(text()), 'A key, such as `Enter`.'),
  select: described(z.optional(text()), 'A list to choose from.'),
  wait: described(z.optional(text()), 'What has to be seen before it goes on.'),
  with: described(z.optional(z.string()), 'What is filled in or selected.'),
  on: described(z.optional(text()), 'Where a key is pressed.'),
});

const pageExpectation = mapping({
  visible: described(z.optional(text()), 'What can be seen.'),
  hidden: described(z.optional(text()), 'What can not be seen.'),
  text: described(z.optional(expectation()), 'What can be read.'),
  title: described(z.optional(expectation()), 'The title of the page.'),
  url: described(z.optional(expectation()), 'Its address.'),
  count: described(z.optional(wholeNumber(0)), 'How many there are.'),
  in: described(z.optional(text()), 'Where the text is looked for.'),
  of: described(z.optional(text()), 'What is counted.'),
});

const webCase = mapping({
  kind: described(z.literal('web'), 'A page in a browser.'),
  ...common(),
  cwd: cwd(),
  url: described(text(), 'The page; `{port}` becomes a free port.'),
  serve: described(z.optional(words()), 'A server, started before and ended after.'),
  viewport: described(
    z.optional(
      mapping({
        width: described(wholeNumber(1), 'In pixels.'),
        height: described(wholeNumber(1), 'In pixels.'),
      }),
    ),
    'The size of the page; 1280 × 720 unless it is said.',
  ),
  steps: described(z.optional(z.array(step)), 'What is done on the page, in order.'),
  expect: described(z.optional(z.array(pageExpectation)), 'What is seen then.'),
  quiet: described(z.optional(z.boolean()), 'Whether the page must log no errors.'),
  accessibility: described(z.optional(z.boolean()), 'False leaves the check out.'),
  golden: described(z.optional(text()), 'The golden that the screenshot is held against.'),
  tolerance: described(
    z.optional(z.number().check(z.minimum(0), z.maximum(1))),
    'How far colours may be apart.',
  ),
});

const docsCase = mapping({
  kind: described(z.literal('docs'), 'Markdown pages.'),
  ...common(),
  files: described(words(), 'Paths or globs.'),
  run: described(z.optional(words()), 'Languages whose examples are run.'),
});

export const harnessSuiteSchema = mapping({
  suite_id: described(formOf('suiteId', NAME_PATTERN), 'Identifier of the suite.'),
  goldens: described(z.optional(text()), 'The folder of the goldens; `goldens` unless it is said.'),
  cases: described(
    z.array(z.discriminatedUnion('kind', [cliCase, webCase, docsCase])).check(z.minLength(1)),
    'What is tried, in order.',
  ),
});

export type HarnessSuite = z.infer<typeof harnessSuiteSchema>;
