import { readFile, stat } from 'node:fs/promises';

const REPORT_LIMIT_BYTES = 16 * 1024 * 1024;

export type ReportText =
  | { readonly ok: true; readonly text: string; readonly bytes: number }
  /** The reason completes a message that starts with the file name: `is not UTF-8`. */
  | { readonly ok: false; readonly why: string };

/**
 * Reads the text of a report within the size limit. A runner may print anything between its results, so
 * `printed` text may contain invalid UTF-8; a report file must be valid UTF-8.
 */
export async function readReportText(
  path: string,
  origin: 'written' | 'printed' = 'written',
): Promise<ReportText> {
  const { size } = await stat(path);
  if (size > REPORT_LIMIT_BYTES) return { ok: false, why: 'is larger than 16 MiB' };
  const bytes = await readFile(path);
  try {
    return {
      ok: true,
      text: new TextDecoder('utf-8', { fatal: origin === 'written' }).decode(bytes),
      bytes: size,
    };
  } catch {
    return { ok: false, why: 'is not UTF-8' };
  }
}
