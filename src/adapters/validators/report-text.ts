import { readFile, stat } from 'node:fs/promises';

const REPORT_LIMIT_BYTES = 16 * 1024 * 1024;

export type ReportText =
  | { readonly ok: true; readonly text: string; readonly bytes: number }
  /** The reason stands behind the name of the file: `is not UTF-8`. */
  | { readonly ok: false; readonly why: string };

/**
 * The text of a report of any form, within what is read of one. What a runner prints between its results may be anything,
 * so that `printed` text is read whatever its bytes; a file that is meant to be read has to be UTF-8.
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
