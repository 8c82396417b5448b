// Loaded into conductor by NODE_OPTIONS=--import. It counts what the process does to records and workspaces of runs, can kill
// the process in the middle of the n-th operation, and records what was flushed, so that a power cut can remove the rest.
// See power-cut.ts for the other half.
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { join, resolve } from 'node:path';

const { KILLS_FLUSHED: flushed = '', KILLS_COUNT: countFile = '' } = process.env;
/** The folders of records and of workspaces. */
const roots = (process.env.KILLS_ROOTS ?? '').split(':').filter((path) => path !== '');
const dieAt = Number(process.env.KILLS_AT ?? 0);
const dieAfter = process.env.KILLS_VARIANT === 'after';
const logOnly = process.env.KILLS_FILES === 'log';

const original = { ...fs };
const count = { any: 0, log: 0 };
// A run exists once its first event is on disk; before that there is nothing to recover. The second write to the log
// starts the count too, so that a conductor that never flushes the log fails the suite.
let counting = process.argv[2] !== 'run';
let logWrites = 0;

function ours(path) {
  return typeof path === 'string' && roots.some((root) => resolve(path).startsWith(`${root}/`));
}

function pathOf(fd) {
  try {
    return original.readlinkSync(`/proc/self/fd/${fd}`);
  } catch {
    return '';
  }
}

function die() {
  process.kill(process.pid, 'SIGKILL');
  for (;;);
}

function isLog(path) {
  return path.endsWith('/events.ndjson');
}

/** True when the process has to die in the operation that begins now. */
function isDue(path, isWrite = false) {
  if (isWrite && isLog(path)) logWrites += 1;
  if (logWrites > 1) counting = true;
  if (!counting) return false;
  count.any += 1;
  // Of the log, a kill on this side tears a line, and one on the other comes right after a flush.
  if (isLog(path) && isWrite !== dieAfter) count.log += 1;
  else if (logOnly) return false;
  return (logOnly ? count.log : count.any) === dieAt;
}

function bytesOf(data) {
  return Buffer.from(data);
}

function writeHalf(fd, bytes) {
  original.writeSync(fd, bytes.subarray(0, Math.ceil(bytes.length / 2)));
  die();
}

/** What a file holds when its flush begins is what the flush makes durable. */
function seen(fd) {
  if (flushed === '' || !ours(pathOf(fd))) return null;
  const { ino, mode } = original.fstatSync(fd);
  const isFile = (mode & 0o170000) === 0o100000;
  return isFile ? { ino, content: original.readFileSync(`/proc/self/fd/${fd}`) } : null;
}

function keep(image, fd) {
  if (image !== null) {
    const path = join(flushed, String(image.ino));
    original.writeFileSync(`${path}.new`, image.content);
    original.renameSync(`${path}.new`, path);
  }
  if (isLog(pathOf(fd))) counting = true;
}

/** A file that loses its last name gives its number back, and the next file must not inherit the image. */
function lastNameOf(path) {
  if (flushed === '' || !ours(path)) return null;
  const stat = original.lstatSync(path, { throwIfNoEntry: false });
  return stat?.isFile() && stat.nlink === 1 ? stat.ino : null;
}

function forget(ino) {
  if (ino !== null) original.rmSync(join(flushed, String(ino)), { force: true });
}

function trapFlush(target, name, fdOf) {
  const inner = target[name];
  target[name] = async function (...args) {
    const fd = fdOf(this, args);
    if (!ours(pathOf(fd))) return inner.apply(this, args);
    const due = isDue(pathOf(fd));
    if (due && !dieAfter) die();
    const image = seen(fd);
    const result = await inner.apply(this, args);
    keep(image, fd);
    if (due) die();
    return result;
  };
}

function trapFlushSync(name) {
  const inner = original[name];
  fs[name] = (fd) => {
    if (!ours(pathOf(fd))) return inner(fd);
    const due = isDue(pathOf(fd));
    if (due && !dieAfter) die();
    const image = seen(fd);
    inner(fd);
    keep(image, fd);
    if (due) die();
  };
}

function trapFlushCallback(name) {
  const inner = original[name];
  fs[name] = (fd, done) => {
    if (!ours(pathOf(fd))) return inner(fd, done);
    const due = isDue(pathOf(fd));
    if (due && !dieAfter) die();
    const image = seen(fd);
    inner(fd, (error) => {
      if (error === null) keep(image, fd);
      if (due) die();
      done(error);
    });
  };
}

function trapHandleWrite(prototype, name) {
  const inner = prototype[name];
  prototype[name] = function (data, ...rest) {
    if (ours(pathOf(this.fd)) && isDue(pathOf(this.fd), true)) {
      const parts = Array.isArray(data) ? Buffer.concat(data.map((part) => bytesOf(part))) : bytesOf(data);
      writeHalf(this.fd, parts);
    }
    return inner.call(this, data, ...rest);
  };
}

function trapWriteSync() {
  fs.writeSync = (fd, data, ...rest) => {
    if (ours(pathOf(fd)) && isDue(pathOf(fd), true)) writeHalf(fd, bytesOf(data));
    return original.writeSync(fd, data, ...rest);
  };
}

function trapFileWrite(name, flag) {
  const inner = fs.promises[name];
  fs.promises[name] = (path, data, options) => {
    if (ours(path) && isDue(path)) writeHalf(original.openSync(path, options?.flag ?? flag), bytesOf(data));
    return inner(path, data, options);
  };
}

/** Operations by which a file may lose its last name. */
const LOSING = ['rename', 'unlink', 'rm', 'truncate'];

/** A removal that is killed leaves some of the files. */
function removeHalf(path) {
  if (!original.lstatSync(path, { throwIfNoEntry: false })?.isDirectory()) return;
  const names = original.readdirSync(path);
  for (const name of names.slice(0, Math.ceil(names.length / 2)))
    original.rmSync(join(path, name), { recursive: true, force: true });
}

function trapName(name, losing) {
  const inner = fs.promises[name];
  fs.promises[name] = async (...args) => {
    const path = String(losing(args));
    if (!ours(path)) return inner(...args);
    const due = isDue(path);
    if (due && !dieAfter) {
      if (name === 'rm') removeHalf(path);
      die();
    }
    const lost = LOSING.includes(name) ? lastNameOf(path) : null;
    try {
      const result = await inner(...args);
      forget(lost);
      return result;
    } finally {
      if (due) die();
    }
  };
}

const probe = await fs.promises.open(process.execPath, 'r');
const handle = Object.getPrototypeOf(probe);
await probe.close();
for (const name of ['sync', 'datasync']) trapFlush(handle, name, (self) => self.fd);
for (const name of ['fsyncSync', 'fdatasyncSync']) trapFlushSync(name);
for (const name of ['fsync', 'fdatasync']) trapFlushCallback(name);
for (const name of ['write', 'writev', 'writeFile', 'appendFile']) trapHandleWrite(handle, name);
trapWriteSync();
trapFileWrite('writeFile', 'w');
trapFileWrite('appendFile', 'a');
trapName('rename', ([, to]) => to);
trapName('link', ([, to]) => to);
trapName('unlink', ([path]) => path);
trapName('rm', ([path]) => path);
trapName('truncate', ([path]) => path);
trapName('mkdir', ([path]) => path);
trapName('copyFile', ([, to]) => to);
trapName('cp', ([, to]) => to);
trapName('symlink', ([, path]) => path);
syncBuiltinESMExports();

process.on('exit', () => {
  if (countFile !== '') original.appendFileSync(countFile, `${count.any} ${count.log}\n`);
});
