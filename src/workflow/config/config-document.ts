import { type Config, type ConfigDocument, configDocumentSchema } from '../../contracts/config/config.ts';
import { CONFIG_DEFAULTS } from '../../contracts/config/config-defaults.ts';
import {
  arrangeDiagnostics,
  type Diagnostic,
  hasErrors,
  limitDiagnostics,
} from '../../diagnostics/diagnostic.ts';
import { isJsonObject } from '../../text/json.ts';
import { checkShape } from '../document/shape.ts';
import { decodeSource, type Source } from '../yaml/source-text.ts';
import { parseYaml, type YamlSource } from '../yaml/yaml-source.ts';
import type { Mapping, Path } from '../yaml/yaml-tree.ts';
import { describeCommandIssue } from './command-issues.ts';
import { mergeConfigs } from './config-merge.ts';
import { checkConfigRules, checkUserSettings } from './config-rules.ts';

export interface CheckedConfig {
  readonly diagnostics: readonly Diagnostic[];
  /** With all defaults filled in; null if there is an error. */
  readonly config: Config | null;
  /** Only the settings in the file, for merging. */
  readonly document: ConfigDocument | null;
  readonly text: string;
}

export type ConfigOwner = 'repository' | 'user';

export function checkConfig(source: Source, owner: ConfigOwner = 'repository'): CheckedConfig {
  const { text, problem } = decodeSource(source, 'CF');
  const refuse = (diagnostics: readonly Diagnostic[]): CheckedConfig => ({
    diagnostics: limitDiagnostics(arrangeDiagnostics(diagnostics)),
    config: null,
    document: null,
    text,
  });
  if (problem !== null) return refuse([problem]);
  const yaml = parseYaml(text, 'CF');
  if (yaml.empty) return { diagnostics: [], config: mergeConfigs(null), document: {}, text };
  if (yaml.source === null) return refuse(yaml.diagnostics);

  const shape = checkShape({
    family: 'CF',
    schema: configDocumentSchema,
    source: withImpliedParts(yaml.source),
    nameMaps: ['agents', 'validators', 'prices'],
    override: describeCommandIssue,
    describe,
  });
  const rules = [
    ...checkConfigRules(shape.data, shape.source),
    ...(owner === 'user' ? [] : checkUserSettings(shape.data, shape.source)),
  ];
  const diagnostics = arrangeDiagnostics([...yaml.diagnostics, ...shape.diagnostics, ...rules]);
  if (shape.value === null || hasErrors(diagnostics)) return refuse(diagnostics);
  return {
    diagnostics: limitDiagnostics(diagnostics),
    config: mergeConfigs(shape.value),
    document: shape.value,
    text,
  };
}

/**
 * Drops empty sections, such as one whose content is commented out, and fills in `kind` for the two built-in agents,
 * which may omit it.
 */
function withImpliedParts(source: YamlSource): YamlSource {
  const { data } = source;
  if (!isJsonObject(data)) return source;
  const sections = Object.entries(data).filter(([, value]) => value !== null);
  const copy: Mapping = Object.assign(Object.create(null), Object.fromEntries(sections));
  if (isJsonObject(copy.agents)) {
    const agents: Mapping = Object.assign(Object.create(null), copy.agents);
    for (const name of Object.keys(CONFIG_DEFAULTS.agents)) {
      const agent = agents[name];
      if (isJsonObject(agent) && !('kind' in agent)) agents[name] = { kind: name, ...agent };
    }
    copy.agents = agents;
  }
  return { ...source, data: copy };
}

function describe(path: Path): string {
  const [root, name] = path;
  if (root === undefined) return 'the configuration';
  if (root === 'agents' && name !== undefined) return `the agent \`${name}\``;
  if (root === 'prices' && name !== undefined) return `the price of \`${name}\``;
  if (root === 'validators' && name !== undefined) return `the validator \`${name}\``;
  return `\`${path.join('.')}\``;
}
