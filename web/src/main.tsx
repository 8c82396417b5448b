import { render } from 'preact';
import { App } from './app.tsx';
import { startNavigation } from './state/navigation.ts';
import { takePairingCode } from './state/pairing.ts';
import { applyTheme } from './state/theme.ts';
import './styles/tokens.css';
import './styles/base.css';
import './styles/shell.css';
import './styles/parts.css';
import './styles/gate.css';

applyTheme();
takePairingCode();
startNavigation();
const root = document.getElementById('app');
if (root !== null) render(<App />, root);
