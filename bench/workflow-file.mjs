// A long workflow that is valid and uses every opcode, so that checking it takes every path of the checker.

/** Steps of one stage: agent, validation, evaluation, gate and rollback. */
export const STEPS_PER_STAGE = 5;

export function createWorkflow(stages) {
  const steps = Array.from({ length: stages }, (_, index) => createStage(index + 1, stages));
  return `workflow_id: bench
version: 1
description: ${stages} stages, each of them worked on, validated, evaluated and approved.
entry_step: implement_1
defaults:
  limits: { timeout: 30m, idle_timeout: 5m }
steps:
${steps.join('\n')}`;
}

function createStage(stage, stages) {
  const next = stage === stages ? 'STOP' : `implement_${stage + 1}`;
  return `  - id: implement_${stage}
    opcode: RUN_AGENT
    agent: claude-code
    prompt: task.implement.v1
    inputs: [task, fix_instructions]
    limits: { max_visits: 3 }
    routes:
      completed: validate_${stage}
      error: STOP
      killed_timeout: STOP
      killed_idle: STOP
      killed_policy: STOP

  - id: validate_${stage}
    opcode: RUN_VALIDATION
    run: [tests]
    routes:
      completed: evaluate_${stage}
      error: evaluate_${stage}
      killed_timeout: evaluate_${stage}
      killed_idle: evaluate_${stage}
      killed_policy: STOP

  - id: evaluate_${stage}
    opcode: EVALUATE
    prompt: planner.evaluate_results.v1
    allowed_next_steps: [implement_${stage}, approve_${stage}, roll_back_${stage}]
    routes:
      success: approve_${stage}
      partial: implement_${stage}
      blocked: STOP
      unsafe: roll_back_${stage}
      needs_human: approve_${stage}

  - id: approve_${stage}
    opcode: GATE
    gate: requires_approval
    timeout: 2d
    routes:
      gate_approved: ${next}
      gate_rejected: roll_back_${stage}
      gate_timed_out: STOP

  - id: roll_back_${stage}
    opcode: ROLLBACK
    target: ${stage % 2 === 0 ? 'pre_step' : 'pre_run'}
    routes:
      completed: STOP
      error: STOP
      killed_timeout: STOP
      killed_idle: STOP
      killed_policy: STOP
`;
}
