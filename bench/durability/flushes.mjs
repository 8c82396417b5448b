import { open } from 'node:fs/promises';
import { devNull } from 'node:os';

/** How often files were flushed while the work went on. */
export async function countFlushes(work) {
  const probe = await open(devNull, 'r');
  const prototype = Object.getPrototypeOf(probe);
  await probe.close();
  const { sync, datasync } = prototype;
  let count = 0;
  const counting = (flush) =>
    function (...args) {
      count += 1;
      return flush.apply(this, args);
    };
  prototype.sync = counting(sync);
  prototype.datasync = counting(datasync);
  try {
    await work();
  } finally {
    prototype.sync = sync;
    prototype.datasync = datasync;
  }
  return count;
}
