import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { ExpectedFailure } from '../../contracts/expected-failure.ts';

/**
 * Opens an address with a code. Every process of a user can read the command lines of the others, so the browser is
 * given a file that only the user can read, in a folder that no sandbox shows to agents; the file leads to the address.
 */
export async function openBrowser(folder: string, url: string): Promise<() => Promise<void>> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const path = join(folder, `open-${randomBytes(12).toString('hex')}.html`);
  await writeFile(path, redirectTo(url), { flag: 'wx', mode: 0o600 });
  const [program, ...args] = browserCommand(process.platform, pathToFileURL(path).href);
  const child = spawn(program, args, { detached: true, stdio: 'ignore' });
  await new Promise<void>((resolve, reject) => {
    child.on('spawn', resolve);
    child.on('error', ({ message }) => reject(new ExpectedFailure(`no browser could be opened: ${message}`)));
  });
  child.unref();
  return () => rm(path, { force: true });
}

function browserCommand(platform: string, target: string): readonly [string, ...string[]] {
  switch (platform) {
    case 'darwin':
      return ['open', target];
    case 'win32':
      return ['rundll32', 'url.dll,FileProtocolHandler', target];
    default:
      return ['xdg-open', target];
  }
}

/** The address consists of characters that need no escape in HTML. */
function redirectTo(url: string): string {
  return `<!doctype html>\n<meta charset="utf-8">\n<meta name="referrer" content="no-referrer">\n<meta http-equiv="refresh" content="0;url=${url}">\n<title>conductor</title>\n`;
}
