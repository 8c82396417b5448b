import * as z from 'zod';
import { printed } from './printed-document.ts';

export const SCOPE_CLASSES = [
  'primary',
  'co_located_test',
  'incidental',
  'corrected',
  'out_of_scope',
  'unlisted',
] as const;

export const scopedDocument = printed({
  ok: z.boolean().describe('No file is out of scope or unlisted.'),
  files: z.array(
    z.looseObject({
      path: z.string().describe('Both ends of a rename are files of their own.'),
      class: z.enum(SCOPE_CLASSES),
      proved: z
        .boolean()
        .nullable()
        .describe('Whether the change is shown to preserve behaviour; null where that is not asked.'),
      reason: z.string(),
    }),
  ),
  notes: z.array(z.string()).optional().describe('Lines of the summary that do not count, with why.'),
});
