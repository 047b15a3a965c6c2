import { createStore } from './store.js';

export type Theme = 'system' | 'light' | 'dark';

const KEY = 'causeway.theme';
const stored = window.localStorage.getItem(KEY);

export const theme = createStore<Theme>(stored === 'light' || stored === 'dark' ? stored : 'system');

export function applyTheme(): void {
  const now = theme.get();
  if (now === 'system') {
    document.documentElement.removeAttribute('data-theme');
    window.localStorage.removeItem(KEY);
    return;
  }
  document.documentElement.setAttribute('data-theme', now);
  window.localStorage.setItem(KEY, now);
}
