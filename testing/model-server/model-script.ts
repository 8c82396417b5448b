import * as z from 'zod';

/** What a model says in each scenario, step by step. A scenario is chosen by the address: `/s/<name>/…`. */

const usage = z
  .strictObject({ input_tokens: z.int().nonnegative(), output_tokens: z.int().nonnegative() })
  .optional()
  .describe('What the answer says it used.');

const textStep = z.strictObject({
  kind: z.literal('text'),
  text: z.string(),
  cut: z.boolean().optional().describe('Whether it ends because no more tokens were allowed.'),
  after_tool: z
    .boolean()
    .optional()
    .describe('Whether it only answers the result of a tool: a new prompt gets the step behind it.'),
  usage,
});
const jsonStep = z
  .strictObject({ kind: z.literal('json'), value: z.unknown(), usage })
  .describe('By the tool that the request wants it by, otherwise as the text of the answer.');
const toolStep = z.strictObject({
  kind: z.literal('tool'),
  name: z.string(),
  input: z.record(z.string(), z.unknown()),
  usage,
});
const writeStep = z
  .strictObject({ kind: z.literal('write'), path: z.string(), content: z.string(), usage })
  .describe('Writes a file with whichever tool the request offers for that.');
const shellStep = z
  .strictObject({ kind: z.literal('shell'), command: z.string(), usage })
  .describe('Runs a line with whichever tool the request offers for that.');

const times = z
  .int()
  .positive()
  .optional()
  .describe('How often, before the script goes on; left out, for ever.');
const statusFault = z.strictObject({
  kind: z.literal('status'),
  status: z.int().min(400).max(599),
  message: z.string().optional(),
  retry_after_seconds: z.number().nonnegative().optional(),
  times,
});
const brokenFault = z
  .strictObject({ kind: z.enum(['drop', 'bad_json', 'no_answer', 'silence']), times })
  .describe('`silence` begins an answer and says no more; `no_answer` does not even begin one.');

export const modelStepSchema = z.discriminatedUnion('kind', [
  textStep,
  jsonStep,
  toolStep,
  writeStep,
  shellStep,
  statusFault,
  brokenFault,
]);
export type ModelStep = z.infer<typeof modelStepSchema>;
export type AnswerStep = Extract<ModelStep, { kind: 'text' | 'json' | 'tool' | 'write' | 'shell' }>;
export type FaultStep = Exclude<ModelStep, AnswerStep>;

export const modelScriptSchema = z.record(z.string(), z.array(modelStepSchema).min(1));
export type ModelScript = Readonly<Record<string, readonly ModelStep[]>>;

export function isFault(step: ModelStep): step is FaultStep {
  switch (step.kind) {
    case 'status':
    case 'drop':
    case 'bad_json':
    case 'no_answer':
    case 'silence':
      return true;
    case 'text':
    case 'json':
    case 'tool':
    case 'write':
    case 'shell':
      return false;
  }
}

/**
 * The step that a request comes to: one answer for each answer it already holds, so that a conversation needs no
 * memory here; only faults are counted. The last answer is given again and again: a tool call there never ends.
 */
export function chooseStep(
  steps: readonly ModelStep[],
  answersBefore: number,
  faultsMade: Map<number, number>,
  afterTool: boolean,
): ModelStep | null {
  let left = answersBefore;
  let last: AnswerStep | null = null;
  for (const [index, step] of steps.entries()) {
    if (isFault(step)) {
      const made = faultsMade.get(index) ?? 0;
      if (left > 0 || made >= (step.times ?? Number.POSITIVE_INFINITY)) continue;
      faultsMade.set(index, made + 1);
      return step;
    }
    if (left === 0 && step.kind === 'text' && step.after_tool === true && !afterTool) continue;
    if (left === 0) return step;
    left -= 1;
    last = step;
  }
  return last;
}
