import { constants } from 'node:fs';
import { mkdir, open, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';
import { type Usage, usageSchema } from '../../contracts/run/agent-result.ts';
import { longestFirst, secretValuesOf } from '../../policy/secrets/secrets.ts';
import type { AgentRequest } from '../../ports/agent.ts';
import type { KeptFolder } from '../../ports/sandbox.ts';
import { copySession, copyTree, findSessionFiles, maskFiles, moveSession } from './session-files.ts';

/**
 * The session of one start of the program. Its files end up in a folder of the run that belongs to this start
 * alone: in a sandbox the program writes them into it directly; without one they are moved from the home when
 * the program has ended.
 */
export interface OpenSession {
  /** The session to continue; null for a fresh one. */
  readonly resumeId: string | null;
  readonly prompt: string;
  /** Why the session is fresh although another one was to be continued. */
  readonly note: string | null;
  /** The usage of the session before this start. */
  readonly before: Usage | null;
  readonly kept: readonly KeptFolder[];
  /** Collects the session files. All processes of the program must have ended. */
  readonly close: (id: string | null) => Promise<void>;
}

/** The folder in which the program of an agent stores its sessions. */
export interface SessionPlace {
  /** A folder of its home, such as `~/.claude/projects`. */
  readonly home: string;
  /** The name of the folder in the run. */
  readonly name: string;
  /** The usage recorded in a session, for programs that continue counting from it. */
  readonly usedBy?: (folder: string, id: string) => Promise<Usage | null>;
}

/** Left beside the evidence of a start, so that another process can finish an interrupted one. */
const NOTE_FILE = 'session.json';
const noteSchema = z.object({
  folder: z.string(),
  home: z.string().nullable(),
  before: usageSchema.nullable(),
});

const NO_SESSION = { resumeId: null, note: null, before: null, kept: [], close: async () => {} };

export async function openSession(
  place: SessionPlace,
  request: AgentRequest,
  secrets: readonly string[],
): Promise<OpenSession> {
  const { session, confinement, evidenceDir, prompt } = request;
  if (session === undefined) return { ...NO_SESSION, prompt };
  const folder = join(session.folder, place.name);
  await rm(session.folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  const wanted = session.resume;
  if (wanted !== null) await copyTree(join(wanted.from, place.name), folder);
  const hasFiles = wanted !== null && (await findSessionFiles(folder, wanted.id)).length > 0;
  const resume = hasFiles ? wanted : null;
  const before = resume === null ? null : ((await place.usedBy?.(folder, resume.id)) ?? null);
  const isSandboxed = confinement !== null;
  if (resume !== null && !isSandboxed) await copySession(resume.id, folder, place.home);
  const home = isSandboxed ? null : place.home;
  await leaveNote(evidenceDir, { folder, home, before });
  return {
    resumeId: resume?.id ?? null,
    prompt: resume?.prompt ?? prompt,
    note:
      wanted === null || resume !== null
        ? null
        : `session ${wanted.id} has no files any more, so the agent started a fresh one with the whole prompt`,
    before,
    kept: isSandboxed ? [{ path: place.home, source: folder }] : [],
    close: async (id) => {
      if (home !== null && id !== null) await moveSession(id, home, folder);
      await maskFiles(folder, longestFirst([...secrets, ...secretValuesOf(request.env)]));
    },
  };
}

/** The same start without the session that could not be continued. */
export function reopenFresh(request: AgentRequest, reason: string): AgentRequest & { readonly note: string } {
  const { session } = request;
  const id = session?.resume?.id ?? '';
  return {
    ...request,
    ...(session === undefined ? {} : { session: { ...session, resume: null } }),
    note: `session ${id} could not be continued (${reason}), so the agent started a fresh one with the whole prompt`,
  };
}

export async function leaveNote(evidenceDir: string, note: z.infer<typeof noteSchema>): Promise<void> {
  const path = join(evidenceDir, NOTE_FILE);
  await mkdir(evidenceDir, { recursive: true });
  await rm(path, { force: true, recursive: true });
  await writeFile(path, `${JSON.stringify(note, null, 2)}\n`, { flag: 'wx' });
}

/** Reads the note that a start left; null if it had no session to keep. */
export async function readNote(evidenceDir: string): Promise<z.infer<typeof noteSchema> | null> {
  // Does not follow a link: an agent without a sandbox can create one at this path.
  const file = await open(join(evidenceDir, NOTE_FILE), constants.O_RDONLY | constants.O_NOFOLLOW).catch(
    () => null,
  );
  if (file === null) return null;
  try {
    return noteSchema.safeParse(JSON.parse(await file.readFile('utf8'))).data ?? null;
  } catch {
    return null;
  } finally {
    await file.close();
  }
}
