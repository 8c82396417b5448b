import * as z from 'zod';
import { printed } from './printed-document.ts';

export const SCOPE_CLASSES = [
  'primary',
  'co_located_test',
  'incidental',
  'corrected',
  'extended',
  'out_of_scope',
  'unlisted',
] as const;

export const scopedDocument = printed({
  ok: z.boolean().describe('No file is out of scope or unlisted.'),
  files: z.array(
    z.looseObject({
      path: z.string().describe('A rename counts as two files, the old and the new path.'),
      class: z.enum(SCOPE_CLASSES),
      proved: z
        .boolean()
        .nullable()
        .describe('Whether the change is proved to preserve behaviour; null if no proof is needed.'),
      reason: z.string(),
    }),
  ),
  notes: z.array(z.string()).optional().describe('Lines of the summary that do not count, with the reason.'),
});
