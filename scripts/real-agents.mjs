// Drives real agents against a scripted model. Without the agents the suite is skipped; see scripts/install-agents.mjs.
import { runLongSuite } from './long-suite.mjs';

runLongSuite('test/real-agents', {});
