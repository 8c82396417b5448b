import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import * as harnessKit from '../../harness/index.ts';
import * as library from '../../src/index.ts';
import * as kit from '../../testing/index.ts';

const root = join(import.meta.dirname, '..', '..');

/** An addition is a promise to everybody who imports it, so it is written down here by hand. */
const VALUES = `
  INITIAL_STATE agentResultFileSchema checkWorkflow configDocumentSchema decide evolve harnessReportSchema
  judge manifestSchema metadataSchema parseEnvelope plannerDecisionSchema plannerInputSchema
  policyDocumentSchema promptFrontMatterSchema renderHuman runEventSchema runWorkflow statusSchema
  workflowDocumentSchema`;

const TYPES = `
  CheckContext CheckedWorkflow Diagnostic Effect EventDraft GateReply KernelDecision KernelInput KnownNames
  Manifest Metadata Plan PlanStep PlannerDecision PlannerInput RunEvent RunState RunWorkflowOptions
  RunWorkflowResult Status`;

const HARNESS_TYPES = `
  CaseResult CaseStatus CliOptions Declare DocsOptions Duration GoldenOptions HarnessOptions HarnessReport
  Normaliser TextExpectation UnitOptions UnitTools WebExpectation WebOptions WebStep`;

const KIT = `
  agent chooseScripts crashtest createFaults createModelServer createRandom createSimWorld essenceOf evaluate
  eventsOf findDifference gate gitAt makeRepo plainHabits planOf printWorkflow readCheckout rollback simulate
  stop validation`;

describe('the public surface', () => {
  it('of the library has these values and no others', () => {
    expect(Object.keys(library).sort()).toEqual(words(VALUES));
  });

  it('of the library has these types and no others', async () => {
    const text = await readFile(join(root, 'src', 'index.ts'), 'utf8');
    expect(exportedTypes(text)).toEqual(words(TYPES));
  });

  it('of the harness kit is one function and these types', async () => {
    expect(Object.keys(harnessKit)).toEqual(['harness']);
    const text = await readFile(join(root, 'harness', 'index.ts'), 'utf8');
    expect(exportedTypes(text)).toEqual(words(HARNESS_TYPES));
  });

  it('of the test kit has these values and no others', () => {
    expect(Object.keys(kit).sort()).toEqual(words(KIT));
  });
});

function words(text: string): string[] {
  return text.trim().split(/\s+/).sort();
}

/** Types are gone when the file runs, so they are read from the text. */
function exportedTypes(text: string): string[] {
  const lists = [...text.matchAll(/export (type )?\{([^}]*)\}/g)];
  return lists
    .flatMap(([, whole, list = '']) =>
      list
        .split(',')
        .map((name) => name.trim())
        .filter((name) => name !== '' && (whole !== undefined || name.startsWith('type ')))
        .map((name) => name.replace(/^type /, '')),
    )
    .sort();
}
