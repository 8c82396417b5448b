import { describe, expect, it } from 'vitest';
import { createRandom } from '../../src/simulation/crashtest.ts';
import { findDifference, type RunEssence } from '../../src/simulation/run-essence.ts';
import { createSimDisk } from '../../src/simulation/sim-disk.ts';
import { createLife } from '../../src/simulation/sim-life.ts';
import { formatLogLines, readSimLog } from '../../src/simulation/sim-log.ts';
import { createSimRepo } from '../../src/simulation/sim-repo.ts';
import { createSimWorld, runOrphans } from '../../src/simulation/sim-world.ts';

describe('a disk without power', () => {
  it.each([
    { what: 'keeps what was flushed', torn: 0, left: 'one\n' },
    { what: 'keeps a piece of what was not', torn: 0.5, left: 'one\ntw' },
  ])('$what', ({ torn, left }) => {
    const disk = createSimDisk();
    disk.append('log', 'one\n');
    disk.flush('log');
    disk.append('log', 'two\n');
    disk.losePower(() => torn);
    expect(disk.read('log')).toBe(left);
  });

  it('loses a file that was never flushed, and puts back one that was written over', () => {
    const disk = createSimDisk();
    disk.write('new', 'content', false);
    disk.write('old', 'first', true);
    disk.write('old', 'second', false);
    disk.losePower(() => 0);
    expect([disk.read('new'), disk.read('old')]).toEqual([null, 'first']);
  });

  it('changes nothing in a copy', () => {
    const disk = createSimDisk();
    disk.write('file', 'content', false);
    const copy = disk.clone();
    disk.losePower(() => 0);
    expect(copy.read('file')).toBe('content');
  });
});

describe('a process that is killed', () => {
  it('runs no code any more, not even what a failure would run', async () => {
    const ran: string[] = [];
    const life = createLife(1, (_, living) => living.kill());
    const work = async () => {
      try {
        await life.point('write');
        ran.push('after');
      } catch {
        ran.push('catch');
      } finally {
        ran.push('finally');
      }
    };
    const worked = work().then(() => 'done');
    expect(await Promise.race([worked, life.death])).toBe('died');
    await new Promise((resolve) => setImmediate(resolve));
    expect(ran).toEqual([]);
  });

  it('leaves the programs it started, which go on writing', () => {
    const world = createSimWorld();
    world.repo.checkout = new Map();
    const parent = createLife(1, () => {});
    world.programs.add({ mark: 'run/step@1', parent, writes: [{ path: 'a', line: 'late' }] });
    const stir = () => {
      for (let moments = 0; moments < 40; moments += 1) runOrphans(world);
    };
    stir();
    expect(world.repo.checkout.get('a')).toBeUndefined();
    parent.kill();
    stir();
    expect(world.repo.checkout.get('a')).toBe('late\n');
  });
});

describe('a log', () => {
  const note = { event_type: 'status_updated', step_id: null, payload: { note: 'n' } } as const;
  const from = { seq: 0, head: '0'.repeat(64), runId: 'r', timestamp: '2026-01-01T00:00:00.000Z' };
  const [first = '', second = ''] = formatLogLines([note, note], from).lines;

  it.each([
    { what: 'whole', text: first + second, read: 2 },
    { what: 'with a torn last line', text: first + second.slice(0, 20), read: 1 },
  ])('$what is read as far as it goes', ({ text, read }) => {
    const reading = readSimLog(text);
    expect(reading.ok && reading.events.length).toBe(read);
  });

  it.each([
    { what: 'a line twice', text: first + first, line: 2 },
    { what: 'a line left out', text: second, line: 1 },
    { what: 'a line that was edited', text: first.replace('"n"', '"m"') + second, line: 2 },
    { what: 'a line that is no JSON', text: `${first}{\n`, line: 2 },
  ])('with $what is no chain', ({ text, line }) => {
    expect(readSimLog(text)).toMatchObject({ ok: false, line });
  });
});

describe('a repository', () => {
  it('gives the same files the same tree, in whatever order they came', () => {
    const repo = createSimRepo();
    const one = new Map(Object.entries({ a: '1', b: '2' }));
    const other = new Map(Object.entries({ b: '2', a: '1' }));
    expect(repo.keepTree(one)).toBe(repo.keepTree(other));
    expect(repo.keepTree(new Map(one).set('a', '2'))).not.toBe(repo.keepTree(one));
  });
});

describe('two ends', () => {
  const end: RunEssence = {
    end: 'completed success success',
    route: ['a completed -> STOP'],
    visits: { a: 1 },
    refinements: {},
    answers: [],
    files: { x: '1' },
    branch: { x: '1' },
    usage: '{}',
  };

  it('that are the same have no difference', () => {
    expect(findDifference(end, { ...end, files: { ...end.files } })).toBeNull();
  });

  it.each<[keyof RunEssence, Partial<RunEssence>]>([
    ['end', { end: 'failed error error' }],
    ['route', { route: [] }],
    ['visits', { visits: { a: 2 } }],
    ['refinements', { refinements: { a: 1 } }],
    ['answers', { answers: ['a gate_approved'] }],
    ['files', { files: { x: '2' } }],
    ['branch', { branch: {} }],
    ['usage', { usage: '{"input":1}' }],
  ])('that are not differ in their %s', (what, change) => {
    expect(findDifference(end, { ...end, ...change })?.what).toBe(what);
  });
});

describe('chance', () => {
  it('is the same for the same seed, and another for another', () => {
    const draw = (seed: number | string) => {
      const random = createRandom(seed);
      return Array.from({ length: 5 }, () => random.below(1_000));
    };
    expect(draw(1)).toEqual(draw(1));
    expect(draw('a')).toEqual(draw('a'));
    expect(draw(1)).not.toEqual(draw(2));
    expect(draw('a')).not.toEqual(draw('b'));
  });

  it('stays within its bounds', () => {
    const random = createRandom(3);
    const drawn = Array.from({ length: 1_000 }, () => random.below(7));
    expect([Math.min(...drawn), Math.max(...drawn)]).toEqual([0, 6]);
  });
});
