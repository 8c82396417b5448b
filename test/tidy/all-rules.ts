import { ambientRule } from './ambient-rules.ts';
import { barrelRule, cycleRule, layerRule } from './import-rules.ts';
import { lockRule, peerRule, pinRule } from './package-rules.ts';
import { projectRule } from './project-rule.ts';
import type { TidyRule } from './rule.ts';
import {
  defaultExportRule,
  fileNameRule,
  lengthRule,
  machinePathRule,
  markerRule,
  skipRule,
} from './text-rules.ts';

export const ALL_RULES: readonly TidyRule[] = [
  layerRule,
  cycleRule,
  barrelRule,
  ambientRule,
  fileNameRule,
  defaultExportRule,
  lengthRule,
  markerRule,
  skipRule,
  projectRule,
  machinePathRule,
  pinRule,
  peerRule,
  lockRule,
];
