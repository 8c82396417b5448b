import { EXIT } from './exit-codes.ts';

/** What becomes of a verb when nobody reads what it prints any more, as in `conductor runs | head -1`. */
export interface Readers {
  /** A run depends on this process: it goes on, whatever becomes of the terminal. */
  readonly keepRunning: () => void;
  /** There is no end to what is printed, or none that anybody waits for: it ends with its reader. */
  readonly endWithReader: () => void;
}

/** Unless a verb says otherwise it does its work in silence, and its exit code tells what came of it. */
export function watchReaders(): Readers {
  let mode: 'finishes' | 'runs' | 'ends' = 'finishes';
  const watch = (stream: NodeJS.WriteStream, name: string) =>
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (mode === 'runs') return;
      if (error.code === 'EPIPE' || error.code === 'ERR_STREAM_DESTROYED') {
        if (mode === 'ends') process.exit(EXIT.success);
        return;
      }
      if (stream !== process.stderr)
        process.stderr.write(`conductor: ${name} can't be written: ${error.message}\n`);
      process.exit(EXIT.failed);
    });
  watch(process.stdout, 'standard output');
  watch(process.stderr, 'standard error');
  return {
    keepRunning: () => {
      mode = 'runs';
    },
    endWithReader: () => {
      mode = 'ends';
    },
  };
}
