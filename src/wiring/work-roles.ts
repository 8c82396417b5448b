import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createRevisionReader } from '../adapters/workspace/items/revision-reader.ts';
import type { OpenProject } from '../app/opened.ts';
import type { WorkConfig } from '../contracts/config/config.ts';
import type { Role } from '../contracts/work/work-results.ts';
import type { ResultCheckingRunner } from '../ports/work/role-runner.ts';
import type { PatchClassifier } from '../runtime/evidence/classify-patch.ts';
import type { RunObserver } from '../runtime/run-context.ts';
import { createRoleRunner } from '../runtime/work/role-runner.ts';
import { ROLE_WORKFLOWS, type RoleDocument, resolveRoleWorkflow } from '../runtime/work/role-workflow.ts';
import type { RoleSubject } from '../work/engine/role.ts';
import type { RoleChecks } from '../work/results/role-result.ts';

interface WorkRolesRequest {
  readonly project: OpenProject;
  /** `work` of the configuration, with its defaults. */
  readonly work: Pick<WorkConfig, 'agents' | 'branch'>;
  readonly checks: RoleChecks;
  readonly classifyPatch: PatchClassifier;
  readonly observe?: (subject: RoleSubject) => RunObserver;
}

/** Runs the roles of work items as runs of a project. */
export function createWorkRoles(request: WorkRolesRequest): ResultCheckingRunner {
  const { project, work, checks, classifyPatch, observe } = request;
  return createRoleRunner({
    project,
    checks,
    classifyPatch,
    reader: createRevisionReader({ repoRoot: project.repoRoot, branch: work.branch }),
    workflow: async (role, inputs) =>
      resolveRoleWorkflow(
        await findDocument(role, project.workflowFolders),
        work.agents,
        project.context,
        inputs,
      ),
    ...(observe === undefined ? {} : { observe }),
  });
}

/** Takes the workflow from the first folder that has it, like any workflow; the last folder is the package's own. */
async function findDocument(role: Role, folders: readonly string[]): Promise<RoleDocument> {
  for (const folder of folders)
    for (const ending of ['.yaml', '.yml']) {
      const name = join(folder, `${ROLE_WORKFLOWS[role]}${ending}`);
      const text = await readFile(name, 'utf8').catch(() => null);
      if (text !== null) return { name, text, builtIn: folder === folders.at(-1) };
    }
  throw new Error(`the package lacks its workflow ${ROLE_WORKFLOWS[role]}`);
}
