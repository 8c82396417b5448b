// One contender in a process of its own: what another loads must not slow it down. Prints what it measured.
import { mkdirSync } from 'node:fs';
import { beginNoOp, moveNoOp, noOpPlan, openStore } from './conductor.mjs';
import { createLangGraph, createRaw, createXState } from './peers.mjs';

const STEPS = 10;
const AT_ONCE = 64;

const ENGINES = {
  raw: async () => createRaw(),
  langgraph: createLangGraph,
  xstate: createXState,
  conductor: async () => {
    const plan = noOpPlan(STEPS);
    return {
      prepare: async (folder) => openStore(folder),
      begin: (store) => beginNoOp(store),
      run: (_place, _steps, run) => moveNoOp(run, plan),
      end: (run) => run.release(),
      close: async () => {},
    };
  },
};

const nothing = async () => {};

/**
 * Milliseconds a step with one run at a time, steps a second with many at once, and milliseconds that it takes
 * to make and close a run, which is not part of either.
 */
async function measure({ prepare, begin = nothing, run, end = nothing, close }, folder, inARow) {
  mkdirSync(folder);
  const place = await prepare(folder, STEPS);
  let moving = 0;
  const start = performance.now();
  for (let index = 0; index < inARow; index += 1) {
    const begun = await begin(place);
    const moves = performance.now();
    await run(place, STEPS, begun);
    moving += performance.now() - moves;
    await end(begun);
  }
  const around = (performance.now() - start - moving) / inARow;
  const begun = await Promise.all(Array.from({ length: AT_ONCE }, () => begin(place)));
  const many = performance.now();
  await Promise.all(begun.map((one) => run(place, STEPS, one)));
  const throughput = (AT_ONCE * STEPS * 1000) / (performance.now() - many);
  await Promise.all(begun.map(end));
  await close(place);
  return { single: moving / (inARow * STEPS), throughput, around };
}

const [name, folder, inARow] = process.argv.slice(2);
process.stdout.write(JSON.stringify(await measure(await ENGINES[name](), folder, Number(inARow))));
