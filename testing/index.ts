/** Helpers for testing workflows and tools around conductor. */
export { gitAt, makeRepo, readCheckout } from './git-repo.ts';
export { agent, evaluate, gate, planOf, rollback, stop, validation } from './plans.ts';
