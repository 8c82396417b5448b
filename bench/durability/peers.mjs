// The same ten steps that do nothing, with what others use to remember where they were.
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const PEERS = join(import.meta.dirname, '..', 'peers', 'node_modules');

function load(name, file) {
  return import(pathToFileURL(join(PEERS, name, file)).href);
}

/** The disk's limit: a line for each step, on disk before the next. */
export function createRaw() {
  const line = `${'x'.repeat(399)}\n`;
  return {
    prepare: async (folder) => ({ folder, count: 0 }),
    run: async (place, steps) => {
      place.count += 1;
      const file = await open(join(place.folder, `log-${place.count}`), 'a');
      for (let step = 0; step < steps; step += 1) {
        await file.appendFile(line);
        await file.datasync();
      }
      await file.close();
    },
    close: async () => {},
  };
}

/** A graph of nodes in a row, a checkpoint after each, as its documentation shows it. */
export async function createLangGraph() {
  const { Annotation, StateGraph, START, END } = await load('@langchain/langgraph', 'dist/index.js');
  const { SqliteSaver } = await load('@langchain/langgraph-checkpoint-sqlite', 'dist/index.js');
  const State = Annotation.Root({ count: Annotation({ reducer: (_, next) => next, default: () => 0 }) });
  const compile = (saver, steps) => {
    const graph = new StateGraph(State);
    for (let step = 0; step < steps; step += 1)
      graph.addNode(`s${step}`, ({ count }) => ({ count: count + 1 }));
    graph.addEdge(START, 's0');
    for (let step = 1; step < steps; step += 1) graph.addEdge(`s${step - 1}`, `s${step}`);
    graph.addEdge(`s${steps - 1}`, END);
    return graph.compile({ checkpointer: saver });
  };
  return {
    prepare: async (folder, steps) => {
      const saver = SqliteSaver.fromConnString(join(folder, 'langgraph.db'));
      return { saver, graph: compile(saver, steps), threads: 0 };
    },
    run: async (place, steps) => {
      place.threads += 1;
      const config = { configurable: { thread_id: `t${place.threads}` }, recursionLimit: steps + 5 };
      const { count } = await place.graph.invoke({ count: 0 }, config);
      if (count !== steps) throw new Error(`LangGraph took ${count} steps of ${steps}`);
    },
    close: async ({ saver }) => saver.db.close(),
  };
}

/** A machine of states in a row, its snapshot stored after each with a full flush. */
export async function createXState() {
  const { createActor, setup } = await load('xstate', 'dist/xstate.esm.js');
  const { default: Database } = await load('libsql', 'index.js');
  const machineOf = (steps) =>
    setup({}).createMachine({
      initial: 's0',
      states: Object.fromEntries([
        ...Array.from({ length: steps }, (_, step) => [`s${step}`, { on: { next: `s${step + 1}` } }]),
        [`s${steps}`, { type: 'final' }],
      ]),
    });
  return {
    prepare: async (folder, steps) => {
      const db = new Database(join(folder, 'xstate.db'));
      db.pragma('journal_mode = WAL');
      db.pragma('synchronous = FULL');
      db.exec('CREATE TABLE snapshot (run TEXT, step INTEGER, state TEXT, PRIMARY KEY (run, step))');
      const insert = db.prepare('INSERT INTO snapshot VALUES (?, ?, ?)');
      return { db, insert, machine: machineOf(steps), runs: 0 };
    },
    run: async (place, steps) => {
      place.runs += 1;
      const name = `r${place.runs}`;
      const actor = createActor(place.machine);
      actor.start();
      for (let step = 0; step < steps; step += 1) {
        actor.send({ type: 'next' });
        place.insert.run(name, step, JSON.stringify(actor.getPersistedSnapshot()));
        await Promise.resolve();
      }
      if (actor.getSnapshot().status !== 'done')
        throw new Error('the XState machine did not come to its end');
    },
    close: async ({ db }) => db.close(),
  };
}
