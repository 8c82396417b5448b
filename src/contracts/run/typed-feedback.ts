import * as z from 'zod';

const DIFF_SIDES = ['old', 'new'] as const;

/** A comment on a line of the diff that a gate showed. */
export const lineCommentSchema = z.strictObject({
  path: z.string().min(1),
  line: z.int().min(1),
  side: z.enum(DIFF_SIDES).describe('Whether the line is numbered in the old version or in the new one.'),
  text: z.string().min(1),
});
export type LineComment = z.infer<typeof lineCommentSchema>;

const refusedGoldenSchema = z.strictObject({
  id: z.string().nullable(),
  golden_path: z.string().nullable(),
});

/** What an answer says about single lines and goldens. Records of earlier versions have none of these keys. */
export const typedFeedbackShape = {
  lines: z.array(lineCommentSchema).optional(),
  refused_goldens: z.array(refusedGoldenSchema).optional(),
};
const typedFeedbackSchema = z.strictObject(typedFeedbackShape);
export type TypedFeedback = z.infer<typeof typedFeedbackSchema>;

/** Only the keys that are there: a record without them stays as it is. */
export function typedFeedbackOf({ lines, refused_goldens }: TypedFeedback): TypedFeedback {
  return {
    ...(lines === undefined ? {} : { lines }),
    ...(refused_goldens === undefined ? {} : { refused_goldens }),
  };
}

/** The comment, the comments on lines and the refused goldens as one text; null if there is nothing to say. */
export function feedbackText({
  comment,
  lines = [],
  refused_goldens = [],
}: TypedFeedback & { readonly comment: string | null }): string | null {
  const parts = [
    ...(comment === null || comment === '' ? [] : [comment]),
    ...(lines.length === 0 ? [] : [`Comments on lines of the change:\n\n${lines.map(lineText).join('\n')}`]),
    ...(refused_goldens.length === 0
      ? []
      : [`Refused goldens, which must stay as they are:\n\n${refused_goldens.map(goldenText).join('\n')}`]),
  ];
  return parts.length === 0 ? null : parts.join('\n\n');
}

function lineText({ path, line, side, text }: LineComment): string {
  const version = side === 'old' ? ' of the old version' : '';
  return `- ${path}, line ${line}${version}: ${text.trim().replaceAll('\n', '\n  ')}`;
}

function goldenText({ id, golden_path }: z.infer<typeof refusedGoldenSchema>): string {
  return `- ${golden_path ?? id ?? 'a golden without a path'}`;
}
