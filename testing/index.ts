/** Helpers for testing workflows and tools around conductor. */
export { crashtest, createRandom } from '../src/simulation/crashtest.ts';
export { essenceOf, findDifference } from '../src/simulation/run-essence.ts';
export { chooseScripts } from '../src/simulation/script-choice.ts';
export { plainHabits } from '../src/simulation/sim-script.ts';
export { createSimWorld, eventsOf } from '../src/simulation/sim-world.ts';
export { simulate } from '../src/simulation/simulate.ts';
export { printWorkflow } from '../src/workflow/print-workflow.ts';
export { createFaults } from './faults.ts';
export { gitAt, makeRepo, readCheckout } from './git-repo.ts';
export { createModelServer } from './model-server/model-server.ts';
export { agent, evaluate, gate, planOf, rollback, stop, validation } from './plans.ts';
