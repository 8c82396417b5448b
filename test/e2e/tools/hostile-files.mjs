// Leaves files in the current folder that are hard to keep, by the name in its argument. All of them are bounded.
import { execFileSync } from 'node:child_process';
import { closeSync, ftruncateSync, mkdirSync, openSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';

const LONG_NAME = 'n'.repeat(200);

const acts = {
  sparse: () => {
    const file = openSync('sparse.bin', 'w');
    ftruncateSync(file, 3_000_000_000);
    closeSync(file);
  },
  'sparse-tracked': () => {
    const file = openSync('answer.txt', 'r+');
    ftruncateSync(file, 3_000_000_000);
    closeSync(file);
  },
  'sparse-nested': () => {
    execFileSync('git', ['init', '-q', 'inner']);
    const file = openSync('inner/sparse.bin', 'w');
    ftruncateSync(file, 3_000_000_000);
    closeSync(file);
  },
  large: () => writeFileSync('large.bin', Buffer.alloc(40_000_000, 'ab')),
  many: () => {
    for (let folder = 0; folder < 20; folder += 1) {
      mkdirSync(`many/${folder}`, { recursive: true });
      for (let file = 0; file < 1_000; file += 1) writeFileSync(`many/${folder}/${file}`, '');
    }
  },
  deep: () => {
    const top = process.cwd();
    for (let depth = 0; depth < 60; depth += 1) {
      mkdirSync(LONG_NAME);
      process.chdir(LONG_NAME);
    }
    writeFileSync('bottom', 'x');
    process.chdir(top);
  },
  'long-path': () => {
    const folder = Array.from({ length: 15 }, () => LONG_NAME).join('/');
    mkdirSync(folder, { recursive: true });
    writeFileSync(`${folder}/file`, 'x');
  },
  special: async () => {
    execFileSync('mkfifo', ['pipe']);
    execFileSync('mkfifo', ['.gitattributes']);
    await new Promise((ready) => createServer().listen('socket', ready));
  },
};

await acts[process.argv[2]]();
writeFileSync('done.txt', 'done\n');
process.exit(0);
