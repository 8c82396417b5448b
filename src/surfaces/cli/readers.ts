import { EXIT } from './exit-codes.ts';

/** What a command does when the reader of its output has exited (EPIPE), as in `conductor runs | head -1`. */
export interface Readers {
  /** Ignores all write errors, because a run depends on this process. */
  readonly keepRunning: () => void;
  /** Exits with success, because the output has no end or no use without a reader. */
  readonly endWithReader: () => void;
}

/** By default a command completes its work without output, and its exit code reports the result. */
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
