// Writes files of 10 MB, up to the megabytes in its argument, and stays for 20 seconds. With `unlinked`, a single
// open file that no folder lists.
import { closeSync, openSync, unlinkSync, writeSync } from 'node:fs';

const [, , limit, kind] = process.argv;
const block = Buffer.alloc(10_000_000, 1);
let file = null;
for (let megabytes = 0; megabytes < Number(limit); megabytes += 10) {
  const path = `hog-${megabytes}.bin`;
  if (file === null) file = openSync(path, 'w');
  writeSync(file, block);
  if (kind === 'unlinked') {
    if (megabytes === 0) unlinkSync(path);
  } else {
    closeSync(file);
    file = null;
  }
  await new Promise((later) => setTimeout(later, 20));
}
setTimeout(() => process.exit(0), 20_000);
