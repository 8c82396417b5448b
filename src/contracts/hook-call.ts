import * as z from 'zod';

const lineSchema = z.union([z.string(), z.array(z.string()).min(1)]);
export const hookCallSchema = z.looseObject({
  hook_event_name: z.string().optional(),
  tool_name: z.string().optional(),
  tool_input: z
    .looseObject({
      command: lineSchema.optional(),
      file_path: z.string().optional(),
      notebook_path: z.string().optional(),
      cwd: z.string().optional(),
      workdir: z.string().optional(),
    })
    .optional(),
  command: lineSchema.optional(),
  cwd: z.string().optional(),
});

/** A tool call that an agent asks about before it executes it. */
export type HookCall = z.infer<typeof hookCallSchema>;
