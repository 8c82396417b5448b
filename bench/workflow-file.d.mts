export const STEPS_PER_STAGE: number;
export function createWorkflow(stages: number): string;
