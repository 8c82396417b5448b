import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, expect, it, onTestFinished } from 'vitest';
import { awaitOrphans } from '../../src/adapters/process/orphan-wait.ts';

const MARK = `git/orphan-wait-${process.pid}`;

async function pidOfTheDead(): Promise<number> {
  const child = spawn('true');
  await once(child, 'exit');
  return child.pid ?? 0;
}

function startMarked(mark: string, seconds: string): ChildProcess {
  const child = spawn('sleep', [seconds], { env: { PATH: process.env.PATH, CONDUCTOR_MARK: mark } });
  onTestFinished(() => {
    child.kill('SIGKILL');
  });
  return child;
}

function isRunning({ exitCode, signalCode }: ChildProcess): boolean {
  return exitCode === null && signalCode === null;
}

describe('commands that outlive the process that started them', () => {
  it('may end before it continues', async () => {
    const orphan = startMarked(`${MARK}-a/${await pidOfTheDead()}`, '0.3');
    const ended = once(orphan, 'exit');
    await awaitOrphans(`${MARK}-a`);
    expect(await ended).toEqual([0, null]);
  });

  it.each([
    ['of a process that lives', `${MARK}-b`, `${MARK}-b/${process.pid}`],
    ['of another run', `${MARK}-c`, `${MARK}-cc/1`],
  ])('are not those %s', async (_whose, awaited, mark) => {
    const child = startMarked(mark, '600');
    await once(child, 'spawn');
    await awaitOrphans(awaited);
    expect(isRunning(child)).toBe(true);
  });

  it('are those of a process that was killed and not reaped, too', async () => {
    // The shell becomes a sleep that never waits for its child, which stays a zombie.
    const parent = spawn('sh', ['-c', 'true & echo $!; exec sleep 600'], {
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    onTestFinished(() => {
      parent.kill('SIGKILL');
    });
    const [line] = (await once(parent.stdout, 'data')) as [Buffer];
    const orphan = startMarked(`${MARK}-d/${line.toString().trim()}`, '0.3');
    const ended = once(orphan, 'exit');
    await awaitOrphans(`${MARK}-d`);
    expect(await ended).toEqual([0, null]);
  });
});
