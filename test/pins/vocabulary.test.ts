import { describe, expect, it } from 'vitest';
import { EVENT_SCHEMA_VERSION, EVENT_TYPES } from '../../src/contracts/run/event.ts';
import { RUN_FILES_SCHEMA_VERSION } from '../../src/contracts/run/run-files.ts';
import {
  COMPONENT_KINDS,
  EVAL_PROFILES,
  GATE_EVENTS,
  INTENTS,
  LIFECYCLE_STATES,
  MECHANICAL_OUTCOMES,
  OPCODES,
  PLANNER_STATUSES,
  RUN_OUTCOMES,
  TERMINATIONS,
  VIOLATION_CLASSES,
} from '../../src/contracts/vocabulary.ts';
import { JSON_SCHEMA_VERSION } from '../../src/surfaces/cli/command-context.ts';
import { EXIT } from '../../src/surfaces/cli/exit-codes.ts';

/** Written out, because recorded runs, workflows and scripts of users are full of these words. */
const VOCABULARIES: readonly (readonly [string, readonly string[], string])[] = [
  ['opcodes', OPCODES, 'EVALUATE GATE ROLLBACK RUN_AGENT RUN_VALIDATION STOP'],
  ['mechanical outcomes', MECHANICAL_OUTCOMES, 'completed error killed_idle killed_policy killed_timeout'],
  ['planner statuses', PLANNER_STATUSES, 'blocked needs_human partial success unsafe'],
  ['gate events', GATE_EVENTS, 'gate_approved gate_rejected gate_timed_out'],
  ['lifecycle states', LIFECYCLE_STATES, 'blocked completed failed running waiting'],
  [
    'run outcomes',
    RUN_OUTCOMES,
    'blocked budget cancelled error needs_human partial policy rejected success timed_out unsafe unverified',
  ],
  [
    'terminations',
    TERMINATIONS,
    `blocked budget cancelled completed error gate_approved gate_rejected gate_timed_out killed_idle
     killed_policy killed_timeout needs_human partial success unsafe workflow_error`,
  ],
  [
    'violation classes',
    VIOLATION_CLASSES,
    `budget_exceeded forbidden_operation forbidden_path interactive_prompt_violation native_policy_block
     network_violation outside_workspace protected_branch_violation`,
  ],
  ['component kinds', COMPONENT_KINDS, 'cli docs library vscode_ui web'],
  ['evaluation profiles', EVAL_PROFILES, 'overnight release_candidate smoke'],
  ['intents', INTENTS, 'analysis harness implementation none review'],
  [
    'event types',
    EVENT_TYPES,
    `artifact_recorded baseline_recorded decision_recorded gate_approved gate_rejected gate_requested
     gate_timed_out golden_gate_pending human_feedback notice_recorded notification_sent policy_violation
     refinement_spent rollback_completed route_selected run_cancelled run_completed run_published run_resumed
     run_started runner_completed runner_started salvage_recorded setup_completed status_updated step_blocked step_completed step_failed step_started step_waiting workflow_error`,
  ],
];

describe('the vocabularies of the system', () => {
  it.each(VOCABULARIES)('stay the same: %s', (_, values, expected) => {
    expect([...values].sort()).toEqual(expected.split(/\s+/));
  });

  it('order mechanical outcomes from harmless to worst', () => {
    expect(MECHANICAL_OUTCOMES).toEqual([
      'completed',
      'error',
      'killed_idle',
      'killed_timeout',
      'killed_policy',
    ]);
  });
});

describe('the numbers of the system', () => {
  it('stay the same: exit codes', () => {
    expect(EXIT).toEqual({
      success: 0,
      failed: 1,
      usage: 2,
      waiting: 3,
      blocked: 4,
      unsafe: 5,
      budget: 6,
      unverified: 7,
      interrupted: 130,
    });
  });

  it('stay the same: schema versions', () => {
    expect([EVENT_SCHEMA_VERSION, RUN_FILES_SCHEMA_VERSION, JSON_SCHEMA_VERSION]).toEqual([2, 2, 1]);
  });
});
