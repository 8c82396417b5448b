import { join } from 'node:path';
import { createBackgroundPrograms } from '../adapters/page/background-programs.ts';
import { openBrowser } from '../adapters/page/browser.ts';
import { keepCertificate, readCertificate } from '../adapters/page/certificate.ts';
import { createSessionFiles } from '../adapters/page/session-files.ts';
import { systemFiles } from '../adapters/project/files.ts';
import { createRecordFiles } from '../adapters/run-store/record-files.ts';
import { systemClock } from '../adapters/system/clock.ts';
import { stateFolderOf } from '../adapters/system/credential-waits.ts';
import { createFolderWatch } from '../adapters/system/folder-watch.ts';
import { createRunObjects } from '../adapters/workspace/run-objects.ts';
import type { PageTools } from '../app/page/page-tools.ts';
import { packageRoot } from '../package-root.ts';
import { loadConfigOf, openConfigured } from './open.ts';

export async function createPageTools(): Promise<PageTools> {
  const folder = join(stateFolderOf(process.env), 'serve');
  return {
    certificateFor: (address) => keepCertificate(join(folder, 'certificates'), address, new Date()),
    readCertificate,
    openBrowser: (url) => openBrowser(folder, url),
    url: await readServedUrl(),
    sessions: createSessionFiles(join(folder, 'sessions')),
    watch: createFolderWatch(),
    background: createBackgroundPrograms([...process.execArgv, process.argv[1] ?? '']),
    clock: systemClock,
    files: createRecordFiles(),
    projectFiles: systemFiles,
    openObjects: async (startDir) => {
      const opened = await openConfigured(startDir);
      if (!opened.ok) return opened;
      const { config, ...repository } = opened.value;
      return { ok: true, value: { objects: createRunObjects(repository), tests: config.tests } };
    },
    webFolder: join(packageRoot(), 'dist', 'bin', 'web'),
  };
}

/** Only the user's own file counts, so any folder without a repository serves to read it. */
async function readServedUrl(): Promise<string | null> {
  const loaded = await loadConfigOf(stateFolderOf(process.env));
  return loaded.ok ? loaded.config.serve.url : null;
}
