import { asList, asObject, asText } from '../text/json.ts';
import type { WorkflowStepView } from './workflow-view.ts';
import type { Mapping, Path } from './yaml/yaml-tree.ts';

/** A text field of a validator and its path. */
export interface ValidatorText {
  readonly field: 'entrypoint' | 'args' | 'cwd' | 'artifacts' | 'report';
  readonly text: string;
  readonly path: Path;
}

export interface ObjectValidator {
  readonly fields: Mapping;
  readonly path: Path;
}

export function objectValidators(step: WorkflowStepView): ObjectValidator[] {
  if (step.opcode !== 'RUN_VALIDATION') return [];
  return asList(step.fields.run).flatMap((entry, index) => {
    if (entry === null || typeof entry !== 'object') return [];
    return [{ fields: asObject(entry), path: [...step.path, 'run', index] }];
  });
}

export function validatorTexts(validator: ObjectValidator): ValidatorText[] {
  const { fields, path } = validator;
  const single = (['entrypoint', 'cwd', 'report'] as const).flatMap((field) => {
    const text = asText(fields[field]);
    return text === null ? [] : [{ field, text, path: [...path, field] }];
  });
  const listed = (['args', 'artifacts'] as const).flatMap((field) =>
    asList(fields[field]).flatMap((item, index) => {
      const text = asText(item);
      return text === null ? [] : [{ field, text, path: [...path, field, index] }];
    }),
  );
  return [...single, ...listed];
}
