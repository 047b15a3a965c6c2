import { render } from 'preact';
import { readSession } from './api/session.js';
import { App } from './app.js';
import { applyTheme, theme } from './state/theme.js';
import './style.css';

applyTheme();
theme.follow(applyTheme);
void readSession();

const root = document.getElementById('app');
if (root) render(<App />, root);
