import * as z from 'zod';
import { ENGINE_KINDS } from '../vocabulary.ts';
import { printed } from './printed-document.ts';

const problem = z.looseObject({ message: z.string(), help: z.string() });

const knownWorker = z.looseObject({
  name: z.string(),
  pid: z.int(),
  host: z.string(),
  labels: z.array(z.string()),
  slots: z.int(),
  busy: z.int().describe('How many runs it drives now.'),
  problems: z.array(z.looseObject({ run_id: z.string(), message: z.string(), retry_at: z.string() })),
});

const queuedRun = z.looseObject({
  run_id: z.string(),
  needs: z.array(z.string()),
  due_at: z.string().nullable().describe('Null if only a message makes it due.'),
  driver_pid: z.int().nullable(),
  reason: z.looseObject({
    kind: z.enum(['driven', 'message', 'time', 'no_worker', 'labels', 'problem', 'slot']),
    text: z.string(),
  }),
});

/** What the commands of a shared engine print, by command. */
export const ENGINE_DOCUMENTS = {
  worker: printed({
    worker: z.string(),
    labels: z.array(z.string()),
    driven: z.array(
      z.looseObject({
        run_id: z.string(),
        end: z.enum(['ended', 'waiting', 'parked', 'interrupted', 'failed']),
      }),
    ),
  }),
  'engine-up': printed({
    kind: z.enum(ENGINE_KINDS),
    from: z.int().nullable().describe('The version of the tables before; 0 if there were none.'),
    to: z.int().nullable(),
    problems: z.array(problem),
    dev: z
      .looseObject({
        url: z.string(),
        is_started: z.boolean(),
        stop: z.array(z.string()).describe('The command that stops it.'),
        environment: z.record(z.string(), z.string()),
      })
      .nullable()
      .describe('The server that `--dev` started.'),
  }),
  'engine-status': printed({
    kind: z.enum(['embedded', 'shared']),
    workers: z.array(knownWorker),
    queue: z.array(queuedRun),
  }),
};
